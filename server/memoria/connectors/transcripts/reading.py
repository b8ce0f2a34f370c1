"""A pass over a transcript: what it holds until a later line, above all open tool calls.

A transcript has a tool's call in one line and the result in a later one; both become one turn, at
the place of the result. A call that is never answered is a turn without a result, and when a longer
transcript brings the result, that turn gets a new version.

Memory is bounded: past a thousand calls or sixteen megabytes of them, the call that has waited
longest goes in without a result, and its result is then a turn of its own. Both depend on nothing
but the lines before, so a repeated import comes to the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.transcripts.base import (
    TranscriptItem,
    TranscriptPosition,
    TranscriptTurn,
    guard,
    read_each,
)
from memoria.connectors.transcripts.messages import block_text, blocks, obj, text
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, UnusableLine
from memoria.model import Role

_MOST_CALLS = 1_000
_MOST_BYTES = 16 * 1024 * 1024


class OpenCalls:
    """The calls of one transcript that have no result yet, oldest first."""

    def __init__(self) -> None:
        self._open: dict[str, TranscriptTurn] = {}
        self._bytes = 0

    def open_call(
        self,
        place: TranscriptPosition,
        call_id: str,
        name: JsonValue,
        arguments: JsonValue,
        own_id: str | None = None,
    ) -> Iterator[TranscriptTurn | UnusableLine]:
        """Note a tool's call. Yield calls that can't wait for results any longer.

        The turn's own id is the call's, unless `own_id` is given as the call's may come again.
        """
        called = {"tool_name": text(name), "tool_args": arguments}
        call = place.turn(Role.TOOL, message_id=own_id or call_id, **called)
        if isinstance(call, UnusableLine):
            yield call
            return
        self._take(call_id)
        self._open[call_id] = call
        self._bytes += call.size
        while len(self._open) > _MOST_CALLS or self._bytes > _MOST_BYTES:
            oldest = self._take(next(iter(self._open)))
            if oldest is not None:
                yield oldest

    def close_call(
        self, call_id: str, place: TranscriptPosition, result: JsonValue
    ) -> TranscriptTurn | UnusableLine:
        """Return the call with its result; without an open call, a turn of the result's own."""
        call = self._take(call_id)
        if call is None:
            own_id = f"{call_id}.result"
            return place.turn(Role.TOOL, message_id=own_id, tool_result=result)
        turn = call.turn.model_copy(update={"tool_result": result})
        return replace(call, turn=turn, size=call.size + place.size)

    def remaining_calls(self) -> Iterator[TranscriptTurn]:
        """Yield the calls that were never answered, at the end of the transcript."""
        yield from self._open.values()

    @property
    def message_ids(self) -> dict[str, str]:
        """Message ids of the open calls, by the ids of the calls."""
        return {call_id: call.turn.message_id or "" for call_id, call in self._open.items()}

    @property
    def lines(self) -> set[int]:
        """Lines of the open calls."""
        return {call.line for call in self._open.values()}

    def keep(self, message_ids: Mapping[str, str]) -> None:
        """Drop the open calls that have no message id here; give all others these message ids."""
        for call_id in [*self._open]:
            if call_id not in message_ids:
                self._take(call_id)
                continue
            call = self._open[call_id]
            turn = call.turn.model_copy(update={"message_id": message_ids[call_id]})
            self._open[call_id] = replace(call, turn=turn)

    def _take(self, call_id: str) -> TranscriptTurn | None:
        call = self._open.pop(call_id, None)
        self._bytes -= 0 if call is None else call.size
        return call


def read_call_blocks(
    place: TranscriptPosition, content: Iterable[JsonObject], calls: OpenCalls
) -> Iterator[TranscriptTurn | UnusableLine]:
    """Yield the turns of the tool calls that a message's blocks begin or end."""
    for block in content:
        if block.get("type") == "tool_use":
            call_id = text(block.get("id")) or f"{place.message_id}.call"
            yield from calls.open_call(place, call_id, block.get("name"), block.get("input", {}))
        elif block.get("type") == "tool_result":
            call_id = text(block.get("tool_use_id")) or place.message_id
            yield calls.close_call(call_id, place, _read_result(block))


def _read_result(block: JsonObject) -> JsonValue:
    told = block.get("content")
    if not isinstance(told, str):
        told = "\n".join(block_text(part, ("text",)) for part in blocks(told))
    return {"is_error": True, "content": told} if block.get("is_error") else told


class TranscriptReading:
    """Pass over a file that can stop after any line and go on later."""

    def __init__(self, session: str, _path: Path) -> None:
        """Begin at the first line, in the session of lines that name none."""
        self._session = session
        self._cwd: str | None = None
        self._calls = OpenCalls()

    def read_line(self, record: Record) -> Iterator[TranscriptItem]:
        """Read the next line."""
        raise NotImplementedError

    def pause(self) -> Iterator[TranscriptItem]:
        """Yield what is complete while no more lines are written. Open calls stay open."""
        yield from ()

    def finish(self) -> Iterator[TranscriptItem]:
        """Yield what is still open, as it is now."""
        yield from self._calls.remaining_calls()

    @property
    def open_lines(self) -> set[int]:
        """Lines that have to be read again when the pass goes on: those of open calls."""
        return self._calls.lines

    def dump(self) -> JsonObject:
        """Return what else the pass needs to go on: no word of the conversation."""
        calls = dict[str, JsonValue](self._calls.message_ids)
        return {"session": self._session, "cwd": self._cwd, "calls": calls}

    def load(self, dumped: JsonObject) -> None:
        """Go on from what `dump` gave; the open lines were read again."""
        self._session = text(dumped.get("session")) or self._session
        self._cwd = text(dumped.get("cwd")) or self._cwd
        self._calls.keep({k: text(v) or k for k, v in obj(dumped.get("calls")).items()})


def read_with(
    begin: Callable[[str, Path], TranscriptReading],
) -> Callable[[TranscriptSource], Iterator[TranscriptItem]]:
    """Return a reader that makes one pass over a whole file."""

    def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
        reading = begin(source.session, source.path)
        yield from read_each(source, source.records(), reading.read_line)
        yield from guard(None, lambda last: last.finish(), reading)

    return read
