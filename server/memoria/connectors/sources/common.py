"""Parts that several sources have in common: kinds, names, times, folders, branches."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue, ValidationError

from memoria.connectors.sources.database import ForeignDatabase, ForeignDatabaseError, open_database
from memoria.connectors.sources.interface import ImportItem
from memoria.connectors.transcripts.base import TranscriptPosition, TranscriptTurn
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine
from memoria.errors import InvalidInputError
from memoria.model import MemoryType, Mention, Role
from memoria.model.moments import parse_instant, to_millis
from memoria.model.operation import EntityKind

_KINDS: dict[str, MemoryType] = {
    **dict.fromkeys(("preference", "preferences", "like"), MemoryType.PREFERENCE),
    **dict.fromkeys(("rule", "guideline", "standard", "constraint", "policy"), MemoryType.RULE),
    **dict.fromkeys(("skill", "pattern", "learning", "howto", "technique"), MemoryType.SKILL),
    **dict.fromkeys(("error", "bug", "bugfix", "problem", "gotcha"), MemoryType.ERROR),
    **dict.fromkeys(("goal", "plan", "intention"), MemoryType.GOAL),
    **dict.fromkeys(("relationship", "relation"), MemoryType.RELATIONSHIP),
}
_ENTITIES: dict[str, EntityKind] = {
    **dict.fromkeys(("person", "people", "human", "user", "contact", "人", "人物"), "person"),
    **dict.fromkeys(
        ("organization", "organisation", "company", "team", "club", "组织", "公司"), "organisation"
    ),
    **dict.fromkeys(("place", "location", "city", "country", "地点", "城市"), "place"),
    **dict.fromkeys(
        ("product", "project", "tool", "software", "technology", "device", "项目", "产品"),
        "product",
    ),
    **dict.fromkeys(("event", "meeting", "trip", "事件"), "event"),
}


def read_database(
    source: TranscriptSource, read: Callable[[ForeignDatabase], Iterator[ImportItem]]
) -> Iterator[ImportItem]:
    """Yield what is read from a source's database; an `UnusableLine` where no more can be read."""
    try:
        with open_database(source.path) as database:
            yield from read(database)
    except ForeignDatabaseError as error:
        yield UnusableLine(None, str(error))


def read_kind(word: JsonValue) -> MemoryType:
    """Map a program's own word for a type to a memory type; a fact for unknown words."""
    return _KINDS.get(word.strip().lower() if isinstance(word, str) else "", MemoryType.FACT)


def read_entity_kind(word: JsonValue) -> EntityKind:
    """Map a program's own word for a kind of entity to ours; `other` for unknown words."""
    return _ENTITIES.get(word.strip().lower() if isinstance(word, str) else "", "other")


def read_share(value: JsonValue) -> float | None:
    """Read a number from 0 to 1, as importance is; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def as_mention(name: str, kind: EntityKind = "other") -> Mention | None:
    """Return a mention of a name, `John_Smith` as John Smith; None for a text that is no name."""
    plain = " ".join(name.replace("_", " ").split())
    try:
        return Mention(name=plain, kind=kind, aliases=() if plain == name else (name,))
    except ValidationError:
        return None


def file_time(source: TranscriptSource) -> int:
    """Return when a source's file was last written, UTC epoch ms: nothing in the file is newer."""
    return round(source.path.stat().st_mtime * 1000)


_LATEST_SECONDS = 100_000_000_000
"""Limit between seconds (until the year 5138) and milliseconds (from the year 1973)."""
_LATEST_MS = 253_402_300_799_999  # the year 9999


def read_time(value: JsonValue, *, is_utc: bool = False) -> int | None:
    """Convert a time in seconds, milliseconds or ISO 8601 to UTC epoch ms; None for any other.

    >>> read_time(1_700_000_000), read_time("2023-11-14T22:13:20Z")
    (1700000000000, 1700000000000)

    Args:
        value: the time.
        is_utc: a text that names no zone is UTC, as SQLite and Python's `utcnow` write it.
    """
    match value:
        case bool():
            return None
        case int() | float() if 0 < value < _LATEST_SECONDS:
            return round(value * 1000)
        case int() | float() if 0 < value <= _LATEST_MS:
            return round(value)
        case str():
            return _read_text(value.strip(), is_utc=is_utc)
        case _:
            return None


def _read_text(text: str, *, is_utc: bool) -> int | None:
    if text.isdigit():
        return read_time(int(text)) if len(text) < len(str(_LATEST_MS)) + 1 else None
    with suppress(ValueError, OverflowError, OSError):
        moment = datetime.fromisoformat(text)
        if is_utc and moment.tzinfo is None:
            return to_millis(moment.replace(tzinfo=UTC))
    with suppress(InvalidInputError):
        return parse_instant(text)
    return None


def home_folder(*parts: str) -> Path:
    """Return a place below the user's own folder."""
    return Path.home().joinpath(*parts)


def list_named(variable: str) -> Iterator[Path]:
    """Yield the place that a variable of the environment names."""
    if value := os.environ.get(variable):
        yield Path(value).expanduser()


def data_folders(*parts: str) -> Iterator[Path]:
    """Yield a program's places in the platform's folders of programs' data."""
    if sys.platform == "darwin":
        yield home_folder("Library", "Application Support", *parts)
    if sys.platform == "win32":
        for variable in ("APPDATA", "LOCALAPPDATA"):
            yield from (place.joinpath(*parts) for place in list_named(variable))
    shared = next(list_named("XDG_DATA_HOME"), home_folder(".local", "share"))
    yield shared.joinpath(*parts)


def settings_folders(*parts: str) -> Iterator[Path]:
    """Yield a program's places in the platform's folders of programs' settings."""
    if sys.platform == "darwin":
        yield home_folder("Library", "Application Support", *parts)
    if sys.platform == "win32":
        yield from (place.joinpath(*parts) for place in list_named("APPDATA"))
    shared = next(list_named("XDG_CONFIG_HOME"), home_folder(".config"))
    yield shared.joinpath(*parts)


def downloads(*patterns: str) -> Iterator[Path]:
    """Yield files in the Downloads folder, and in folders directly below."""
    folder = home_folder("Downloads")
    for pattern in patterns:
        for place in (pattern, f"*/{pattern}"):
            yield from sorted(file for file in folder.glob(place) if file.is_file())


def say_part(
    place: TranscriptPosition, role: Role, said: Iterable[str], number: int
) -> TranscriptTurn | UnusableLine:
    """Return what a message says between two of its tool calls as a turn, by its number there."""
    own_id = f"{place.message_id}.{number}" if number else place.message_id
    return place.turn(role, content="\n\n".join(filter(None, said)), message_id=own_id)


def find_branch(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """List the ids from the first message to a last one."""
    branch: list[str] = []
    seen: set[str] = set()
    node: str | None = leaf
    while node is not None and node in parents and node not in seen:
        seen.add(node)
        branch.append(node)
        node = parents[node]
    return branch[::-1]
