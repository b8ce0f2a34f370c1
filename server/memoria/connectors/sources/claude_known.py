"""Reading of claude.ai's projects, and of what Claude keeps in mind, from its export.

What Claude keeps in mind of the user and of each project is read paragraph by paragraph, each a
memory, known by its heading and its place below that. A project's instructions are the user's
words, and its files a tool's output, as those attached to a message are.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from memoria.connectors.sources.archives import ExportDocument, list_names, open_documents
from memoria.connectors.sources.facts import file_time
from memoria.connectors.sources.interface import ForeignItem, ImportItem
from memoria.connectors.sources.json_items import read_items
from memoria.connectors.sources.times import read_time
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition
from memoria.connectors.transcripts.shapes import obj, objects, text
from memoria.connectors.transcripts.source import JsonObject, TranscriptSource
from memoria.model import Role
from memoria.model.foreign import ForeignMemory

KNOWN = ("memories.json", "memories/*.json")
PROJECTS = ("projects.json", "projects/*.json")
_LONGEST_HEADING = 8  # words
_SHORT_ID_CHARS = 8


def is_known(value: JsonObject) -> bool:
    """Check whether it is what Claude keeps in mind of an account."""
    return not value.keys().isdisjoint(("conversations_memory", "project_memories", "memory_files"))


def is_project(value: JsonObject) -> bool:
    """Check whether it is a project."""
    return value.keys() >= {"uuid", "name"} and not value.keys().isdisjoint(
        ("docs", "prompt_template")
    )


def list_project_names(export: Path) -> dict[str, str]:
    """Map an account's projects' ids to names: from an export, or from what is beside it.

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
    for project, words in _list_pairs(value.get("project_memories"), "project_uuid", "memory"):
        name = projects.get(project) or f"Project {project[:_SHORT_ID_CHARS]}"
        yield from _read_paragraphs(source, f"{account} {project}", words, at, name)
    for file in objects(value.get("memory_files")):
        path = text(file.get("path")) or ""
        own_time = read_time(file.get("updated_at")) or at
        yield from _read_paragraphs(
            source, f"{account} {path}", file.get("content"), own_time, PurePosixPath(path).stem
        )


def _list_pairs(value: JsonValue, key: str, of: str) -> list[tuple[str, JsonValue]]:
    """List the pairs of an object, or of a list of objects with the pair in two fields."""
    if isinstance(value, dict):
        return list(value.items())
    return [(text(one.get(key)) or "", one.get(of)) for one in objects(value)]


def _read_paragraphs(
    source: TranscriptSource, key: str, value: JsonValue, at: int, title: str = ""
) -> Iterator[ImportItem]:
    heading, place = title, 0
    for paragraph in (text(value) or "").split("\n\n"):
        words = paragraph.strip()
        bare = words.strip("*# ")
        is_heading = words.startswith(("#", "**")) and "\n" not in words
        if is_heading and len(bare.split()) < _LONGEST_HEADING:
            heading, place = bare, 0
        elif words:
            place += 1
            content = f"{heading}: {words}" if heading else words
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
