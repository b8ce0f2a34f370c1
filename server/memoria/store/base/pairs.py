"""Pairs: memories that may say the same, and what becomes of them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class SimilarWordings(NamedTuple):
    """Two memories whose present wordings mean nearly the same, and the edge that says so."""

    edge: tuple[int, int]
    """The nodes it links; pass it as `after` to read on."""
    one: int
    """Number of the present wording of one of them."""
    other: int
    cosine: float


class ActiveWording(NamedTuple):
    """The present wording of an active memory."""

    n: int
    content: str
    changed: bool
    """True if the memory was changed since the moment that was asked for."""
    scope: tuple[str, int | None]
    """Type and workspace: memories that differ in these are never merged."""


class Pairs(Protocol):
    """Pairs of a tenant's memories.

    Episodes, concepts and memories under review are left out, as are two memories that were merged
    and that the user separated again.
    """

    def list_similar(
        self, since: int | None, after: tuple[int, int], least: float, limit: int
    ) -> list[SimilarWordings]:
        """List pairs of active memories of one kind and place that are alike and not yet judged.

        Args:
            since: only pairs that were changed, or found to be alike, after this; None for all.
            after: the edge after which to go on.
            least: the lowest cosine.
            limit: the largest number of pairs, in the order of their edges.
        """
        ...

    def list_wordings(self, since: int, after: int, limit: int) -> list[ActiveWording]:
        """List the present wordings of active memories beyond a number, in order."""
        ...

    def has_changes(self, since: int) -> bool:
        """Check whether an active memory was changed after a moment."""
        ...

    def merge_targets(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Map those of these memories that were merged into another to that one, id to id."""
        ...

    def list_successions(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """List (memory, successor) for those that another of these memories has replaced."""
        ...

    def list_merged_into(self, memory_id: str) -> list[str]:
        """List ids of the memories merged into a memory and not separated again by the user."""
        ...

    def copy_evidence(self, memory_id: str, other_id: str, limit: int) -> int:
        """Add another memory's turns to the evidence of a memory: its wording's, and some others.

        Returns the number of new ones.
        """
        ...

    def absorb(self, memory_id: str, other_id: str, trust: str, confidence: float) -> None:
        """Take over another memory's importance and subject, and set trust and confidence.

        Args:
            memory_id: the memory to change.
            other_id: the one whose importance it gets, if that is greater, and whose subject, if it
                has none.
            trust: new trust of its present wording.
            confidence: new confidence.
        """
        ...

    def note_merged(self, memory_id: str, other_id: str) -> None:
        """Record that a memory was merged into another."""
        ...

    def list_distinct(self, n: int) -> list[int]:
        """List the present wordings of memories alike to one that were found to be another matter.

        Args:
            n: the present wording of the memory.
        """
        ...

    def mark_distinct(self, memory_id: str, other_id: str) -> None:
        """Record that a model has judged two memories that are alike to be two."""
        ...
