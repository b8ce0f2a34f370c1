"""How far the transcripts of clients have been taken in."""

from typing import NamedTuple, Protocol


class TranscriptPlace(NamedTuple):
    """How far a transcript has been taken in."""

    source: str
    path: str
    session_id: str
    offset: int
    """Bytes."""
    place: str
    """What its reader has to know to go on from there: JSON, without a word of the conversation."""
    touched_at: int
    """UTC epoch ms; as a negative number once the session has ended."""


class TranscriptPlaces(Protocol):
    """How far each transcript has been taken in."""

    def get(self, source: str, path: str) -> TranscriptPlace | None:
        """That of one file."""
        ...

    def list_live_sessions(self, source: str, workspace: str | None, since: int) -> list[str]:
        """The sessions of a project that a client's hooks have told of since then; two at most.

        Those that have ended are left out.
        """
        ...

    def list_recent(self, since: int, limit: int) -> list[TranscriptPlace]:
        """Those touched since then, ended or not, newest first."""
        ...

    def set(self, place: TranscriptPlace) -> None:
        """Note how far it is now."""
        ...
