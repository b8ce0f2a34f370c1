"""A log of a line an event, of which nothing has to wait for the next line but an open call."""

from collections.abc import Iterator

from pydantic import JsonValue

from memoria.connectors.transcripts.base import TranscriptItem, TranscriptPosition
from memoria.connectors.transcripts.messages import OpenCalls, obj, text
from memoria.connectors.transcripts.source import JsonObject, Record


class EventLogReading:
    """One pass over such a log, which can be gone on with after any line."""

    def __init__(self, session: str) -> None:
        """Begin at the first line.

        Args:
            session: whose lines they are until one says it.
        """
        self._session = session
        self._cwd: str | None = None
        self._calls = OpenCalls()

    def finish(self) -> Iterator[TranscriptItem]:
        """Calls that were never answered."""
        yield from self._calls.remaining_calls()

    def pause(self) -> Iterator[TranscriptItem]:
        """Nothing more: calls may be answered."""
        yield from ()

    @property
    def open_lines(self) -> set[int]:
        """Those of calls without a result."""
        return self._calls.lines

    def dump(self) -> JsonObject:
        """Session, its folder, and the calls that are open."""
        calls = dict[str, JsonValue](self._calls.message_ids)
        return {"session": self._session, "cwd": self._cwd, "calls": calls}

    def load(self, dumped: JsonObject) -> None:
        """Go on from there."""
        self._session = text(dumped.get("session")) or self._session
        self._cwd = text(dumped.get("cwd")) or self._cwd
        self._calls.keep({k: text(v) or k for k, v in obj(dumped.get("calls")).items()})

    def _place(self, record: Record, message_id: str | None) -> TranscriptPosition:
        """Return the position of an event, under an id of the client's or one of ours."""
        return TranscriptPosition(
            line=record.line,
            size=record.size,
            session_id=self._session,
            message_id=message_id or record.own_id,
            at=record.value.get("timestamp"),
            cwd=self._cwd,
        )
