"""Notes in Markdown, taken apart: front matter, and sections under their headings."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

import yaml
from pydantic import JsonValue

from memoria.connectors.sources.times import read_time

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
    """Section of a note: a heading and what is under it."""

    line: int
    """Line of the heading, from 1."""
    headings: tuple[str, ...]
    """Headings from the widest to its own; none above the first heading."""
    body: str
    key: str
    """Key that tells it from the other sections of its note, whatever they say."""


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
        """Time at which it was begun, as it says itself."""
        return self._time(_CREATED)

    @property
    def change_time(self) -> int | None:
        """Time at which it was last changed, as it says itself."""
        return self._time(_CHANGED)

    def _time(self, names: tuple[str, ...]) -> int | None:
        by_name = {str(name).lower(): value for name, value in self.fields.items()}
        times = (read_time(_as_json(by_name.get(name))) for name in names)
        return next((time for time in times if time is not None), None)


def parse_note(text: str) -> Note:
    """Take a note apart."""
    fields, body, first, is_bad = _split_front_matter(text)
    return Note(fields, tuple(_split_sections(body, first)), is_bad)


def find_day(name: str) -> int | None:
    """Return the first moment of the day that a daily note is named after; None for other names."""
    day = _DAY.search(name)
    return read_time(day[1]) if day else None


def read_links(text: str) -> str:
    """Replace the links in a text with their names."""
    plain = _EMBED.sub(r"[\1]", text)
    return _LINK.sub(lambda link: link[3] or link[1] or link[2] or "", plain)


def _split_front_matter(text: str) -> tuple[dict[str, object], str, int, bool]:
    """Split off the fields; return them, the rest, its first line's number, and if they are bad."""
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
