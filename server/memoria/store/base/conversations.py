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
        """The session, made if it is new, its span widened to these event times.

        A session stays in the workspace it began in.
        """
        ...

    def find_message(self, session_n: int, message_id: str) -> TurnVersion | None:
        """The newest version of a message."""
        ...

    def find_fingerprint(self, session_n: int, fingerprint: bytes) -> str | None:
        """The id of the newest current turn with this fingerprint."""
        ...

    def last_fingerprints(self, session_n: int, count: int) -> list[bytes]:
        """Fingerprints of the last current turns, oldest first."""
        ...

    def first_fingerprints(self, session_n: int, count: int) -> list[bytes]:
        """Fingerprints of the first current turns, oldest first."""
        ...

    def add_turn(self, turn: NewTurn) -> int:
        """Write a turn with its chunks, index row and backlog entry. Gives its number."""
        ...

    def retire_turn(self, n: int) -> None:
        """Mark a version as no longer current."""
        ...

    def suppress_turn(self, turn: StoredTurn) -> None:
        """Let nothing be concluded from a message any more, whichever version of it."""
        ...

    def erase_turn(self, turn: StoredTurn) -> list[MessageName]:
        """Erase a message in all its versions, with every text no other turn shares.

        Gives what they were known by. What was embedded with it is embedded anew.
        """
        ...

    def erase_turns(self, turns: Sequence[StoredTurn]) -> dict[int, list[MessageName]]:
        """Erase messages as `erase_turn` does. Gives what they were known by, by turn number."""
        ...

    def extend_segment(self, turn: NewTurn, limits: SegmentLimits) -> list[ClosedSegment]:
        """Add a turn to the session's open segment, or begin one where that is at its limits.

        Gives what that closed: one segment or none.
        """
        ...

    def close_segment(self, session_id: str, source: str, reason: str) -> list[ClosedSegment]:
        """Close the session's open segment. Gives it, if there was one."""
        ...

    def close_idle_segments(
        self, touched_before: int, most: int | None = None
    ) -> list[ClosedSegment]:
        """Close what nobody has added to since, or so much of it. Gives what was closed."""
        ...

    def close_past_segments(self, said_before: int) -> list[ClosedSegment]:
        """Close what nobody has said anything in since. Gives what was closed."""
        ...

    def list_unqueued_segments(self, limit: int) -> list[ClosedSegment]:
        """Closed segments that never were put into the extraction queue, oldest first."""
        ...

    def turns(self, ns: Sequence[int]) -> dict[int, StoredTurn]:
        """Turns by number."""
        ...

    def turn(self, turn_id: str) -> StoredTurn | None:
        """A turn by id."""
        ...

    def find_turn(self, source: str, session_id: str, message_id: str) -> StoredTurn | None:
        """The newest version of a message, by the names that its source gives it."""
        ...

    def turn_versions(self, turn: StoredTurn) -> list[StoredTurn]:
        """All versions at the turn's place, newest first."""
        ...

    def list_positions(self, ns: Sequence[int], reach: int) -> list[TurnPosition]:
        """Where the turns stand, and those up to `reach` places around them."""
        ...

    def speaker_at(self, session_n: int, turn_index: int) -> str | None:
        """Who says the turn at a place of a session; None where nobody does, or without a name."""
        ...

    def list_user_speakers(self) -> list[UserSpeaker]:
        """Who has spoken with the role `user` under a name, in the order they first spoke."""
        ...

    def remarks(self, ns: Sequence[int]) -> dict[int, Remark]:
        """Who said the turns and when, with what was said, but not what their tools did."""
        ...

    def neighbours(self, session_n: int, turn_index: int, reach: int) -> list[StoredTurn]:
        """The current turns up to `reach` places on either side, in order, without the one."""
        ...

    def user_turns_beside(
        self, ns: Sequence[int]
    ) -> dict[int, tuple[StoredTurn | None, StoredTurn | None]]:
        """By turn the user's nearest turns before it in its session, and after it."""
        ...

    def list_span(self, session_n: int, first_index: int, last_index: int) -> list[StoredTurn]:
        """A session's current turns from one place to another, in order."""
        ...

    def list_unread(self, workspace: str | None, limit: int) -> list[StoredTurn]:
        """The newest current turns that nobody has read, of a workspace and of none."""
        ...

    def list_unread_of(self, session_n: int, first_index: int, limit: int) -> list[StoredTurn]:
        """A session's current turns from one place on that nobody has read, in order."""
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
        """Those of the turns that somebody has read and concluded nothing from."""
        ...

    def mark(self, n: int, mark: Mark | None) -> None:
        """Note what kind of thing a turn says; None for whoever looks next to tell.

        It stays a turn: nothing is concluded from it.
        """
        ...

    def list_wishes(self, limit: int) -> list[StoredTurn]:
        """The newest current turns that are marked as wishes, the newest first."""
        ...

    def list_unmarked(self, limit: int) -> list[StoredTurn]:
        """Turns that nobody has looked at for a mark, the oldest first."""
        ...

    def count_unmarked(self) -> int:
        """How many turns nobody has looked at for a mark."""
        ...

    def session_turns(self, session_id: str, offset: int, limit: int) -> list[StoredTurn]:
        """A session's current turns in order."""
        ...

    def session_size(self, session_id: str) -> int:
        """How many current turns a session has."""
        ...

    def list_segments(self, session_id: str) -> list[Segment]:
        """A session's segments in order."""
        ...
