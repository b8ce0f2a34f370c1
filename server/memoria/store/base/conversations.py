"""Conversations: sessions, their turns and segments."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from memoria.model import (
    Segment,
    Session,
    StoredTurn,
    UserSpeaker,
)
from memoria.model.turn import Mark
from memoria.store.positions import TurnPosition
from memoria.store.remark import Remark
from memoria.store.values import (
    ClosedSegment,
    MessageName,
    NewTurn,
    SegmentLimits,
    TurnVersion,
)


class Conversations(Protocol):
    """Sessions, their turns and segments."""

    def upsert_session(
        self,
        source: str,
        session_id: str,
        first_at: int,
        last_at: int,
        now: int,
        workspace: str | None = None,
    ) -> Session:
        """Return the session, made if it is new, its span widened to these event times.

        A session stays in the workspace it began in.
        """
        ...

    def find_message(self, session_n: int, message_id: str) -> TurnVersion | None:
        """Return the newest version of a message; None if there is no such message."""
        ...

    def find_fingerprint(self, session_n: int, fingerprint: bytes) -> str | None:
        """Return the id of the newest current turn with this fingerprint."""
        ...

    def last_fingerprints(self, session_n: int, count: int) -> list[bytes]:
        """List the fingerprints of the last current turns, oldest first."""
        ...

    def first_fingerprints(self, session_n: int, count: int) -> list[bytes]:
        """List the fingerprints of the first current turns, oldest first."""
        ...

    def add_turn(self, turn: NewTurn) -> int:
        """Write a turn with its chunks, index row and backlog entry, and return its number."""
        ...

    def retire_turn(self, n: int) -> None:
        """Mark a version as no longer current."""
        ...

    def suppress_turn(self, turn: StoredTurn) -> None:
        """Mark all versions of a message so that nothing is concluded from it any more."""
        ...

    def erase_turn(self, turn: StoredTurn) -> list[MessageName]:
        """Erase a message in all its versions, with every text no other turn shares.

        Turns that were embedded with it are embedded anew. Returns the keys it was recognised by.
        """
        ...

    def erase_turns(self, turns: Sequence[StoredTurn]) -> dict[int, list[MessageName]]:
        """Erase messages as `erase_turn` does, and map each to the keys it was recognised by."""
        ...

    def extend_segment(self, turn: NewTurn, limits: SegmentLimits) -> list[ClosedSegment]:
        """Add a turn to the session's open segment, or begin one where that is at its limits.

        Returns the segment that this closed, if any.
        """
        ...

    def close_segment(self, session_id: str, source: str, reason: str) -> list[ClosedSegment]:
        """Close the session's open segment; return it, if there was one."""
        ...

    def close_idle_segments(
        self, touched_before: int, most: int | None = None
    ) -> list[ClosedSegment]:
        """Close segments that nobody has added to since a time, `most` of them, and return them."""
        ...

    def close_past_segments(self, said_before: int) -> list[ClosedSegment]:
        """Close segments in which nothing was said since a time, and return them."""
        ...

    def list_unqueued_segments(self, limit: int) -> list[ClosedSegment]:
        """List closed segments that never were put into the extraction queue, oldest first."""
        ...

    def turns(self, ns: Sequence[int]) -> dict[int, StoredTurn]:
        """Map numbers to turns; those that do not exist are missing."""
        ...

    def turn(self, turn_id: str) -> StoredTurn | None:
        """Return a turn by id; None if there is none."""
        ...

    def find_turn(self, source: str, session_id: str, message_id: str) -> StoredTurn | None:
        """Return the newest version of a message, by the names that its source gives it."""
        ...

    def turn_versions(self, turn: StoredTurn) -> list[StoredTurn]:
        """List all versions at the turn's place, newest first."""
        ...

    def list_positions(self, ns: Sequence[int], reach: int) -> list[TurnPosition]:
        """List the positions of turns, and of those up to `reach` places around them."""
        ...

    def speaker_at(self, session_n: int, turn_index: int) -> str | None:
        """Return the speaker of the turn at a place; None if there is no turn, or no name."""
        ...

    def list_user_speakers(self) -> list[UserSpeaker]:
        """List the names that have spoken with the role `user`, in the order they first spoke."""
        ...

    def remarks(self, ns: Sequence[int]) -> dict[int, Remark]:
        """Map turns to their speakers, times and texts; tool calls are left out."""
        ...

    def neighbours(self, session_n: int, turn_index: int, reach: int) -> list[StoredTurn]:
        """List the current turns up to `reach` places on either side of a place, in order."""
        ...

    def user_turns_beside(
        self, ns: Sequence[int]
    ) -> dict[int, tuple[StoredTurn | None, StoredTurn | None]]:
        """Map each turn to the user's nearest turns before it in its session, and after it."""
        ...

    def list_span(self, session_n: int, first_index: int, last_index: int) -> list[StoredTurn]:
        """List a session's current turns from one place to another, in order."""
        ...

    def list_unread(self, workspace: str | None, limit: int) -> list[StoredTurn]:
        """List the newest current turns that nobody has read, of a workspace and of none."""
        ...

    def list_unread_of(self, session_n: int, first_index: int, limit: int) -> list[StoredTurn]:
        """List a session's current turns from one place on that nobody has read, in order."""
        ...

    def mark_processed(self, turns: Iterable[StoredTurn]) -> None:
        """Mark turns as read and spoken for by a memory: the first level shows them no more."""
        ...

    def pass_over(self, ns: Iterable[int]) -> None:
        """Note that somebody has read turns and concluded nothing from them.

        They are unread no more, and the first level shows them as before: no memory has taken
        their place.
        """
        ...

    def list_passed_over(self, ns: Sequence[int]) -> set[int]:
        """Select the turns that somebody has read and concluded nothing from."""
        ...

    def mark(self, n: int, mark: Mark | None) -> None:
        """Set the mark that says what kind of thing a turn says; None lets the next look tell.

        It stays a turn: nothing is concluded from it.
        """
        ...

    def list_wishes(self, limit: int) -> list[StoredTurn]:
        """List the newest current turns that are marked as wishes, the newest first."""
        ...

    def list_unmarked(self, limit: int) -> list[StoredTurn]:
        """List turns that nobody has looked at for a mark, the oldest first."""
        ...

    def count_unmarked(self) -> int:
        """Count the turns that nobody has looked at for a mark."""
        ...

    def session_turns(self, session_id: str, offset: int, limit: int) -> list[StoredTurn]:
        """List a session's current turns in order."""
        ...

    def session_size(self, session_id: str) -> int:
        """Count the current turns of a session."""
        ...

    def list_segments(self, session_id: str) -> list[Segment]:
        """List a session's segments in order."""
        ...
