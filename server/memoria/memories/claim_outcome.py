"""Outcome of a claim, for whoever made it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memoria.model import Memory, MemoryChange, RelatedStatement

ClaimAction = Literal["ADD", "UPDATE", "evidence", "known", "restored", "past", "pending"]


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """Outcome of a claim."""

    action: ClaimAction
    memory_id: str
    """The memory that says it now."""
    supersedes: tuple[Memory, ...] = ()
    """The memories whose place it took, as they were before."""
    contradicts: tuple[Memory, ...] = ()
    """The memories that cannot be true together with it."""
    superseded_by: Memory | None = None
    """The memory that says what holds since, where the claim is of an earlier time."""
    is_echo: bool = False
    """True if an assistant or a tool only repeated what the user had said."""

    def describe_successor(self) -> RelatedStatement | None:
        """Return the statement that holds since, where the claim is of an earlier time."""
        return None if self.superseded_by is None else _to_statement(self.superseded_by)

    def describe_change(self, content: str) -> MemoryChange | None:
        """Describe the effect on known memories, for a receipt; None if there is none."""
        if not (self.supersedes or self.contradicts):
            return None
        return MemoryChange(
            id=self.memory_id,
            content=content,
            supersedes=_to_statements(self.supersedes),
            contradicts=_to_statements(self.contradicts),
        )


def _to_statements(memories: Iterable[Memory]) -> tuple[RelatedStatement, ...]:
    return tuple(map(_to_statement, memories))


def _to_statement(memory: Memory) -> RelatedStatement:
    return RelatedStatement(id=memory.id, content=memory.content)
