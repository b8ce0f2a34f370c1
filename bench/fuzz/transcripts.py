"""Files to import: lines as their clients write them, then spoilt as disks and programs spoil them.

A sample is a file of a few lines in one format. Which formats there are is the product's to say;
one without samples here gets everybody else's.
"""

import json

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bench.fuzz.values import dates, junk, names, paths, real, replaced, texts, weighted

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


def files(format_name: str) -> SearchStrategy[bytes]:
    """Files of a format, in bytes."""
    samples = [SAMPLES[format_name]] if format_name in SAMPLES else list(SAMPLES.values())
    return st.sampled_from(samples).flatmap(_files)


def _files(sample: list[dict[str, object]]) -> SearchStrategy[bytes]:
    other = st.one_of(junk(), texts(), names(), dates(), _ROLE)
    line = st.builds(replaced, st.sampled_from(sample), paths(), other).map(_encoded)
    whole = st.sampled_from([_encoded(one) for one in sample])
    broken = st.builds(_broken, line, st.integers(0, 400), st.binary(max_size=4))
    odd = broken | st.binary(max_size=20)
    lines = st.lists(weighted((1, whole), (3, line), (1, odd)), max_size=5)
    ends = weighted((5, st.just(b"\n")), (1, st.sampled_from([b"\r\n", b"\n\n", b"\r", b"\x00\n"])))
    return st.builds(_joined, lines, ends)


def _encoded(value: object) -> bytes:
    """A line of JSON; half a character goes as an escape, as the programs that write one do."""
    try:
        return json.dumps(real(value, ()), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(real(value, ())).encode()


def _broken(line: bytes, at: int, inserted: bytes) -> bytes:
    """Half a line, or one with bytes in it that belong elsewhere."""
    return line[:at] + inserted + (line[at:] if inserted else b"")


def _joined(lines: list[bytes], end: bytes) -> bytes:
    return end.join(lines)
