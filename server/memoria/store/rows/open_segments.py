"""Open segments: the part of a session that goes on, or ends after a pause or when it is full."""

from typing import NamedTuple

from memoria.model import Role, now_millis
from memoria.store.sql.statements import TenantRows
from memoria.store.values import ClosedSegment, NewTurn, SegmentLimits

_SPOKEN = (Role.USER, Role.ASSISTANT)


class _OpenSegment(NamedTuple):
    first_index: int
    last_index: int
    messages: int
    last_at: int


class OpenSegments:
    """The open segments of a tenant's sessions, one each, as far as a transaction has met them."""

    def __init__(self, rows: TenantRows) -> None:
        """Bind to the statements about conversations."""
        self._rows = rows
        self._known: dict[int, _OpenSegment | None] = {}

    def expect(self, session_n: int) -> None:
        """Prepare for turns of a session: its segment is read with what is read next."""
        if session_n not in self._known:
            self._rows.ask_ahead("open_segment", session_n=session_n)

    def forget(self) -> None:
        """Drop what is known, as segments are closed in another way."""
        self._known.clear()

    def extend(self, turn: NewTurn, limits: SegmentLimits) -> list[ClosedSegment]:
        """Add a new turn to the session's open segment, or to a new one if that is over.

        Returns the segments that this has closed, one at most.
        """
        n, at, index = turn.session_n, turn.at, turn.turn_index
        said = int(turn.role in _SPOKEN)
        place = {"session_n": n, "turn_index": index, "at": at, "message": said}
        now = now_millis()
        known = self._read(n)
        reason = None if known is None else _find_end(known, turn, limits)
        if known is not None and reason is None:
            self._rows.send("extend_segment", **place, now=now)
            last, ended = max(known.last_index, index), max(known.last_at, at)
            self._known[n] = _OpenSegment(known.first_index, last, known.messages + said, ended)
            return []
        if reason is not None:
            self._rows.send("end_segment", session_n=n, reason=reason, now=now)
        self._rows.send("begin_segment", **place, now=now)
        self._known[n] = _OpenSegment(index, index, said, at)
        if known is None or reason is None:
            return []
        return [ClosedSegment(n, known.first_index, known.last_index, reason)]

    def _read(self, session_n: int) -> _OpenSegment | None:
        if session_n not in self._known:
            row = self._rows.first("open_segment", session_n=session_n)
            self._known[session_n] = None if row is None else _OpenSegment(*row)
        return self._known[session_n]


def _find_end(segment: _OpenSegment, turn: NewTurn, limits: SegmentLimits) -> str | None:
    """Return why a segment is over before a turn; None if the turn belongs to it."""
    if turn.at - segment.last_at > limits.idle_ms:
        return "idle"
    is_full = segment.messages >= limits.messages and turn.role is Role.USER
    return "overflow" if is_full else None
