"""Evidence: the turns a memory rests on, and the log of what was done to it."""

from memoria.model.base import Value
from memoria.model.turn import Role


class Evidence(Value):
    """A turn that a memory rests on, and the words there."""

    turn_id: str
    source: str
    """Owner of the session's id: the client, or the channel where it has no name."""
    session_id: str
    message_id: str | None
    turn_index: int
    role: Role
    speaker: str | None
    at: int
    """Time it was said, UTC epoch ms."""
    quote: str | None
    version: int | None
    """The version that was concluded from it; None where it repeats what was known."""
    noted_at: int
    """Time it was concluded from, UTC epoch ms."""


class AuditEntry(Value):
    """A line of the append-only log: what was done, by which channel and when."""

    at: int
    channel: str
    client: str | None
    action: str
    detail: str | None


class LoggedAction(AuditEntry):
    """A line of the log with its subject's id."""

    subject: str

    @property
    def by(self) -> str:
        """The way in, in words."""
        from memoria.model.channel import Channel  # noqa: PLC0415  (a channel imports this package)
        from memoria.model.memory import Trust  # noqa: PLC0415

        return Channel(name=self.channel, trust=Trust.REPORTED, client=self.client).description
