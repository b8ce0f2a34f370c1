"""Matter of the files for people, and records of what was last written into them."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model.day import ClosedSession, DayNotes, GeneratedFile
from memoria.model.zone import LocalDay


class Days(Protocol):
    """A tenant's days and closed conversations."""

    def list_closed_sessions(self, since: int, after: int, limit: int) -> list[ClosedSession]:
        """List closed conversations taken up since a time, with numbers beyond `after`."""
        ...

    def get_closed_session(self, session_n: int) -> ClosedSession | None:
        """Return a closed conversation; None if it goes on."""
        ...

    def next_activity_at(self, at: int) -> int | None:
        """Return when next, from a moment on, something was said, learnt or put aside."""
        ...

    def list_episode_ends(self, turn_ns: Sequence[int]) -> list[tuple[int, int | None]]:
        """List (time, UTC offset) of the ends of segments whose episode covers one of the turns."""
        ...

    def notes(self, day: LocalDay) -> DayNotes:
        """Collect the events of a day.

        What was said by a clock of its own is of that clock's day; the rest lies between the
        midnights of `day`.
        """
        ...


class GeneratedFileRecords(Protocol):
    """Records of what nightly maintenance last wrote into a tenant's files."""

    def all(self) -> list[GeneratedFile]:
        """List every file."""
        ...

    def get(self, path: str) -> GeneratedFile | None:
        """Return the record of a file; None if nothing is recorded for the path."""
        ...

    def put(self, file: GeneratedFile) -> None:
        """Record a file as written."""
        ...

    def drop(self, path: str) -> None:
        """Drop the record of a file."""
        ...

    def forget(self, path: str) -> None:
        """Drop the record of a file and all digests of its contents: no undo restores it."""
        ...
