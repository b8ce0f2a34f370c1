"""basic-memory: notes whose lists have observations and relations of the note's subject.

`- [category] words #tag (context)` is an observation, `- relation [[Other]] (context)` a relation.
Both are memories about the note's subject. What else a note says is read like any note.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from memoria.connectors.sources.common import (
    as_mention,
    file_time,
    home_folder,
    list_named,
    read_entity_kind,
    read_kind,
)
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.notes import Note, load_note, read_links, say_section
from memoria.connectors.sources.probe import Probe
from memoria.connectors.transcripts.messages import obj, text
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine, read_text
from memoria.model.conclusions import ForeignMemory

_OBSERVATION = re.compile(r"\s*[-*] \[(?P<category>[^\[\]()]{2,50})\]\s+(?P<words>\S.*)$")
_CLOCK = re.compile(r"\d{1,3}:\d\d[\d:.,]*(?:\s+-\s+[\d:.,]+)?$")
"""Timestamp with which a transcript of talk marks its lines."""
_RELATION = re.compile(
    r"\s*[-*] (?P<kind>[^\[\]]{0,60}?)\s*\[\[(?P<other>[^\]]+)\]\](?P<rest>\s*|\s+\([^()]*\)\s*)$"
)
"""Relation on a line of its own. A sentence that goes on behind the link stays in the text."""
_PERMALINK = re.compile(r"\A\ufeff?---\r?\n(?:.*\n)*?permalink:", re.MULTILINE)
_TAG = re.compile(r"(?<!\s)\s++#[^\s#]+")
_LINKS_TO = "links to"


def recognise(probe: Probe) -> bool:
    """Check whether a file is a note with a permalink, which basic-memory gives each note."""
    front = probe.head.split("\n---", 1)[0] if probe.is_markdown else ""
    return bool(_PERMALINK.match(f"{front}\n"))


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield memories of a note's lists, and turns of all else in the note."""
    note = load_note(source)
    if isinstance(note, UnusableLine):
        yield note
        return
    if note.has_bad_fields:
        yield UnusableLine(1, "has front matter that is not YAML; the rest was read")
    name = note.text_field("permalink") or source.session
    for section in note.sections:
        rest = []
        for number, line in enumerate(section.body.split("\n")):
            item = _read_line(source, note, name, section.line + number + 1, line)
            if item is None:
                rest.append(line)
            else:
                source.lines += 1
                yield item
        words = "\n".join(rest).strip()
        if words:
            source.lines += 1
            yield say_section(source, note, replace(section, body=words), name)


def _read_line(
    source: TranscriptSource, note: Note, name: str, number: int, line: str
) -> ImportItem | None:
    title = note.text_field("title") or source.path.stem
    mention = as_mention(title[:100], read_entity_kind(note.text_field("entity_type", "type")))
    observed, related = _OBSERVATION.match(line), _RELATION.match(line)
    if observed is not None and not _CLOCK.match(observed["category"]):
        words = read_links(_TAG.sub("", observed["words"])).strip()
        content = words if title.lower() in words.lower() else f"{title}: {words}"
        mentions, kind = [mention], read_kind(observed["category"])
    elif related is not None:
        other = read_links(f"[[{related['other']}]]")
        relation = related["kind"].replace("_", " ").strip() or _LINKS_TO
        content = f"{title} {relation} {other}{related['rest'].rstrip()}"
        mentions, kind = [mention, as_mention(other[:100])], read_kind("fact")
    else:
        return None
    at = note.change_time or note.creation_time or file_time(source)
    memory = ForeignMemory(
        key=f"{name}\0{line.strip()}",
        content=content,
        at=at,
        created_at=note.creation_time,
        kind=kind,
        subject=None if mention is None else mention.name,
        mentions=tuple(one for one in mentions if one is not None),
    )
    return ForeignItem(number, memory, len(line), str(source.path.parent))


def _places() -> Iterator[Path]:
    yield from list_named("BASIC_MEMORY_HOME")
    yield home_folder("basic-memory")
    try:
        config = json.loads(read_text(home_folder(".basic-memory", "config.json")))
    except (OSError, ValueError, RecursionError):
        return
    for project in obj(obj(config).get("projects")).values():
        place = text(project) or text(obj(project).get("path"))
        if place is not None and Path(place) != home_folder("basic-memory"):
            yield Path(place)


BASIC_MEMORY = ImportSource(
    name="basic-memory",
    title="basic-memory",
    client="basic-memory",
    patterns=("*.md",),
    recognises=recognise,
    read=read,
    places=_places,
    unit="line",
    note="its folder of notes, ~/basic-memory",
    excluded_folders=frozenset({".obsidian", ".trash", ".git"}),
)
