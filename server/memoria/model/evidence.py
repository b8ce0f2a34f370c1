"""Evidence: the turns a memory rests on, and the log of what was done to it."""

from typing import Annotated

from memoria.model.base import Shown, Value
from memoria.model.instant import Moment
from memoria.model.turn import Role


class Evidence(Value):
    """A turn that a memory rests on, and the words there."""

    turn_id: str
    source: Annotated[str, Shown("client")]
    """Owner of the session's id: the client, or the channel where it has no name."""
    session_id: str
    turn_index: int
    role: Role
    at: Moment
    """Time it was said."""
    noted_at: Moment
    """Time it was concluded from."""
    message_id: str | None
    speaker: str | None
    quote: str | None
    version: int | None
    """The version that was concluded from it; None where it repeats what was known."""


class AuditEntry(Value):
    """A line of the append-only log: what was done, by which channel and when."""

    at: Moment
    action: str
    channel: str
    client: str | None
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
