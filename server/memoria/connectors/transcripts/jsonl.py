"""The format `jsonl`: our own, a turn a line, for everything that has no reader here.

An object has the fields of a turn: session_id, message_id, role, speaker, content, at, tool_name,
tool_args, tool_result. Only role is required. A line without a message_id is known by its content
and by how many times that content came before in the session, so the same file again adds nothing.

Lines that agents write of themselves, `{role, content, timestamp, tool_calls, tool_results}`, are
read as well: each call becomes a turn behind the words, with its result, and so does a result
without a call. The agent's other fields are left out.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from memoria.connectors.transcripts.base import (
    TranscriptFormat,
    TranscriptItem,
    TranscriptTurn,
    as_turn,
    read_each,
)
from memoria.connectors.transcripts.messages import obj, objects, parse_json, text, words
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, UnusableLine
from memoria.model import Role, Turn

_FIELDS = frozenset(("timestamp", "tool_calls", "tool_results"))
"""Fields that only the lines of agents have: any of the fields proves such a line."""
OWN_FIELDS = frozenset(Turn.model_fields) | _FIELDS
_CALL_IDS = ("id", "call_id", "tool_use_id", "tool_call_id")
_SECONDS = 1_000
_LATEST_SECONDS = 100_000_000_000


def is_history(line: JsonObject) -> bool:
    """Check whether a line is in the format of agents, not in that of `memoria export`."""
    return not _FIELDS.isdisjoint(line)


def list_turns(line: JsonObject) -> Iterator[JsonObject]:
    """Yield the fields of each turn of a line."""
    own = {key: value for key, value in line.items() if key in Turn.model_fields}
    own.setdefault("at", _read_time(line.get("timestamp")))
    said = words(line.get("content")) or ""
    results = objects(line.get("tool_results"))
    calls = objects(line.get("tool_calls"))
    if said.strip() or not (calls or results):
        yield {**own, "content": line.get("content") or ""}
    for call in calls:
        yield {**_tool_fields(own), **_read_call(call), "tool_result": _take_result(call, results)}
    for result in results:
        yield {**_tool_fields(own), "tool_result": _read_result(result)}


def _tool_fields(own: JsonObject) -> JsonObject:
    """Return the fields that a tool's turn shares with the words before the call: all but an id."""
    shared = ("session_id", "at", "utc_offset")
    return {"role": Role.TOOL.value, **{key: own[key] for key in shared if key in own}}


def _read_call(call: JsonObject) -> JsonObject:
    function = obj(call.get("function"))
    name = text(call.get("name")) or text(function.get("name")) or text(call.get("tool_name"))
    given = (holder.get(key) for holder in (call, function) for key in ("input", "arguments"))
    arguments: JsonValue = next((one for one in given if one), {})
    return {"tool_name": name or "tool", "tool_args": parse_json(arguments, arguments)}


def _take_result(call: JsonObject, results: list[JsonObject]) -> JsonValue:
    """Take a call's result out of the list: the one with the call's id, else the first without."""
    named = [one for one in results if _own_id(one) and _own_id(one) == _own_id(call)]
    free = [one for one in results if not _own_id(one)]
    found = next(iter([*named, *free]), None)
    if found is None:
        return None
    results.remove(found)
    return _read_result(found)


def _read_result(result: JsonObject) -> JsonValue:
    given = (result.get(key) for key in ("content", "result", "output"))
    value = next((one for one in given if one is not None), None)
    return words(value) if isinstance(value, list) else value


def _own_id(item: Mapping[str, JsonValue]) -> str | None:
    return next(filter(None, (text(item.get(key)) for key in _CALL_IDS[::-1])), None)


def _read_time(value: JsonValue) -> JsonValue:
    """Return a time as a turn takes it: a text unchanged, seconds as milliseconds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return round(value * _SECONDS) if 0 < value < _LATEST_SECONDS else round(value)


def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
    """Yield the turns of a file."""
    seen: Counter[tuple[str, str]] = Counter()

    def read_line(record: Record) -> Iterator[TranscriptItem]:
        value = record.value
        for fields in list_turns(value) if is_history(value) else [value]:
            turn = as_turn(record.line, fields)
            if isinstance(turn, UnusableLine):
                yield turn
            else:
                named = _identify(turn, source.session, seen)
                yield TranscriptTurn(record.line, named, size=record.size)

    yield from read_each(source, source.records(), read_line)


def _identify(turn: Turn, default: str, seen: Counter[tuple[str, str]]) -> Turn:
    """Return the turn with a session, and with an id made from its content if it has none."""
    session = turn.session_id or default
    if turn.message_id is not None:
        return turn.model_copy(update={"session_id": session})
    content = json.dumps(turn.model_dump(exclude={"session_id", "message_id", "attachments"}))
    key = (session, hashlib.sha256(content.encode()).hexdigest()[:24])
    seen[key] += 1
    own_id = f"{key[1]}.{seen[key]}"
    return turn.model_copy(update={"session_id": session, "message_id": own_id})


JSONL = TranscriptFormat(
    name="jsonl",
    client="import-jsonl",
    patterns=("*.jsonl",),
    read=read,
    note="a turn a line with session_id, message_id, role, speaker, content, at, tool_name, "
    "tool_args, tool_result; only role is required",
)
