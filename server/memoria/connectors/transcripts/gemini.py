"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, a log of changes.

A message is written again, whole, whenever its tool calls change: the last line of an id counts,
at the place of the first. `{"$set": …}` changes the header. Its `messages` are what the model is
shown, compressed and with new ids, so they count only until the first message has a line of its
own. `{"$rewindTo": …}` is no reason to forget what was said. Older versions wrote one JSON
document, `session-*.json`, which is held whole and so must not be longer than a line may be.

The file is read twice: first for where each message was last written, then for these lines alone.
What is held meanwhile is an id and two numbers a message.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.transcripts.base import (
    DefaultFolder,
    SkippedLine,
    TranscriptFormat,
    TranscriptItem,
    TranscriptPosition,
    TranscriptTurn,
    guard,
    read_each,
)
from memoria.connectors.transcripts.messages import is_wrapped, obj, objects, text, without_spans
from memoria.connectors.transcripts.reading import TranscriptReading
from memoria.connectors.transcripts.source import (
    JsonObject,
    Record,
    TranscriptSource,
    UnusableLine,
    read_text,
)
from memoria.model import Role
from memoria.model.attachment import read_attachments
from memoria.model.turn import content_text

_CLIENT_WORDS = (("<session_context>", ""), ("<state_snapshot>", ""))
_MOST_PATH_BYTES = 64 * 1024
_REFERENCED_FILES = "--- Content from referenced files ---"
"""Line before the contents of the files that the user named with an @."""


def read(source: TranscriptSource) -> Iterator[TranscriptItem]:
    """Yield the turns of a session's file."""
    reading = _GeminiReading(source.session, source.path)
    yield from read_each(source, source.records(ahead=True), reading.note_line)
    places = [] if reading.is_subagent else list(reading.messages.values())
    found = source.records_at((place.offset, place.line) for place in places)
    for place, record in zip(places, found, strict=False):
        if isinstance(record, UnusableLine):  # the file was changed under our hands
            yield record
        else:
            yield from guard(record.line, partial(reading.read_message, record), place.index)


@dataclass(frozen=True, slots=True)
class _MessageLocation:
    """Place where a message was last written."""

    offset: int
    line: int
    index: int | None
    """Index of the message in the line's list of messages, if the line has a list."""


class _GeminiReading(TranscriptReading):
    """Pass over a log that may still be written: of each piece, a message's last line counts.

    A message whose tools have not answered is written again when they have.
    """

    def __init__(self, session: str, path: Path) -> None:
        super().__init__(session, path)
        self.messages: dict[str, _MessageLocation] = {}
        """Place where each message was last written, by the message's id."""
        self.is_subagent = False
        self._cwd = _project_folder(path)
        self._named_session: str | None = None
        self._has_own_lines = False
        self._records: dict[int, Record] = {}

    def note_line(self, record: Record) -> Iterator[TranscriptItem]:
        """Note the next line. Yield a `SkippedLine` for each line that no turn is taken from."""
        value = record.value
        message_id = text(value.get("id"))
        if message_id is not None and "$set" not in value and "$rewindTo" not in value:
            self._has_own_lines = True
            earlier = self.messages.get(message_id)
            self.messages[message_id] = _MessageLocation(record.offset, record.line, None)
            if earlier is not None and earlier.index is None:
                yield SkippedLine(earlier.line)
            return
        yield SkippedLine(record.line)
        self._note_header(record, obj(value.get("$set")) or value)

    def read_message(
        self, record: Record, index: int | None, *, answered_only: bool = False
    ) -> list[TranscriptItem]:
        """Return the turns of a line, or of a message in its list; a `SkippedLine` for none."""
        message = _message_at(record.value, index)
        turns = list[TranscriptItem](self._list_turns(record, message, answered_only))
        return turns or ([SkippedLine(record.line)] if index is None else [])

    def read_line(self, record: Record) -> Iterator[TranscriptItem]:
        """Read the next line."""
        yield from self.note_line(record)
        self._records[record.line] = record
        wanted = {place.line for place in self.messages.values()}
        for line in self._records.keys() - wanted:
            del self._records[line]

    def pause(self) -> Iterator[TranscriptItem]:
        """Yield the messages of this piece, without calls that wait for their results."""
        yield from self._tell(answered_only=True)
        self.messages.clear()
        self._records.clear()

    def finish(self) -> Iterator[TranscriptItem]:
        """Yield the messages of this piece, as they are now."""
        yield from self._tell(answered_only=False)

    def _tell(self, *, answered_only: bool) -> Iterator[TranscriptItem]:
        for place in () if self.is_subagent else self.messages.values():
            record = self._records[place.line]
            yield from self.read_message(record, place.index, answered_only=answered_only)

    def dump(self) -> JsonObject:
        """Return what the header says."""
        return {
            "session": self._named_session,
            "cwd": self._cwd,
            "subagent": self.is_subagent,
            "own_lines": self._has_own_lines,
        }

    def load(self, dumped: JsonObject) -> None:
        """Go on from what `dump` gave."""
        self._named_session = text(dumped.get("session"))
        self._cwd = text(dumped.get("cwd")) or self._cwd
        self.is_subagent = bool(dumped.get("subagent"))
        self._has_own_lines = bool(dumped.get("own_lines"))

    def _list_turns(
        self, record: Record, message: JsonObject, answered_only: bool
    ) -> Iterator[TranscriptTurn | UnusableLine]:
        """Yield a message's turns; with `answered_only`, without calls that wait for a result."""
        place = self._position(record, message)
        role = {"user": Role.USER, "gemini": Role.ASSISTANT}.get(text(message.get("type")) or "")
        calls = objects(message.get("toolCalls"))
        shown = message.get("displayContent") if role is Role.USER else None
        words = _words(message.get("content") if shown is None else shown)
        if role is None:
            return
        if words:
            sent = read_attachments(message.get("content"))
            yield place.turn(role, content=words, attachments=sent)
        for call in calls:
            if answered_only and not (call.get("result") or call.get("resultDisplay")):
                continue
            yield place.turn(
                Role.TOOL,
                message_id=text(call.get("id")) or f"{place.message_id}.tool",
                at=call.get("timestamp") or place.at,
                tool_name=text(call.get("name")),
                tool_args=call.get("args", {}),
                tool_result=_result(call),
            )

    def _note_header(self, record: Record, header: JsonObject) -> None:
        # The first id stays: under another the whole session would be recorded anew.
        self._named_session = self._named_session or text(header.get("sessionId"))
        self.is_subagent = self.is_subagent or header.get("kind") == "subagent"
        folders = header.get("directories")
        if self._cwd is None and isinstance(folders, list) and folders:
            self._cwd = text(folders[0])
        if self._has_own_lines:
            return
        for index, message in enumerate(objects(header.get("messages"))):
            message_id = text(message.get("id"))
            if message_id is not None:
                self.messages[message_id] = _MessageLocation(record.offset, record.line, index)

    def _position(self, record: Record, message: JsonObject) -> TranscriptPosition:
        return TranscriptPosition(
            line=record.line,
            size=record.size,
            session_id=self._named_session or self._session,
            message_id=text(message.get("id")) or record.own_id,
            at=message.get("timestamp"),
            cwd=self._cwd,
        )


def _message_at(value: JsonObject, index: int | None) -> JsonObject:
    if index is None:
        return value
    listed = objects((obj(value.get("$set")) or value).get("messages"))
    return listed[index] if index < len(listed) else {}


def _words(content: JsonValue) -> str:
    """Return the words of a message's parts, without thoughts, files and what the client put in."""
    kept: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        words = _part_words(part)
        if words.strip() == _REFERENCED_FILES:
            break
        words = _without_hooks(words)
        if words.strip() and not is_wrapped(words, _CLIENT_WORDS):
            kept.append(words)
    return "\n\n".join(kept)


def _without_hooks(words: str) -> str:
    """Cut what hooks have said to the model."""
    told = without_spans(words, "<hook_context>", "</hook_context>")
    return words if told == words else told.strip()


def _part_words(part: JsonValue) -> str:
    fields = obj(part)
    if fields.get("thought"):
        return ""
    media = obj(fields.get("inlineData")) or obj(fields.get("fileData"))
    told = content_text(part if isinstance(part, str | list) else fields.get("text"))
    return told or (f"[{text(media.get('mimeType'))}]" if media else "")


def _result(call: JsonObject) -> JsonValue:
    """Return a tool's result: the text where the response is one, else the response unchanged."""
    result = call.get("result")
    responses = [
        obj(obj(part.get("functionResponse")).get("response"))
        for part in objects(result)
        if "functionResponse" in part
    ]
    texts = [text(response.get("output")) for response in responses if len(response) == 1]
    if texts and len(texts) == len(responses) and all(texts):
        return "\n".join(_without_hooks(words) for words in texts if words)
    if responses:
        return responses[0] if len(responses) == 1 else list(responses)
    return text(result) or text(call.get("resultDisplay"))


def _project_folder(path: Path) -> str | None:
    """Return the folder of a project, from the file beside `chats` that names the folder."""
    try:
        return text(read_text(path.parent.parent / ".project_root", _MOST_PATH_BYTES).strip())
    except (OSError, ValueError):
        return None  # an older version, or a copy of the file alone


GEMINI = TranscriptFormat(
    name="gemini",
    client="gemini",
    patterns=("session-*.jsonl", "session-*.json"),
    read=read,
    follow=_GeminiReading,
    folder=DefaultFolder("GEMINI_CLI_HOME", "~", ".gemini/tmp"),
    documents=frozenset({".json"}),
)
