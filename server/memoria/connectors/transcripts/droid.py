"""Droid: `~/.factory/sessions/<folder>/<session>.jsonl`, a line a message.

The first line says whose session it is and where it is held. A message is a list of blocks: words,
calls of tools and their results. What the client lays before a prompt is a message of its own,
wrapped in a tag, and what a hook did is one that only the user is shown. A session that an agent
has begun names the one that called it; nothing of it is a turn.
"""

from collections.abc import Iterator

from memoria.connectors.transcripts.base import (
    DefaultFolder,
    SkippedLine,
    TranscriptFormat,
    TranscriptItem,
    guard,
    read_each,
)
from memoria.connectors.transcripts.event_log import EventLogReading
from memoria.connectors.transcripts.messages import (
    block_words,
    blocks,
    obj,
    read_call_blocks,
    text,
    without_spans,
)
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource
from memoria.model import Role

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_REMINDER = ("<system-reminder>", "</system-reminder>")


def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
    """The turns of a session's file."""
    reading = _DroidReading(source.session)
    yield from read_each(source, source.records(), reading.read_line)
    yield from guard(None, lambda last: last.finish(), reading)


class _DroidReading(EventLogReading):
    """One pass over a file."""

    _is_agent = False

    def read_line(self, record: Record) -> Iterator[TranscriptItem]:
        """The next line."""
        kind, message = text(record.value.get("type")), obj(record.value.get("message"))
        if kind == "session_start":
            self._session = text(record.value.get("id")) or self._session
            self._cwd = self._cwd or text(record.value.get("cwd"))
            self._is_agent = bool(record.value.get("callingSessionId"))
        role = _ROLES.get(text(message.get("role")) or "")
        is_hidden = message.get("visibility") == "user_only"
        if kind != "message" or role is None or is_hidden or self._is_agent:
            yield SkippedLine(record.line)
            return
        place = self._place(record, text(record.value.get("id")))
        content = blocks(message.get("content"))
        parts = (without_spans(block_words(block), *_REMINDER) for block in content)
        said = "\n\n".join(filter(str.strip, parts))
        if said:
            yield place.turn(role, content=said)
        calls = [*read_call_blocks(place, content, self._calls)]
        yield from calls
        if not said and not calls:
            yield SkippedLine(record.line)

    def dump(self) -> JsonObject:
        """The same, and whether an agent holds it that the user's agent has started."""
        return {**super().dump(), "agent": self._is_agent}

    def load(self, dumped: JsonObject) -> None:
        """Go on from there."""
        super().load(dumped)
        self._is_agent = bool(dumped.get("agent"))


DROID = TranscriptFormat(
    name="droid",
    client="droid",
    patterns=("*.jsonl",),
    read=read,
    follow=lambda session, _path: _DroidReading(session),
    folder=DefaultFolder("FACTORY_HOME_OVERRIDE", "~", ".factory/sessions"),
)
