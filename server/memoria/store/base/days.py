"""What files for people are made of, and what was last written into them."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model.day import ClosedSession, DayNotes, GeneratedFile
from memoria.model.zone import LocalDay


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

    def list_episode_ends(self, turn_ns: Sequence[int]) -> list[tuple[int, int | None]]:
        """When the segments ended that have an episode over one of these turns: (at, offset)."""
        ...

    def notes(self, day: LocalDay) -> DayNotes:
        """What happened on a day.

        What was said by a clock of its own is of that clock's day; the rest lies between the
        midnights of `day`.
        """
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
