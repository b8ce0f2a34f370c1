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
    """UTC epoch ms."""


class TranscriptPlaces(Protocol):
    """How far each transcript has been taken in."""

    def get(self, source: str, path: str) -> TranscriptPlace | None:
        """That of one file."""
        ...

    def set(self, place: TranscriptPlace) -> None:
        """Note how far it is now."""
        ...
