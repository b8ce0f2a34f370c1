"""Files to import: lines as their clients write them, then spoilt as disks and programs spoil them.

A sample is a file of a few lines in one format. Which formats there are is the product's to say;
one without samples here gets everybody else's.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bench.fuzz.values import dates, json_values, names, real, texts

_AT = "2026-03-02T09:14:05.000Z"
_ROLE = st.sampled_from(["user", "assistant", "tool", "system", "wizard", "developer"])
_MESSAGE = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}
_CALL = {"type": "function_call", "name": "shell", "arguments": '{"a": 1}', "call_id": "c1"}
_ANSWERS = [
    {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a"}]}
]
SAMPLES: dict[str, list[dict[str, object]]] = {
    "jsonl": [
        {"role": "user", "content": "hello", "session_id": "s", "message_id": "m1", "at": _AT},
        {"role": "assistant", "content": "你好", "speaker": "林岚"},
        {"role": "tool", "tool_name": "bash", "tool_args": {"a": 1}, "tool_result": "ok"},
    ],
    "claude-code": [
        {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "timestamp": _AT}
        | {"cwd": "/x", "message": {"role": "user", "content": "hello"}},
        {"type": "assistant", "uuid": "u2", "parentUuid": "u1", "sessionId": "s", "timestamp": _AT}
        | {"message": {"id": "a1", "role": "assistant", "content": [
            {"type": "text", "text": "b"}]}},
        {"type": "assistant", "uuid": "u3", "parentUuid": "u2", "sessionId": "s", "timestamp": _AT}
        | {"message": {"id": "a1", "role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]}},
        {"type": "user", "uuid": "u4", "parentUuid": "u3", "sessionId": "s", "timestamp": _AT}
        | {"message": {"role": "user", "content": _ANSWERS}},
        {"type": "summary", "summary": "a", "leafUuid": "u1", "isSidechain": True},
    ],
    "codex": [
        {"timestamp": _AT, "type": "session_meta", "payload": {"id": "s", "cwd": "/x"}},
        {"timestamp": _AT, "type": "response_item", "payload": _MESSAGE},
        {"timestamp": _AT, "type": "response_item", "payload": _CALL},
        {"timestamp": _AT, "type": "response_item", "payload": {"type": "function_call_output"}
            | {"call_id": "c1", "output": "ok"}},
    ],
    "gemini": [
        {"sessionId": "s", "projectHash": "p", "startTime": _AT},
        {"id": "1", "timestamp": _AT, "type": "user", "content": "hello"},
        {"id": "2", "timestamp": _AT, "type": "gemini", "content": [{"text": "b"}], "toolCalls": [
            {"id": "t1", "name": "shell", "args": {"a": 1}, "result": [{"a": 1}], "status": "ok"}]},
        {"$set": {"lastUpdated": _AT}},
    ],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A sample's line with one value in it replaced, as a path into it."""

    line: int
    path: tuple[int, ...]
    value: object


def files(format_name: str) -> SearchStrategy[bytes]:
    """Files of a format, in bytes."""
    samples = [SAMPLES[format_name]] if format_name in SAMPLES else list(SAMPLES.values())
    return st.sampled_from(samples).flatmap(_files)


def _files(sample: list[dict[str, object]]) -> SearchStrategy[bytes]:
    spoilt = st.builds(
        Spoilt,
        st.integers(0, len(sample) - 1),
        st.lists(st.integers(0, 9), max_size=4).map(tuple),
        st.one_of(json_values(), texts(), names(), dates(), _ROLE),
    )
    line = spoilt.map(lambda one: _encoded(_replaced(sample[one.line], one.path, one.value)))
    whole = st.sampled_from([_encoded(one) for one in sample])
    broken = st.builds(_broken, line, st.integers(0, 400), st.binary(max_size=4))
    lines = st.lists(st.one_of(whole, line, line, broken, st.binary(max_size=20)), max_size=5)
    return st.builds(_joined, lines, st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\r", b"\x00\n"]))


def _replaced(value: object, path: Sequence[int], new: object) -> object:
    """The value with another at the end of the path; a path leads on as far as it can."""
    if not path:
        return new
    first, rest = path[0], path[1:]
    match value:
        case dict() if value:
            keys = list(value)
            chosen = keys[first % len(keys)]
            return {**value, chosen: _replaced(value[chosen], rest, new)}
        case list() if value:
            i = first % len(value)
            return [*value[:i], _replaced(value[i], rest, new), *value[i + 1 :]]
        case _:
            return new


def _encoded(value: object) -> bytes:
    written = json.dumps(real(value, ()), ensure_ascii=False)
    return written.encode("utf-8", "surrogatepass")


def _broken(line: bytes, at: int, inserted: bytes) -> bytes:
    """Half a line, or one with bytes in it that belong elsewhere."""
    return line[:at] + inserted + (line[at:] if inserted else b"")


def _joined(lines: list[bytes], end: bytes) -> bytes:
    return end.join(lines)
