"""ChatGPT's export: `conversations.json`, or newer `conversations-000.json`, in a zip or alone.

A conversation is a tree of messages, because a prompt that was edited begins a branch. The branch
that was shown last is the conversation; the others are left out, and so is a chat that ChatGPT was
asked not to remember. A message to a tool and the answer to it are one turn. What the assistant
wrote to its own memory (`bio`) is a memory.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from memoria.connectors.sources.archives import read_documents
from memoria.connectors.sources.common import downloads, find_branch, read_time
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.json_items import JsonItem
from memoria.connectors.sources.probe import Probe
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition, read_each
from memoria.connectors.transcripts.messages import SPEAKERS, obj, text, words
from memoria.connectors.transcripts.source import JsonObject, TranscriptSource, UnusableLine
from memoria.errors import shorten
from memoria.model import Role, now_millis
from memoria.model.conclusions import ForeignMemory

_FILES = "conversations*.json"
_OWN_MEMORY = "bio"
_SOUND = "audio"
_HIDDEN = frozenset(
    {"thoughts", "reasoning_recap", "user_editable_context", "model_editable_context"}
)
_SOURCE_MARK = re.compile("(?:(?<![ \t])[ \t]++)?\ue200[^\ue200\ue201]*+\ue201")
"""Mark of a link to a source: characters of private use around its number."""
_TELLING = frozenset(("create_time", "update_time", "current_node", "conversation_id", "title"))
"""Fields of which a conversation has at least one, beside its tree."""


def recognise(probe: Probe) -> bool:
    """Check whether a file holds conversations that are trees of messages."""
    return any(map(_is_conversation, probe.records()))


def _is_conversation(value: JsonObject) -> bool:
    return isinstance(value.get("mapping"), dict) and not _TELLING.isdisjoint(value)


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield the turns of each conversation's last branch."""

    def read_item(item: JsonItem) -> Iterator[ImportItem]:
        conversation = obj(item.value)
        if not isinstance(conversation.get("mapping"), dict):
            yield UnusableLine(source.lines, "is no conversation: it has no mapping")
        else:
            yield from _Conversation(conversation, source, item.size).read_items()

    yield from read_each(source, read_documents(source, _FILES, are_records=True), read_item)


class _Conversation:
    """One conversation of the export."""

    def __init__(self, value: JsonObject, source: TranscriptSource, size: int) -> None:
        self._value = value
        self._nodes = {key: obj(node) for key, node in obj(value.get("mapping")).items()}
        self._source = source
        self._line = source.lines
        self._size = size // max(len(self._nodes), 1)
        own_id = text(value.get("conversation_id")) or text(value.get("id"))
        self._id = own_id or f"{self._line}"
        self._call: JsonObject | None = None
        """A message to a tool whose answer may come next."""

    def read_items(self) -> Iterator[ImportItem]:
        is_kept = self._value.get("is_do_not_remember") is not True
        branch = self._find_branch() if is_kept else []
        shown = set(branch)
        yield from (SkippedLine(self._line) for key in self._nodes if key not in shown)
        if not self._nodes:
            yield SkippedLine(self._line)
        messages = [one for one in map(self._find_message, branch) if one]
        yield from read_each(self._source, messages, self._read_message)
        yield from self._end_call(None)

    def _find_message(self, key: str) -> JsonObject | UnusableLine | None:
        """Return a node's message; None for the root of the tree, which has no message."""
        message = self._nodes[key].get("message", key)
        if message is None or isinstance(message, dict):
            return message
        return UnusableLine(self._line, f"has no message at {shorten(key)}")

    def _read_message(self, message: JsonObject) -> Iterator[ImportItem]:
        is_answer = self._call is not None and _role(message) == "tool"
        yield from self._end_call(message if is_answer else None)
        if is_answer:
            return
        if _recipient(message) == _OWN_MEMORY:
            yield self._own_memory(message)
        elif _recipient(message) is not None:
            self._call = message
        else:
            yield self._turn(message)

    def _end_call(self, answer: JsonObject | None) -> Iterator[ImportItem]:
        call, self._call = self._call, None
        if call is not None:
            yield self._tool_turn(call, answer)

    def _find_branch(self) -> list[str]:
        """List the messages shown last; all messages where the tree is not whole."""
        parents = {key: text(node.get("parent")) for key, node in self._nodes.items()}
        leaf = self._find_leaf()
        branch = [] if leaf is None else find_branch(parents, leaf)
        begins_at_root = bool(branch) and parents[branch[0]] is None
        return branch if begins_at_root else [*self._nodes]

    def _find_leaf(self) -> str | None:
        """Find the message shown last: the one named, or else the newest without an answer."""
        named = text(self._value.get("current_node"))
        if named is not None and named in self._nodes:
            return named
        if any(self._lacks_answer(node) for node in self._nodes.values()):
            return None
        leaves = [key for key, node in self._nodes.items() if not node.get("children")]
        return max(leaves, key=self._time_of, default=None)

    def _lacks_answer(self, node: JsonObject) -> bool:
        """Check whether a message names an answer that is missing."""
        children = node.get("children")
        listed = children if isinstance(children, list) else []
        return any(not isinstance(one, str) or one not in self._nodes for one in listed)

    def _time_of(self, key: str) -> int:
        return self._time(obj(self._nodes[key].get("message"))) or 0

    def _turn(self, message: JsonObject) -> ImportItem:
        role = SPEAKERS.get(_role(message))
        told = _words(message)
        hidden = obj(message.get("metadata")).get("is_visually_hidden_from_conversation")
        if _role(message) == "tool" and told and not hidden:
            return self._tool_turn(message, message)
        if role is None or hidden or not told.strip():
            return SkippedLine(self._line)
        return self._place(message).turn(role, content=told)

    def _tool_turn(self, call: JsonObject, answer: JsonObject | None) -> ImportItem:
        is_call = call is not answer
        return self._place(call).turn(
            Role.TOOL,
            tool_name=_recipient(call) or text(obj(call.get("author")).get("name")) or "tool",
            tool_args=_words(call) if is_call else None,
            tool_result=None if answer is None else _words(answer),
        )

    def _own_memory(self, message: JsonObject) -> ImportItem:
        at = self._time(message) or now_millis()
        memory = ForeignMemory(
            key=self._place(message).message_id, content=_words(message), at=at, created_at=at
        )
        return ForeignItem(self._line, memory, self._size)

    def _place(self, message: JsonObject) -> TranscriptPosition:
        message_id = text(message.get("id")) or "message"
        return TranscriptPosition(
            self._line, self._size, self._id, message_id, self._time(message), None
        )

    def _time(self, message: JsonObject) -> int | None:
        at = read_time(message.get("create_time"))
        return at if at is not None else read_time(self._value.get("create_time"))


def _role(message: JsonObject) -> str:
    return text(obj(message.get("author")).get("role")) or ""


def _recipient(message: JsonObject) -> str | None:
    """Return the tool that an assistant's message goes to; None for a message to everybody."""
    recipient = text(message.get("recipient"))
    is_to_tool = _role(message) == "assistant" and recipient not in (None, "all")
    return recipient if is_to_tool else None


def _words(message: JsonObject) -> str:
    content = obj(message.get("content"))
    if text(content.get("content_type")) in _HIDDEN:
        return ""
    if not content:  # as some tools write it that make such files
        return words(message.get("content")) or ""
    parts = content.get("parts")
    if isinstance(parts, list):
        return "\n\n".join(filter(None, map(_part_words, parts)))
    named = (words(content.get(key)) for key in ("parts", "text", "result"))
    return next(filter(None, named), "")


def _part_words(part: JsonValue) -> str:
    if isinstance(part, str):
        return _SOURCE_MARK.sub("", part)
    if isinstance(part, list):
        return words(part) or ""
    fields = obj(part)
    kind = text(fields.get("content_type")) or "attachment"
    if _SOUND in kind:  # what was said aloud stands beside it as a text
        return words(fields.get("text")) or ""
    return (
        words(fields.get("text"))
        or words(fields.get("parts"))
        or f"[{kind.removesuffix('_asset_pointer')}]"
    )


def _places() -> Iterator[Path]:
    yield from downloads("*.zip", _FILES)


CHATGPT = ImportSource(
    name="chatgpt",
    title="ChatGPT",
    client="chatgpt",
    patterns=("*.zip", _FILES),
    recognises=recognise,
    read=read,
    places=_places,
    unit="conversation",
    companions=frozenset(
        (
            "user.json",
            "user_settings.json",
            "message_feedback.json",
            "model_comparisons.json",
            "shared_conversations.json",
            "group_chats.json",
            "shopping.json",
            "sora.json",
            "export_manifest.json",
        )
    ),
    note="the export that ChatGPT mails you, as it is (Settings, Data controls, Export data)",
)
