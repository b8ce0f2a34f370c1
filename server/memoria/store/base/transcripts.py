"""Places up to which the transcripts of clients have been taken in."""

from typing import NamedTuple, Protocol


class TranscriptPlace(NamedTuple):
    """The place up to which a transcript has been taken in."""

    source: str
    path: str
    session_id: str
    offset: int
    """Bytes."""
    place: str
    """State with which its reader goes on from there: JSON, without a word of the conversation."""
    touched_at: int
    """UTC epoch ms; as a negative number once the session has ended."""


class TranscriptPlaces(Protocol):
    """The place in each transcript up to which it has been taken in."""

    def get(self, source: str, path: str) -> TranscriptPlace | None:
        """Return the place in one file; None if the file is not known."""
        ...

    def list_live_sessions(self, source: str, workspace: str | None, since: int) -> list[str]:
        """List the sessions of a project that a client's hooks have told of since; two at most.

        Those that have ended are left out.
        """
        ...

    def list_recent(self, since: int, limit: int) -> list[TranscriptPlace]:
        """List the places touched since then, ended or not, newest first."""
        ...

    def set(self, place: TranscriptPlace) -> None:
        """Write the place of a transcript."""
        ...
