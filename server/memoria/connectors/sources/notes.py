"""Notes in Markdown or plain text: a vault of Obsidian, or any folder of them.

Each section of a note is a turn of the user's, in a session of the note; whoever changes a section
gives that turn a new version. A note is as old as its front matter says, as its name if that is a
day, or else as its file. Notes that Memoria has written itself are left out.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from memoria.connectors.sources.facts import file_time
from memoria.connectors.sources.interface import ImportItem, ImportSource
from memoria.connectors.sources.markdown import Note, NoteSection, find_day, parse_note, read_links
from memoria.connectors.sources.places import settings_folders
from memoria.connectors.sources.probe import Probe, is_binary
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition
from memoria.connectors.transcripts.encoding import UnknownEncodingError, decode_text
from memoria.connectors.transcripts.shapes import text
from memoria.connectors.transcripts.source import (
    MAX_LINE_BYTES,
    TranscriptSource,
    UnusableLine,
    open_file,
    read_text,
)
from memoria.model import Role

_VAULT = ".obsidian"
_HIDDEN = frozenset({_VAULT, ".trash", ".git"})
_OURS = re.compile(r"^<!-- memoria\b.*-->[ \t]*$", re.MULTILINE)
"""Mark in each note of Memoria's own; see `connectors/notes`."""
_ID_CHARS = 200


def load_note(source: TranscriptSource) -> Note | UnusableLine:
    """Load the note in a file, or say what is wrong with it."""
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
