"""Documents of a repository in which its people say what they decided: records and changelogs.

A decision record is a file in a folder such as `docs/adr`. Of a changelog, each release is a note.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from memoria.connectors.sources.common import read_time
from memoria.connectors.sources.notes import Note, parse_note

_FOLDERS = frozenset({"adr", "adrs", "decisions", "decision-records", "decision_records"})
_TEXTS = frozenset({".md", ".markdown", ".rst", ".adoc", ".txt", ""})
_NO_RECORD = frozenset({"readme", "index", "template", "adr-template", "0000-template"})
_CHANGELOG = re.compile(r"(?i)(?:changelog|changes|history|news|release[-_]?notes)")
_STATUS = re.compile(r"(?im)^[\s*#_|-]*(?:status|状态)[*_\s]*[:：|][*_\s]*([^\n*_|]+)")
_STATUS_HEADINGS = frozenset({"status", "状态"})
_HEAD_CHARS = 2_000
"""Beginning of a record in which its status is looked for."""
_LONGEST_RECORD = 8_000
"""Length from which a record is given by its sections: a page of many decisions, most likely."""
_MOST_STATUS = 120

_HEADING = re.compile(r"(?:#{1,4}\s+|\*\s+(?=Noteworthy changes in release))(\S.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"([=~^-])\1{2,}\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_VERSION = re.compile(
    r"(?:Noteworthy changes in release |[\w@/.-]+[ @])?[\[(]?[vV]?(\d+\.\d+[\w.+-]*)"
)
_DAY = re.compile(r"\b(\d{4})[-/.](\d{2})[-/.](\d{2})\b")


@dataclass(frozen=True, slots=True)
class DecisionNote:
    """A decision, or a part of a page of decisions."""

    key: str
    """Key that tells it from the file's other parts; empty for a whole file."""
    status: str | None
    text: str


@dataclass(frozen=True, slots=True)
class ReleaseNotes:
    """Section of a changelog."""

    key: str
    """The version, told from another section of the same."""
    version: str
    at: int | None
    """Day that its heading names, UTC epoch ms."""
    text: str
    """Heading and words."""


def is_decision_record(path: str) -> bool:
    """Check by its path whether a file records a decision."""
    place = PurePosixPath(path)
    is_text = place.suffix.lower() in _TEXTS - {""} and place.stem.lower() not in _NO_RECORD
    return is_text and any(folder.lower() in _FOLDERS for folder in place.parent.parts)


def is_changelog(path: str) -> bool:
    """Check by its name whether a file is a changelog."""
    place = PurePosixPath(path)
    is_named = _CHANGELOG.fullmatch(place.stem if place.suffix else place.name) is not None
    return is_named and place.suffix.lower() in _TEXTS


def read_decisions(text: str) -> Iterator[DecisionNote]:
    """Yield a record as a note; a long page, section by section."""
    note = parse_note(text)
    if len(text) <= _LONGEST_RECORD or not note.sections:
        if text.strip():
            yield DecisionNote("", _find_status(note, text), text.strip())
        return
    for section in note.sections:
        words = "\n\n".join([" / ".join(section.headings), section.body]).strip()
        yield DecisionNote(section.key or "beginning", None, words)


def _find_status(note: Note, text: str) -> str | None:
    field = note.text_field("status", "Status")
    under = (
        one.body
        for one in note.sections
        if one.headings and one.headings[-1].strip().lower() in _STATUS_HEADINGS
    )
    found = field or next(under, None)
    if found is None:
        said = _STATUS.search(text[:_HEAD_CHARS])
        found = None if said is None else said[1]
    return None if found is None else " ".join(found.split("\n\n")[0].split())[:_MOST_STATUS]


def read_releases(text: str) -> Iterator[ReleaseNotes]:
    """Yield the sections of a changelog that a version heads and that say something."""
    seen: Counter[str] = Counter()
    for heading, body in _split(text.replace("\r\n", "\n")):
        version = _VERSION.match(heading)
        words = "\n".join(body).strip()
        if version is None or not words:
            continue
        seen[version[1]] += 1
        many = seen[version[1]]
        key = version[1] if many == 1 else f"{version[1]} ({many})"
        day = _DAY.search(heading)
        at = None if day is None else read_time("-".join(day.groups()))
        yield ReleaseNotes(key, version[1], at, f"{heading}\n\n{words}")


def _split(text: str) -> Iterator[tuple[str, list[str]]]:
    """Split a changelog at the headings of releases; headings without a version part nothing."""
    lines = text.split("\n")
    heading, body, is_fenced = "", list[str](), False
    for number, line in enumerate(lines):
        is_fenced ^= _FENCE.match(line) is not None
        found = None if is_fenced else _find_heading(lines, number)
        if found is None:
            if not (number and not body and _UNDERLINE.match(line)):
                body.append(line)
            continue
        yield heading, body
        heading, body = found, []
    yield heading, body


def _find_heading(lines: list[str], number: int) -> str | None:
    """Return the heading of a release in a line; None in any other."""
    line = lines[number]
    marked = _HEADING.match(line)
    is_underlined = number + 1 < len(lines) and _UNDERLINE.match(lines[number + 1]) is not None
    words = marked[1] if marked is not None else line.strip() if is_underlined else ""
    return words if _VERSION.match(words) else None
