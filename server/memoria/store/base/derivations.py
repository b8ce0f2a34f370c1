"""Derived memories: what nightly maintenance may derive from, and what it has derived."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class DerivationCandidate(NamedTuple):
    """An active memory that others may be derived from."""

    n: int
    id: str
    wording: int
    """The number of its present wording."""
    content: str
    type: str
    scope: tuple[int | None, str | None]
    """Its workspace, and the task for which alone it holds: nothing is derived from memories that
    differ in these."""
    subject: str | None
    predicate: str | None
    confidence: float
    updated_at: int


class StatementOccasion(NamedTuple):
    """An occasion on which a memory was stated: one for each conversation and its speakers."""

    memory_n: int
    conversation: str
    source: str


class DerivationSource(NamedTuple):
    """A memory that another was derived from, or the one that this was merged into."""

    derived_id: str
    n: int
    id: str
    is_current: bool
    """Whether the present wording was derived from it, and not only a former one."""
    is_quoted: bool
    """Whether the derived memory rests on it, and its model was not merely shown it."""
    is_valid: bool
    """Whether it is active and still says what it said then."""


class ChangedSource(NamedTuple):
    """Something that a derived memory rests on and that has changed since."""

    derived_id: str
    id: str
    """The memory that tells how it is now."""
    before: str
    """What it said when the derived memory was written."""
    after: str
    """What tells it by now; empty where nothing does."""
    changed_at: int
    """UTC epoch milliseconds."""


class Derivations(Protocol):
    """The memories of a tenant that others may be derived from, and those that were derived."""

    def list_candidates(self, after: int, limit: int) -> list[DerivationCandidate]:
        """Active memories beyond a number that others may be derived from, in order.

        Memories with a flag or an expiry date, summaries and derived memories are left out.
        """
        ...

    def similar_pairs(self, ns: Sequence[int]) -> list[tuple[int, int, float]]:
        """(one, other, cosine) of those of these memories, by number, that mean nearly the same."""
        ...

    def entities(self, ns: Sequence[int]) -> list[tuple[int, int]]:
        """(memory, entity) of every entity that these memories, by number, speak of."""
        ...

    def occasions(self, ns: Sequence[int]) -> list[StatementOccasion]:
        """The occasions on which these memories, by number, were stated.

        A memory without a turn counts as stated on its day, by its channel.
        """
        ...

    def user_statement_times(self, ns: Sequence[int]) -> list[tuple[int, int, int | None]]:
        """(memory, UTC epoch ms, offset of the clock) of each time the user spoke of one of these.

        If a wording says when it happened, that time is given instead.
        """
        ...

    def list_derived(self, after: int, limit: int) -> list[tuple[int, str]]:
        """(number, id) of derived memories beyond a number, whatever their status is now."""
        ...

    def sources(self, ids: Sequence[str]) -> list[DerivationSource]:
        """The memories that these were derived from, in any of their wordings."""
        ...

    def list_changed(self, ids: Sequence[str]) -> list[ChangedSource]:
        """What derived memories and episodes rest on that has changed since they were written.

        An episode rests on what was concluded from its turns. What the same turns correct has not
        changed for it.
        """
        ...

    def list_changed_in(
        self, session_n: int, first_index: int, last_index: int
    ) -> list[ChangedSource]:
        """What was concluded from some turns of a session and has changed since.

        The derived memory of these is empty: the turns may not have been summed up yet.
        """
        ...
