"""Notes in Markdown or plain text: a vault of Obsidian, or any folder of them.

Each section of a note is a turn of the user's, in a session of the note; whoever changes a section
gives that turn a new version. A note is as old as its front matter says, as its name if that is a
day, or else as its file. Notes that Memoria has written itself are left out.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

import yaml
from pydantic import JsonValue

from memoria.connectors.sources.common import file_time, read_time, settings_folders
from memoria.connectors.sources.interface import ImportItem, ImportSource
from memoria.connectors.sources.probe import Probe, is_binary
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition
from memoria.connectors.transcripts.encoding import UnknownEncodingError, decode_text
from memoria.connectors.transcripts.messages import text
from memoria.connectors.transcripts.source import (
    MAX_LINE_BYTES,
    TranscriptSource,
    UnusableLine,
    open_file,
    read_text,
)
from memoria.model import Role

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_EMBED = re.compile(r"!\[\[([^\]|#]+)[^\]]*\]\]")
_LINK = re.compile(r"\[\[([^\[\]|#]*+)(?:#([^\[\]|]*+))?+(?:\|([^\[\]]*+))?+\]\]")
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})")
_MOST_FRONT_MATTER = 64 * 1024
_CREATED = ("created", "created_at", "date", "date created", "创建时间", "日期")
_CHANGED = ("modified", "updated", "updated_at", "date modified", "修改时间")


@dataclass(frozen=True, slots=True)
class NoteSection:
    """Section of a note: a heading and the text under the heading."""

    line: int
    """Line of the heading, from 1."""
    headings: tuple[str, ...]
    """Headings from the widest to its own; none above the first heading."""
    body: str
    key: str
    """Key that tells the section from the note's other sections."""


@dataclass(frozen=True, slots=True)
class Note:
    """A note."""

    fields: Mapping[str, object] = field(default_factory=dict)
    """Its front matter."""
    sections: tuple[NoteSection, ...] = ()
    has_bad_fields: bool = False
    """True if its front matter could not be read."""

    def text_field(self, *names: str) -> str | None:
        """Return the first of some fields that is a text or a number."""
        found = (self.fields.get(name) for name in names)
        return next((str(one) for one in found if isinstance(one, str | int | float)), None)

    @property
    def creation_time(self) -> int | None:
        """Time at which the note was begun, by its front matter."""
        return self._time(_CREATED)

    @property
    def change_time(self) -> int | None:
        """Time at which the note was last changed, by its front matter."""
        return self._time(_CHANGED)

    def _time(self, names: tuple[str, ...]) -> int | None:
        by_name = {str(name).lower(): value for name, value in self.fields.items()}
        times = (read_time(_as_json(by_name.get(name))) for name in names)
        return next((time for time in times if time is not None), None)


def parse_note(text: str) -> Note:
    """Parse a note into front matter and sections."""
    fields, body, first, is_bad = _split_front_matter(text)
    return Note(fields, tuple(_split_sections(body, first)), is_bad)


def find_day(name: str) -> int | None:
    """Return the first moment of the day in a daily note's name; None for other names."""
    day = _DAY.search(name)
    return read_time(day[1]) if day else None


def read_links(text: str) -> str:
    """Replace the links in a text with their names."""
    plain = _EMBED.sub(r"[\1]", text)
    return _LINK.sub(lambda link: link[3] or link[1] or link[2] or "", plain)


def _split_front_matter(text: str) -> tuple[dict[str, object], str, int, bool]:
    """Split off the fields; return fields, rest, its first line, and if the fields are bad."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    end = text.find("\n---", 3, _MOST_FRONT_MATTER)
    if not text.startswith("---\n") or end < 0:
        return {}, text, 1, False
    rest = text[end + len("\n---") :]
    first = text.count("\n", 0, end) + 2
    try:
        fields = yaml.safe_load(text[4:end])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, rest, first, True
    return (fields if isinstance(fields, dict) else {}), rest, first, False


def _split_sections(body: str, first: int) -> Iterator[NoteSection]:
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    seen: Counter[str] = Counter()
    begun, is_fenced = first, False

    def close() -> Iterator[NoteSection]:
        words = "\n".join(lines).strip()
        headings = tuple(heading for _, heading in path)
        key = " / ".join(headings)
        seen[key] += 1
        if words:
            own = key if seen[key] == 1 else f"{key} ({seen[key]})"
            yield NoteSection(begun, headings, words, own)

    for number, line in enumerate(body.split("\n"), first):
        is_fenced ^= bool(_FENCE.match(line))
        heading = None if is_fenced else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        yield from close()
        depth = len(heading[1])
        path = [(level, name) for level, name in path if level < depth]
        path.append((depth, heading[2]))
        lines, begun = [], number
    yield from close()


def _as_json(value: object) -> JsonValue:
    match value:
        case datetime() | date():
            return value.isoformat()
        case str() | int() | float():
            return value
        case _:
            return None


_VAULT = ".obsidian"
_HIDDEN = frozenset({_VAULT, ".trash", ".git"})
_OURS = re.compile(r"^<!-- memoria\b.*-->[ \t]*$", re.MULTILINE)
"""Mark in each note that Memoria writes; see `connectors/notes`."""
_ID_CHARS = 200


def load_note(source: TranscriptSource) -> Note | UnusableLine:
    """Load the note in a file; an `UnusableLine` says why a file can't be read."""
    try:
        with open_file(source.path) as file:
            data = file.read(MAX_LINE_BYTES + 1)
        if len(data) > MAX_LINE_BYTES:
            return UnusableLine(None, f"is longer than {MAX_LINE_BYTES:,} bytes")
        content, encoding = decode_text(data)
        source.encodings.update(filter(None, [encoding]))
    except UnknownEncodingError as error:
        return UnusableLine(None, str(error))
    except OSError as error:
        return UnusableLine(None, f"can't be read: {error.strerror or error}")
    if is_binary(content):
        return UnusableLine(None, "is no text: it holds NUL or mostly control characters")
    return parse_note(content)


def read(source: TranscriptSource) -> Iterator[ImportItem]:
    """Yield a turn for each section."""
    note = load_note(source)
    if isinstance(note, UnusableLine):
        yield note
        return
    if note.has_bad_fields:
        yield UnusableLine(1, "has front matter that is not YAML; the rest was read")
    vault = find_vault(source.path)
    session = source.session if vault is None else _name_in_vault(source.path, vault)
    is_ours = any(_OURS.search(section.body) for section in note.sections)
    for section in note.sections:
        source.lines += 1
        yield SkippedLine(section.line) if is_ours else say_section(source, note, section, session)


def say_section(
    source: TranscriptSource, note: Note, section: NoteSection, session: str
) -> ImportItem:
    """Return a section as a turn of the user's."""
    at = note.change_time or note.creation_time or find_day(source.path.stem) or file_time(source)
    title = note.text_field("title") or source.path.stem
    headings = [heading for heading in section.headings if heading != title]
    place = TranscriptPosition(
        section.line,
        len(section.body),
        session,
        section.key[:_ID_CHARS] or "beginning",
        at,
        None,
        str(source.path.parent),
    )
    head = " › ".join((title, *headings))
    return place.turn(Role.USER, content=f"{head}\n\n{read_links(section.body)}")


def find_vault(path: Path) -> Path | None:
    """Find the vault of Obsidian that a note lies in."""
    return next((folder for folder in path.parents if (folder / _VAULT).is_dir()), None)


def _name_in_vault(path: Path, vault: Path) -> str:
    return f"{vault.name}/{path.relative_to(vault).with_suffix('').as_posix()}"


def _is_in_vault(probe: Probe) -> bool:
    is_text = probe.is_markdown and not is_binary(probe.head)
    return is_text and find_vault(probe.path) is not None


def _is_note(probe: Probe) -> bool:
    is_text = probe.is_markdown or probe.suffix == ".txt"
    return is_text and bool(probe.head.strip()) and not is_binary(probe.head)


def _vaults() -> Iterator[Path]:
    """Yield the vaults that Obsidian knows."""
    for file in settings_folders("obsidian", "obsidian.json"):
        try:
            vaults = json.loads(read_text(file))["vaults"].values()
            yield from (Path(vault["path"]) for vault in vaults if text(vault.get("path")))
        except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
            continue  # there is none, or it is written otherwise by now


OBSIDIAN = ImportSource(
    name="obsidian",
    title="Obsidian",
    client="obsidian",
    patterns=("*.md",),
    recognises=_is_in_vault,
    read=read,
    places=_vaults,
    unit="section",
    note="a vault, or notes in one",
    excluded_folders=_HIDDEN,
)
NOTES = ImportSource(
    name="notes",
    title="Notes",
    client="notes",
    patterns=("*.md", "*.markdown", "*.txt"),
    recognises=_is_note,
    read=read,
    unit="section",
    note="any notes in Markdown or plain text",
    excluded_folders=_HIDDEN,
)
