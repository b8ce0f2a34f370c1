"""claude.ai's export: one zip with a file for each kind of data, or, since 2026, a zip for each.

A message's content is a list of blocks: words, calls of tools and what came of them; thinking is
left out. The text of an attached file is a tool's output, because the user did not say it. Where
messages name the one before them, the branch shown last is the conversation. A chat about a design
is a conversation in another shape.

What Claude keeps in mind of the user and of each project is read paragraph by paragraph, each a
memory, known by its heading and its place below that. A project's instructions are the user's
words, and its files a tool's output.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from memoria.connectors.sources.archives import (
    ExportDocument,
    list_names,
    open_documents,
    read_documents,
)
from memoria.connectors.sources.common import downloads, file_time, find_branch, read_time, say_part
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.json_items import JsonItem, read_items
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition, read_each
from memoria.connectors.transcripts.messages import (
    block_words,
    blocks,
    obj,
    objects,
    result_text,
    text,
    words,
)
from memoria.connectors.transcripts.source import JsonObject, TranscriptSource, UnusableLine
from memoria.model import Role
from memoria.model.conclusions import ForeignMemory

KNOWN = ("memories.json", "memories/*.json")
PROJECTS = ("projects.json", "projects/*.json")
_LONGEST_HEADING = 8  # words
_SHORT_ID_CHARS = 8


def is_known(value: JsonObject) -> bool:
    """Check whether an object is what Claude keeps in mind of an account."""
    return not value.keys().isdisjoint(("conversations_memory", "project_memories", "memory_files"))


def is_project(value: JsonObject) -> bool:
    """Check whether an object is a project."""
    return value.keys() >= {"uuid", "name"} and not value.keys().isdisjoint(
        ("docs", "prompt_template")
    )


def list_project_names(export: Path) -> dict[str, str]:
    """Map the ids of an account's projects to names, from an export or from files beside it.

    A zip may hold them, or another zip of the same folder; a plain file has them in a file beside.
    """
    is_zip = bool(list_names(export))
    beside = sorted(export.parent.glob("projects*.zip")) if is_zip else []
    places = [export, *beside] if is_zip else [export.with_name(PROJECTS[0])]
    names = {}
    for document in chain.from_iterable(open_documents(place, *PROJECTS) for place in places):
        if isinstance(document, ExportDocument):
            for item in read_items(document.stream, is_record=True):
                project = obj(item.value)
                names[text(project.get("uuid")) or ""] = text(project.get("name")) or ""
    return names


def read_known(
    value: JsonObject, source: TranscriptSource, projects: Mapping[str, str]
) -> Iterator[ImportItem]:
    """Yield the memories of an account."""
    account = text(value.get("account_uuid")) or "None"
    at = file_time(source)
    yield from _read_paragraphs(source, account, value.get("conversations_memory"), at)
    for project, told in _list_pairs(value.get("project_memories"), "project_uuid", "memory"):
        name = projects.get(project) or f"Project {project[:_SHORT_ID_CHARS]}"
        yield from _read_paragraphs(source, f"{account} {project}", told, at, name)
    for file in objects(value.get("memory_files")):
        path = text(file.get("path")) or ""
        own_time = read_time(file.get("updated_at")) or at
        yield from _read_paragraphs(
            source, f"{account} {path}", file.get("content"), own_time, PurePosixPath(path).stem
        )


def _list_pairs(value: JsonValue, key: str, of: str) -> list[tuple[str, JsonValue]]:
    """List the pairs of an object, or of a list of objects that each have a pair in two fields."""
    if isinstance(value, dict):
        return list(value.items())
    return [(text(one.get(key)) or "", one.get(of)) for one in objects(value)]


def _read_paragraphs(
    source: TranscriptSource, key: str, value: JsonValue, at: int, title: str = ""
) -> Iterator[ImportItem]:
    heading, place = title, 0
    for paragraph in (text(value) or "").split("\n\n"):
        told = paragraph.strip()
        bare = told.strip("*# ")
        is_heading = told.startswith(("#", "**")) and "\n" not in told
        if is_heading and len(bare.split()) < _LONGEST_HEADING:
            heading, place = bare, 0
        elif told:
            place += 1
            content = f"{heading}: {told}" if heading else told
            memory = ForeignMemory(key=f"{key} {heading} {place}", content=content, at=at)
            yield ForeignItem(source.lines, memory)


def read_project(value: JsonObject, line: int, size: int) -> Iterator[ImportItem]:
    """Yield a project's instructions and files."""
    own_id, name = text(value.get("uuid")) or f"{line}", text(value.get("name")) or ""
    at = value.get("created_at")
    place = TranscriptPosition(line, size, own_id, f"{own_id} instructions", at, None)
    instructions = text(value.get("prompt_template"))
    if instructions:
        yield place.turn(Role.USER, content="\n\n".join(filter(None, (name, instructions))))
    files = objects(value.get("docs"))
    for number, file in enumerate(files):
        yield place.turn(
            Role.TOOL,
            message_id=text(file.get("uuid")) or f"{own_id} file{number}",
            at=file.get("created_at") or at,
            tool_name="attachment",
            tool_args={"file_name": text(file.get("filename")), "project": name},
            tool_result=text(file.get("content")),
        )
    if not instructions and not files:
        yield SkippedLine(line)


_CONVERSATIONS = ("conversations*.json", "design_chats/*.json")
_FILES = (*_CONVERSATIONS, *KNOWN, *PROJECTS)
_SPEAKERS = {"human": Role.USER, "assistant": Role.ASSISTANT}


def recognise(probe: Probe) -> bool:
    """Check whether a file holds conversations of messages with senders, projects, or a memory."""
    return any(map(_is_own, probe.records()))


def _is_own(value: JsonObject) -> bool:
    is_conversation = "chat_messages" in value or has_fields(value, "uuid", "title", "messages")
    return is_conversation or is_known(value) or is_project(value)


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield the turns of each conversation, projects, and Claude's own memory."""
    projects = list_project_names(source.path)

    def read_item(item: JsonItem) -> Iterator[ImportItem]:
        value = obj(item.value)
        if "chat_messages" in value:
            yield from _read_conversation(value, source, item.size)
        elif is_known(value):
            yield from read_known(value, source, projects)
        elif is_project(value):
            yield from read_project(value, source.lines, item.size)
        elif "messages" in value:
            yield from _read_conversation(_as_conversation(value), source, item.size)
        else:
            yield UnusableLine(source.lines, "is no conversation: it has no chat_messages")

    yield from read_each(source, read_documents(source, *_FILES, are_records=True), read_item)


def _as_conversation(design: JsonObject) -> JsonObject:
    """Convert a chat about a design to a conversation."""
    messages: list[JsonValue] = []
    for message in objects(design.get("messages")):
        content = obj(message.get("content"))
        messages.append(
            {
                **message,
                "sender": "assistant" if message.get("role") == "assistant" else "human",
                "text": content.get("content"),
                "content": [_as_block(one) for one in objects(content.get("contentBlocks"))],
                "created_at": message.get("created_at") or content.get("timestamp"),
                "attachments": [
                    {"file_name": one.get("name"), "extracted_content": one.get("content")}
                    for one in objects(content.get("attachments"))
                ],
            }
        )
    return {**design, "chat_messages": messages}


def _as_block(block: JsonObject) -> JsonValue:
    call = obj(block.get("toolCall"))
    return {**call, "type": "tool_use"} if block.get("type") == "tool_call" else dict(block)


def _read_conversation(
    value: JsonObject, source: TranscriptSource, size: int
) -> Iterator[ImportItem]:
    line, given = source.lines, value.get("chat_messages")
    listed: list[JsonValue] = [*given] if isinstance(given, list) else [given]
    messages = [one for one in listed if isinstance(one, dict)]
    if not listed:
        yield SkippedLine(line)
    for _ in range(len(listed) - len(messages)):
        yield UnusableLine(line, "has a message that is no object")
    shown = set(map(id, _find_branch(messages, text(value.get("current_leaf_message_uuid")))))
    session = text(value.get("uuid")) or f"{line}"

    def read_message(numbered: tuple[int, JsonObject]) -> Iterator[ImportItem]:
        number, message = numbered
        if id(message) not in shown:
            yield SkippedLine(line)
            return
        place = TranscriptPosition(
            line,
            size // len(messages),
            session,
            text(message.get("uuid")) or f"{number}",
            message.get("created_at") or value.get("created_at"),
            None,
        )
        yield from _read_message(place, message)

    yield from read_each(source, enumerate(messages), read_message)


def _find_branch(messages: list[JsonObject], leaf: str | None) -> list[JsonObject]:
    """List the messages of the branch shown last; all messages where no branch can be told.

    It can't where none names the one before it, and where two have the same name or none.
    """
    by_id = {text(one.get("uuid")) or "": one for one in messages}
    if len(by_id) < len(messages) or "" in by_id:
        return messages
    if not any(text(one.get("parent_message_uuid")) in by_id for one in messages):
        return messages
    newest = max(messages, key=lambda one: read_time(one.get("created_at")) or 0)
    parents = {key: text(one.get("parent_message_uuid")) for key, one in by_id.items()}
    last = leaf if leaf in by_id else text(newest.get("uuid"))
    return [by_id[key] for key in find_branch(parents, last or "")]


def _read_message(place: TranscriptPosition, message: JsonObject) -> Iterator[ImportItem]:
    role = _SPEAKERS.get(text(message.get("sender")) or "")
    if role is None:
        yield UnusableLine(place.line, f"has a message of an unknown sender: {place.message_id}")
        return
    for number, file in enumerate(objects(message.get("attachments"))):
        yield place.turn(
            Role.TOOL,
            message_id=f"{place.message_id}.file{number}",
            tool_name="attachment",
            tool_args={"file_name": text(file.get("file_name"))},
            tool_result=text(file.get("extracted_content")),
        )
    content = blocks(message.get("content"))
    told = words(message.get("text"))
    if told and not any(words(block.get("text")) for block in content):
        content = [*content, {"type": "text", "text": told}]
    turns = list(_read_blocks(place, role, content))
    yield from turns or [SkippedLine(place.line)]


def _read_blocks(
    place: TranscriptPosition, role: Role, content: list[JsonObject]
) -> Iterator[ImportItem]:
    """Yield the turns of a message's blocks, in order: words up to the next call are one turn."""
    said: list[str] = []
    parts = calls = 0
    for number, block in enumerate(content):
        said.append(block_words(block))
        if block.get("type") != "tool_use":
            continue
        if any(said):
            yield say_part(place, role, said, parts)
            said, parts = [], parts + 1
        calls += 1
        yield place.turn(
            Role.TOOL,
            message_id=text(block.get("id")) or f"{place.message_id}.call{calls}",
            tool_name=text(block.get("name")),
            tool_args=block.get("input"),
            tool_result=_find_result(block, content[number + 1 :]),
        )
    if any(said):
        yield say_part(place, role, said, parts)


def _find_result(call: JsonObject, after: list[JsonObject]) -> JsonValue:
    """Return a call's result: the block with the call's id, else the next result of such a tool."""
    for block in after:
        named = text(block.get("tool_use_id"))
        is_same = named == text(call.get("id")) if named else block.get("name") == call.get("name")
        if block.get("type") == "tool_result" and is_same:
            return result_text(block.get("content"))
    return None


def _places() -> Iterator[Path]:
    yield from downloads("*.zip", *_FILES)


CLAUDE_AI = ImportSource(
    name="claude-ai",
    title="claude.ai",
    client="claude.ai",
    patterns=("*.zip", "conversations*.json", "memories.json", "projects.json"),
    recognises=recognise,
    read=read,
    places=_places,
    unit="conversation",
    companions=frozenset(("users.json", "login_history.json")),
    note="the export that claude.ai mails you, as it is (Settings, Privacy, Export data)",
)
