"""Tool calls waiting for their results.

A transcript has a call in one line and its result in a later one; together they are one turn, at
the place where the result came. A call that is never answered is a turn without a result, and
when a longer transcript brings the result, that turn gets a new version.

Memory is bounded: past a thousand calls or sixteen megabytes of them, the one that has waited
longest goes in as it is. Its result, like any whose call is not in the file, is then a turn of
its own. Both depend on nothing but the lines before, so a repeated import comes to the same.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pydantic import JsonValue

from memoria.connectors.transcripts.base import TranscriptPosition, TranscriptTurn
from memoria.connectors.transcripts.shapes import block_text, blocks, text
from memoria.connectors.transcripts.source import JsonObject, UnusableLine
from memoria.model import Role

_MOST_CALLS = 1_000
_MOST_BYTES = 16 * 1024 * 1024


class OpenCalls:
    """The calls of one transcript that have no result yet, oldest first."""

    def __init__(self) -> None:
        self._open: dict[str, TranscriptTurn] = {}
        self._bytes = 0

    def open_call(
        self, call_id: str, call: TranscriptTurn | UnusableLine
    ) -> Iterator[TranscriptTurn | UnusableLine]:
        """Note that a tool is called. Yields what has to go in without waiting any longer."""
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
        """Return the call with its result, or a turn of the result's own where there is no call."""
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
        """The message ids of the calls that wait, by the ids of the calls."""
        return {call_id: call.turn.message_id or "" for call_id, call in self._open.items()}

    @property
    def lines(self) -> set[int]:
        """The lines of the calls that wait."""
        return {call.line for call in self._open.values()}

    def keep(self, message_ids: Mapping[str, str]) -> None:
        """Let no other calls wait than these, under these message ids."""
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
    """The tool calls that a message's blocks begin or end, as several clients write them."""
    for block in content:
        if block.get("type") == "tool_use":
            call_id = text(block.get("id")) or f"{place.message_id}.call"
            called = {"tool_name": text(block.get("name")), "tool_args": block.get("input", {})}
            call = place.turn(Role.TOOL, message_id=call_id, **called)
            yield from calls.open_call(call_id, call)
        elif block.get("type") == "tool_result":
            call_id = text(block.get("tool_use_id")) or place.message_id
            yield calls.close_call(call_id, place, _read_result(block))


def _read_result(block: JsonObject) -> JsonValue:
    told = "\n".join(block_text(part, ("text",)) for part in blocks(block.get("content")))
    return {"is_error": True, "content": told} if block.get("is_error") else told
