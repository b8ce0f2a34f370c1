"""What is drawn from memories: what they are bound by, and what a night has made of them."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class DerivationCandidate(NamedTuple):
    """An active memory that something may be drawn from."""

    n: int
    id: str
    wording: int
    """Its present wording, by number."""
    content: str
    type: str
    scope: tuple[int | None, str | None]
    """Its workspace and task: nothing is drawn from memories that differ in that."""
    subject: str | None
    predicate: str | None
    confidence: float
    updated_at: int


class StatementOccasion(NamedTuple):
    """Where a memory was said: once for each conversation and each who said it there."""

    memory_n: int
    conversation: str
    source: str


class DerivationSource(NamedTuple):
    """A memory that another was drawn from, or the one it was merged into."""

    derived_id: str
    n: int
    id: str
    is_current: bool
    """Whether the present wording was drawn from it, and not only a former one."""
    is_valid: bool
    """Whether it counts and says what it said then."""


class Derivations(Protocol):
    """A tenant's memories as what others are drawn from, and those a night drew."""

    def list_candidates(self, after: int, limit: int) -> list[DerivationCandidate]:
        """Active memories beyond a number that something may be drawn from, in order.

        What is under review, counts for some time only, sums up others or was drawn itself is none.
        """
        ...

    def similar_pairs(self, ns: Sequence[int]) -> list[tuple[int, int, float]]:
        """Of these memories, by number: (one, other, cosine) of what means nearly the same."""
        ...

    def entities(self, ns: Sequence[int]) -> list[tuple[int, int]]:
        """Of these memories, by number: (memory, entity) of whatever they speak of."""
        ...

    def occasions(self, ns: Sequence[int]) -> list[StatementOccasion]:
        """Of these memories, by number: where they were said.

        One that rests on no turn was said on its day, by its channel.
        """
        ...

    def user_statement_times(self, ns: Sequence[int]) -> list[tuple[int, int]]:
        """Of these memories, by number: (memory, UTC epoch ms) of each time the user told of it.

        Where a wording says when it happened, that counts, and not when it was said.
        """
        ...

    def list_derived(self, after: int, limit: int) -> list[tuple[int, str]]:
        """(number, id) of what nights drew, beyond a number, whatever became of it since."""
        ...

    def sources(self, ids: Sequence[str]) -> list[DerivationSource]:
        """Which memories these were drawn from, in any of their wordings."""
        ...

    def has_unseen_turns(self, memory_id: str, source_ids: Sequence[str]) -> bool:
        """Whether these memories rest on a turn that what was drawn from them does not."""
        ...
