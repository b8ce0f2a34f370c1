"""Foreign memories: conclusions of other programs, as their sources give them."""

from dataclasses import dataclass

from memoria.model.memory_types import MemoryType
from memoria.model.operation import Mention


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignMemory:
    """A conclusion of another program. Times are UTC epoch milliseconds."""

    key: str
    """Id in the other program."""
    content: str
    at: int
    """Time at which the program wrote it as it is, or at the latest."""
    created_at: int | None = None
    """Time at which the program wrote it first, where that is known."""
    kind: MemoryType = MemoryType.FACT
    author: str | None = None
    """Writer in the other program: a user, an agent, an application."""
    subject: str | None = None
    mentions: tuple[Mention, ...] = ()
    importance: float | None = None
    expires_at: int | None = None
