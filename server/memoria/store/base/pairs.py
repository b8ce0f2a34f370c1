"""Pairs: memories that may say the same, and what becomes of two that do."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class SimilarWordings(NamedTuple):
    """Two memories whose present wordings mean nearly the same, and the edge that says so."""

    edge: tuple[int, int]
    """The nodes it binds: where to go on reading."""
    one: int
    """The present wording of one of them, by number."""
    other: int
    cosine: float


class ActiveWording(NamedTuple):
    """The present wording of an active memory."""

    n: int
    content: str
    changed: bool
    """Whether the memory was changed since the moment that was asked for."""
    scope: tuple[str, int | None]
    """Its type and workspace: what differs in that is never one."""


class Pairs(Protocol):
    """Pairs of a tenant's memories.

    Episodes and concepts are none of them, nor is what is under review.
    Two of which one was merged into the other before, and taken back out by the user, are no pair.
    """

    def list_similar(
        self, since: int | None, after: tuple[int, int], least: float, limit: int
    ) -> list[SimilarWordings]:
        """Active memories of one kind and place that are alike and were not ruled upon.

        Args:
            since: only such as were changed, or found to be alike, after this; None for all.
            after: the edge after which to go on.
            least: the least cosine.
            limit: how many at most, in the order of their edges.
        """
        ...

    def list_wordings(self, since: int, after: int, limit: int) -> list[ActiveWording]:
        """The present wordings of active memories beyond a number, in order."""
        ...

    def has_changes(self, since: int) -> bool:
        """Whether an active memory was changed after a moment."""
        ...

    def merge_targets(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Of these memories, those that were merged into another: id to id."""
        ...

    def list_successions(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """(memory, successor) of those that another of these memories has replaced."""
        ...

    def list_merged_into(self, memory_id: str) -> list[str]:
        """Ids of what was merged into a memory and was not taken back out by the user."""
        ...

    def copy_evidence(self, memory_id: str, other_id: str, limit: int) -> int:
        """Let a memory rest on another's turns as well: its wording's and some of the rest.

        Gives how many were new.
        """
        ...

    def absorb(self, memory_id: str, other_id: str, trust: str, confidence: float) -> None:
        """Give a memory the importance and subject of another, and set how sure it is.

        Args:
            memory_id: which.
            other_id: the one whose importance it has from now on, where that is more, and whose
                subject, where it has none.
            trust: how far the channel of its present wording vouches for it from now on.
            confidence: how sure it is from now on.
        """
        ...

    def note_merged(self, memory_id: str, other_id: str) -> None:
        """Note that a memory was merged into another."""
        ...

    def list_distinct(self, n: int) -> list[int]:
        """The present wordings of what is alike to a memory and was found to be another matter.

        Args:
            n: the present wording of the memory.
        """
        ...

    def mark_distinct(self, memory_id: str, other_id: str) -> None:
        """Note that a model has looked at two memories that are alike and found them to be two."""
        ...
