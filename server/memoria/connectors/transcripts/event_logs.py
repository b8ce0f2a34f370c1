"""GitHub Copilot CLI and Droid: logs of which only an open tool call waits for a later line.

Copilot CLI writes `~/.copilot/session-state/<session>/events.jsonl`, a line an event. A prompt is
`user.message`, whose `content` was typed; an answer is `assistant.message`; a tool call is begun by
one event and completed by another.

Droid writes `~/.factory/sessions/<folder>/<session>.jsonl`, a line a message of blocks, below a
line with the session, its folder and the session that called it, if an agent began it: then
nothing in it is a turn. What the client lays before a prompt is a message of its own, wrapped in a
tag, and what a hook did is a message that only the user is shown.
"""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from memoria.connectors.transcripts.base import (
    DefaultFolder,
    SkippedLine,
    TranscriptFormat,
    TranscriptItem,
    TranscriptPosition,
)
from memoria.connectors.transcripts.messages import (
    SPEAKERS,
    block_words,
    blocks,
    obj,
    text,
    without_spans,
)
from memoria.connectors.transcripts.reading import TranscriptReading, read_call_blocks, read_with
from memoria.connectors.transcripts.source import JsonObject, Record
from memoria.model import Role
from memoria.model.attachment import read_attachments

_COPILOT_OPENINGS = ("session.start", "session.resume")
_COPILOT_SPEAKERS = {"user.message": Role.USER, "assistant.message": Role.ASSISTANT}
_SUBAGENT_SIGNS = ("parentToolCallId", "agentId")
"""Fields of events of an agent that the user's agent has started."""
_HOOKS_SAID = re.compile(
    r'\n\nTool "[^"\n]*" \w+\. Additional guidance from postToolUse hooks:\n.*\Z', re.DOTALL
)
"""End of a result, in which the model is told what hooks have said."""
_REMINDER = ("<system-reminder>", "</system-reminder>")


class _EventLogReading(TranscriptReading):
    """Pass over a log whose events have times."""

    def _place(self, record: Record, message_id: str | None) -> TranscriptPosition:
        """Return the position of an event, under the client's id or else under an id of ours."""
        return TranscriptPosition(
            line=record.line,
            size=record.size,
            session_id=self._session,
            message_id=message_id or record.own_id,
            at=record.value.get("timestamp"),
            cwd=self._cwd,
        )


class _CopilotReading(_EventLogReading):
    """One pass over a file."""

    def read_line(self, record: Record) -> Iterator[TranscriptItem]:
        """Read the next line."""
        kind, data = text(record.value.get("type")) or "", obj(record.value.get("data"))
        if kind in _COPILOT_OPENINGS:
            self._session = text(data.get("sessionId")) or self._session
            self._cwd = self._cwd or text(obj(data.get("context")).get("cwd"))
        if any(data.get(sign) for sign in _SUBAGENT_SIGNS):
            yield SkippedLine(record.line)
            return
        own_id = text(data.get("messageId")) or text(record.value.get("id"))
        place = self._place(record, own_id)
        said = text(data.get("content"))
        if kind in _COPILOT_SPEAKERS and said and said.strip() and _is_own(data):
            yield place.turn(_COPILOT_SPEAKERS[kind], content=said)
        elif kind == "tool.execution_start":
            called = data.get("toolName"), data.get("arguments", {})
            yield from self._calls.open_call(place, _copilot_call_id(place, data), *called)
        elif kind == "tool.execution_complete":
            yield self._calls.close_call(
                _copilot_call_id(place, data), place, _read_copilot_result(data)
            )
        else:
            yield SkippedLine(record.line)


def _is_own(data: JsonObject) -> bool:
    """Check whether a message is its speaker's own, and not the client's in the speaker's name."""
    return text(data.get("source")) in (None, "user")


def _copilot_call_id(place: TranscriptPosition, data: JsonObject) -> str:
    return text(data.get("toolCallId")) or place.message_id


def _read_copilot_result(data: JsonObject) -> JsonValue:
    told = obj(data.get("result")).get("content")
    told = _HOOKS_SAID.sub("", told) if isinstance(told, str) else told
    if data.get("success") is False:
        return {"is_error": True, "content": told or text(obj(data.get("error")).get("message"))}
    return told


COPILOT = TranscriptFormat(
    name="copilot",
    client="copilot",
    patterns=("events.jsonl",),
    read=read_with(_CopilotReading),
    follow=_CopilotReading,
    folder=DefaultFolder("COPILOT_HOME", "~/.copilot", "session-state"),
)


class _DroidReading(_EventLogReading):
    """One pass over a file."""

    _is_agent = False

    def read_line(self, record: Record) -> Iterator[TranscriptItem]:
        """Read the next line."""
        kind, message = text(record.value.get("type")), obj(record.value.get("message"))
        if kind == "session_start":
            self._session = text(record.value.get("id")) or self._session
            self._cwd = self._cwd or text(record.value.get("cwd"))
            self._is_agent = bool(record.value.get("callingSessionId"))
        role = SPEAKERS.get(text(message.get("role")) or "")
        is_hidden = message.get("visibility") == "user_only"
        if kind != "message" or role is None or is_hidden or self._is_agent:
            yield SkippedLine(record.line)
            return
        place = self._place(record, text(record.value.get("id")))
        content = blocks(message.get("content"))
        parts = (without_spans(block_words(block), *_REMINDER) for block in content)
        said = "\n\n".join(filter(str.strip, parts))
        if said:
            yield place.turn(role, content=said, attachments=read_attachments(content))
        calls = [*read_call_blocks(place, content, self._calls)]
        yield from calls
        if not said and not calls:
            yield SkippedLine(record.line)

    def dump(self) -> JsonObject:
        """Return what every pass has to know, and whether another agent began the session."""
        return {**super().dump(), "agent": self._is_agent}

    def load(self, dumped: JsonObject) -> None:
        """Go on from what `dump` gave."""
        super().load(dumped)
        self._is_agent = bool(dumped.get("agent"))


DROID = TranscriptFormat(
    name="droid",
    client="droid",
    patterns=("*.jsonl",),
    read=read_with(_DroidReading),
    follow=_DroidReading,
    folder=DefaultFolder("FACTORY_HOME_OVERRIDE", "~", ".factory/sessions"),
)
