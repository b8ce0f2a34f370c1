"""What files for people are made of, and what was last written into them."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model.day import ClosedSession, DayNotes, GeneratedFile


class Days(Protocol):
    """A tenant's days and closed conversations."""

    def list_closed_sessions(self, since: int, after: int, limit: int) -> list[ClosedSession]:
        """Conversations with no open segment, taken up since, beyond a number, in order."""
        ...

    def get_closed_session(self, session_n: int) -> ClosedSession | None:
        """One of them; None where it goes on."""
        ...

    def next_activity_at(self, at: int) -> int | None:
        """When next something was said, learnt or put aside, from a moment on."""
        ...

    def list_episode_ends(self, turn_ns: Sequence[int]) -> list[int]:
        """When the segments ended that have an episode over one of these turns."""
        ...

    def notes(self, begin: int, end: int) -> DayNotes:
        """What happened from one moment to before another, UTC epoch ms."""
        ...


class GeneratedFileRecords(Protocol):
    """What nightly maintenance wrote last into a tenant's files."""

    def all(self) -> list[GeneratedFile]:
        """Every file."""
        ...

    def get(self, path: str) -> GeneratedFile | None:
        """What was last written at a place."""
        ...

    def put(self, file: GeneratedFile) -> None:
        """Note what is written at a place."""
        ...

    def drop(self, path: str) -> None:
        """Note that nothing is written there any more."""
        ...

    def forget(self, path: str) -> None:
        """Drop it, and every digest of what ever stood there: no undoing brings it back."""
        ...
