"""Derivations: memories that nightly maintenance may derive from, and those it has derived."""

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
    """Workspace, and the task to which it is limited: sources of one memory agree in both."""
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
    """A source of a derived memory, or the survivor of the merger of such a source."""

    derived_id: str
    n: int
    id: str
    is_current: bool
    """True if the present wording was derived from it, and not only a former one."""
    is_quoted: bool
    """True if the derived memory rests on it; False if its model was merely shown it."""
    is_valid: bool
    """True if it is active and still says what it said then."""


class ChangedSource(NamedTuple):
    """A source of a derived memory that has changed since that was written."""

    derived_id: str
    id: str
    """Id of the memory that has the present state."""
    before: str
    """Wording of the source when the derived memory was written."""
    after: str
    """Wording that now stands in its place; empty if there is none."""
    changed_at: int
    """UTC epoch milliseconds."""


class Derivations(Protocol):
    """The memories of a tenant that others may be derived from, and those that were derived."""

    def list_candidates(self, after: int, limit: int) -> list[DerivationCandidate]:
        """List active memories beyond a number that others may be derived from, in order.

        Memories with a flag or an expiry date, summaries and derived memories are left out.
        """
        ...

    def similar_pairs(self, ns: Sequence[int]) -> list[tuple[int, int, float]]:
        """List (one, other, cosine) of pairs of these memories that mean nearly the same."""
        ...

    def entities(self, ns: Sequence[int]) -> list[tuple[int, int]]:
        """List (memory, entity) for every entity that these memories, by number, speak of."""
        ...

    def occasions(self, ns: Sequence[int]) -> list[StatementOccasion]:
        """List the occasions on which these memories, by number, were stated.

        A memory without a turn counts as stated on its day, by its channel.
        """
        ...

    def user_statement_times(self, ns: Sequence[int]) -> list[tuple[int, int, int | None]]:
        """List (memory, UTC epoch ms, UTC offset) for each time the user spoke of one of these.

        If a wording says when it happened, that time is given instead.
        """
        ...

    def list_derived(self, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of derived memories beyond a number, whatever their status is now."""
        ...

    def sources(self, ids: Sequence[str]) -> list[DerivationSource]:
        """List the memories that these were derived from, in any of their wordings."""
        ...

    def list_changed(self, ids: Sequence[str]) -> list[ChangedSource]:
        """List sources of derived memories and episodes that have changed since these were written.

        An episode's sources are the memories concluded from its turns. A correction made in the
        same turns is no change for it.
        """
        ...

    def list_changed_in(
        self, session_n: int, first_index: int, last_index: int
    ) -> list[ChangedSource]:
        """List memories concluded from these turns of a session that have changed since.

        `derived_id` is empty in these: the turns may not have been summed up yet.
        """
        ...
