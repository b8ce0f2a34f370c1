"""Helpers for messages in other programs' JSON, where any field may be missing or of another type.

A transcript has a tool's call in one line and the result in a later one; `OpenCalls` makes both one
turn, at the place of the result. A call that is never answered is a turn without a result, and when
a longer transcript brings the result, that turn gets a new version.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from pydantic import JsonValue

from memoria.connectors.transcripts.base import TranscriptPosition, TranscriptTurn
from memoria.connectors.transcripts.source import JsonObject, UnusableLine
from memoria.model import Role
from memoria.model.turn import UNSAID_PARTS, content_text

_HIDDEN = tuple(UNSAID_PARTS)  # what a type is compared with may be anything
_MOST_DEPTH = 20


def text(value: JsonValue) -> str | None:
    """Return the value if it is a text with anything in it."""
    return value if isinstance(value, str) and value else None


def obj(value: JsonValue) -> JsonObject:
    """Return the value if it is an object; otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def parse_json(value: object, instead: JsonValue = None) -> JsonValue:
    """Parse the JSON in a text; return `instead` where there is none.

    >>> parse_json('{"a": 1}'), parse_json("a", "a"), parse_json(None)
    ({'a': 1}, 'a', None)
    """
    written = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    try:
        parsed: JsonValue = json.loads(written) if isinstance(written, str) else instead
    except (ValueError, RecursionError):
        return instead
    return parsed


def parse_object(value: object) -> JsonObject | None:
    """Parse the JSON object in a text; None where there is none."""
    parsed = parse_json(value)
    return parsed if isinstance(parsed, dict) else None


def objects(value: JsonValue) -> list[JsonObject]:
    """List the objects of a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def blocks(value: JsonValue, depth: int = _MOST_DEPTH) -> list[JsonObject]:
    """List the blocks of a content: of a list in a list too, and of texts that stand there bare."""
    match value:
        case str():
            return [{"type": "text", "text": value}] if value else []
        case dict():
            return [value]
        case list() if depth:
            return [block for one in value for block in blocks(one, depth - 1)]
        case _:
            return []


def words(value: JsonValue) -> str | None:
    """Return the text of a value, be it in parts; None where there is none."""
    return content_text(value) or None


def block_words(block: JsonObject) -> str:
    """Return the words of a block, whatever kind it is, unless it is one that nobody says."""
    return "" if block.get("type") in _HIDDEN else content_text(block.get("text"))


def result_text(value: JsonValue) -> str | None:
    """Return the text of a tool's result, a line each part; None where it has none."""
    return content_text(value, "\n") or None


def block_text(block: JsonObject, kinds: Collection[str]) -> str:
    """Return a content block's text; of a picture or anything else, only what it is."""
    kind = text(block.get("type")) or "unknown"
    told = words(block.get("text")) or words(block.get("content"))
    return told or "" if told or kind in kinds else f"[{kind}]"


def is_wrapped(words: str, wrappers: Iterable[tuple[str, str]]) -> bool:
    """Check whether one of these (beginning, end) wraps the text: a client's words, no person's.

    Both ends count, so that a person may still begin a prompt with such a tag.
    """
    inner = words.strip()
    return any(inner.startswith(begins) and inner.endswith(ends) for begins, ends in wrappers)


def without_quotes(words: str) -> str:
    """Cut the quotes in which OpenCode wraps an argument that has a blank."""
    inner = words[1:-1]
    is_wrapped = len(words) > 1 and words[0] == words[-1] == '"' and " " in inner
    if not is_wrapped or '"' in inner.replace('\\"', ""):
        return words
    return inner.replace('\\"', '"')


def without_spans(words: str, begins: str, ends: str) -> str:
    """Cut the spans between these tags. One that never ends is ordinary text."""
    kept: list[str] = []
    position = 0
    while (start := words.find(begins, position)) >= 0:
        end = words.find(ends, start)
        if end < 0:
            break
        kept.append(words[position:start])
        position = end + len(ends)
    return "".join([*kept, words[position:]])


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
