"""GitHub Copilot CLI: `~/.copilot/session-state/<session>/events.jsonl`, a line an event.

A prompt is `user.message`, whose `content` was typed; what the client lays around it stands apart.
An answer is `assistant.message`, and a tool call is begun by one event and completed by another.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.transcripts.base import (
    DefaultFolder,
    SkippedLine,
    TranscriptFormat,
    TranscriptItem,
    TranscriptPosition,
    guard,
    read_each,
)
from memoria.connectors.transcripts.event_log import EventLogReading
from memoria.connectors.transcripts.messages import obj, text
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource
from memoria.model import Role

_OPENINGS = ("session.start", "session.resume")
_SPEAKERS = {"user.message": Role.USER, "assistant.message": Role.ASSISTANT}
_SUBAGENT_SIGNS = ("parentToolCallId", "agentId")
"""Fields that only events of an agent have that the user's agent has started."""


def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
    """Yield the turns of a session's file."""
    reading = _CopilotReading(source.session)
    yield from read_each(source, source.records(), reading.read_line)
    yield from guard(None, lambda last: last.finish(), reading)


class _CopilotReading(EventLogReading):
    """One pass over a file."""

    def read_line(self, record: Record) -> Iterator[TranscriptItem]:
        """Read the next line."""
        kind, data = text(record.value.get("type")) or "", obj(record.value.get("data"))
        if kind in _OPENINGS:
            self._session = text(data.get("sessionId")) or self._session
            self._cwd = self._cwd or text(obj(data.get("context")).get("cwd"))
        if any(data.get(sign) for sign in _SUBAGENT_SIGNS):
            yield SkippedLine(record.line)
            return
        own_id = text(data.get("messageId")) or text(record.value.get("id"))
        place = self._place(record, own_id)
        said = text(data.get("content"))
        if kind in _SPEAKERS and said and said.strip() and _is_own(data):
            yield place.turn(_SPEAKERS[kind], content=said)
        elif kind == "tool.execution_start":
            yield from self._begin_call(place, data)
        elif kind == "tool.execution_complete":
            yield self._calls.close_call(_call_id(place, data), place, _result(data))
        else:
            yield SkippedLine(record.line)

    def _begin_call(self, place: TranscriptPosition, data: JsonObject) -> Iterator[TranscriptItem]:
        call_id = _call_id(place, data)
        called = {"tool_name": text(data.get("toolName")), "tool_args": data.get("arguments", {})}
        turn = place.turn(Role.TOOL, message_id=call_id, **called)
        yield from self._calls.open_call(call_id, turn)


def _is_own(data: JsonObject) -> bool:
    """Check whether a message is its speaker's, and not one that the client wrote in their name."""
    return text(data.get("source")) in (None, "user")


def _call_id(place: TranscriptPosition, data: JsonObject) -> str:
    return text(data.get("toolCallId")) or place.message_id


def _result(data: JsonObject) -> JsonValue:
    told = obj(data.get("result")).get("content")
    if data.get("success") is False:
        return {"is_error": True, "content": told or text(obj(data.get("error")).get("message"))}
    return told


def _follow(session: str, _path: Path) -> _CopilotReading:
    return _CopilotReading(session)


COPILOT = TranscriptFormat(
    name="copilot",
    client="copilot",
    patterns=("events.jsonl",),
    read=read,
    follow=_follow,
    folder=DefaultFolder("COPILOT_HOME", "~/.copilot", "session-state"),
)
