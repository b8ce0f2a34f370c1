"""A note: a memory as Markdown. Its first paragraph is the memory, which whoever reads it may edit.

Properties stand above the paragraph; below stands what Memoria writes: where the memory comes from,
whom it speaks of, its former wordings. Text below the heading "Notes" is its reader's alone.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.fences import drop_invisible
from memoria.memories.conditions import condition_of_turn
from memoria.store.rows.transaction import Transaction

MARKER = "<!-- memoria: the text above is yours to edit, and all below Notes -->"
_MARKER = lazy_regex(r"^<!-- memoria\b.*-->[ \t]*$", re.MULTILINE)
_PROPERTIES = lazy_regex(r"\A---[ \t]*\n(.*?)^---[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_ID = lazy_regex(r"""^id:[ \t]*["']?([0-9a-f-]{36})["']?[ \t]*$""", re.MULTILINE)
_PINNED = lazy_regex(r"^pinned:[ \t]*(true|false)[ \t]*$", re.MULTILINE)
_BELOW = lazy_regex(r"^(?:## |> \[!)", re.MULTILINE)
_CONFLICT = lazy_regex(r"^> You wrote: (.*)$", re.MULTILINE)
_OWN = lazy_regex(r"^## Notes[ \t]*$\n?", re.MULTILINE)
_OWN_HEADING = "## Notes"


@dataclass(frozen=True, slots=True)
class Source:
    """A turn that a memory rests on."""

    day: str
    said_in: str
    """The session, with the client's name."""
    turn_id: str
    quote: str


@dataclass(frozen=True, slots=True)
class NoteContent:
    """Content of a memory's note."""

    memory_id: str
    wording: str
    properties: Mapping[str, str | float | bool]
    names: Sequence[str] = ()
    """Titles of the pages of the entities that the memory speaks of."""
    sources: Sequence[Source] = ()
    former: Sequence[tuple[str, str]] = ()
    """Former wordings, each with the day it ended."""
    conflict: str | None = None
    """Words of the reader, written while the memory itself was changed."""
    own: str = ""


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note as its reader has left it."""

    memory_id: str | None
    wording: str
    """The paragraph on top, in one line."""
    pinned: bool | None
    own: str
    conflict: str | None
    """Words of the reader that are still shown beside a memory that was changed meanwhile."""


class DamagedNoteError(Exception):
    """A file can't be read as a note. The message says why, to follow the note's name."""


def render_note(note: NoteContent) -> str:
    """Render the note as Markdown."""
    parts = [_render_properties(note), as_line(note.wording), "", MARKER]
    if note.conflict is not None:
        parts += [
            "",
            "> [!warning] Changed on both sides",
            f"> You wrote: {as_line(note.conflict)}",
            "> The memory was changed meanwhile and stands above. Write yours there, and it holds.",
        ]
    if note.names:
        parts += ["", f"About {', '.join(f'[[{name}]]' for name in note.names)}."]
    for source in note.sources:
        parts += ["", f"> [!quote] {source.day}, {source.said_in}, turn {source.turn_id}"]
        parts += [f"> {line}" for line in _lines_of(source.quote)]
    if note.former:
        parts += ["", "## Before", ""]
        parts += [f"- until {day}: {as_line(text)}" for day, text in note.former]
    if note.own:
        parts += ["", _OWN_HEADING, note.own.rstrip("\n")]
    return "\n".join(parts) + "\n"


def decode_note(data: bytes) -> str:
    """Decode a note's text, with ends of lines as we write them.

    Raises:
        DamagedNoteError: the data is no text, or has properties without an end.
    """
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise DamagedNoteError("is not UTF-8: save it as that") from error
    if "\0" in text:
        raise DamagedNoteError("is no text: it holds NUL")
    if text.startswith("---\n") and not _PROPERTIES.match(text):
        raise DamagedNoteError("has properties without an end: a line of three dashes is missing")
    return text


def read_note(text: str) -> ReadNote:
    """Parse a note, whoever has written it; see `decode_note`."""
    properties = _PROPERTIES.match(text)
    head = properties[1] if properties else ""
    body = text[properties.end() :] if properties else text
    own_at = _OWN.search(body)
    own = body[own_at.end() :] if own_at else ""
    body = body[: own_at.start()] if own_at else body
    end = _MARKER.search(body) or _BELOW.search(body)
    named, pinned = _ID.search(head), _PINNED.search(head)
    conflict = _CONFLICT.search(body, end.start()) if end else None
    return ReadNote(
        memory_id=named[1] if named else None,
        wording=as_line(body[: end.start()] if end else body),
        pinned=None if pinned is None else pinned[1] == "true",
        own=own.strip("\n"),
        conflict=conflict[1].strip() if conflict else None,
    )


def render_page(title: str, kind: str, links: Sequence[tuple[str, str]]) -> str:
    """Render the page of a person, place or thing: the notes that speak of it."""
    head = f"---\nkind: {json.dumps(kind)}\ntags: [memoria/{_tag(kind)}]\n---"
    entries = [f"- [[{link}|{as_title(text)}]]" for link, text in links]
    return "\n".join([head, f"# {title}", "", *entries]) + "\n"


def as_line(text: str) -> str:
    """Put a text in one line without a mark of ours."""
    line = " ".join(drop_invisible(text).split())
    return line.replace("<!--", "<! --")


def as_title(text: str) -> str:
    """Make a name for files and links from a text, without characters that mean something there."""
    plain = " ".join(_UNFIT.sub(" ", drop_invisible(text)).split()).strip(". ")
    cut = plain[:_MOST_CHARS].encode()[:_MOST_BYTES].decode("utf-8", "ignore")
    return (plain if cut == plain else f"{cut.rsplit(' ', 1)[0]}…") or "untitled"


_MOST_CHARS = 60
_MOST_BYTES = 180
"""Longest name: a file system takes 255 bytes, and an id and suffixes are added to the name."""
_UNFIT = lazy_regex(r"""[\x00-\x1f\[\]#^|\\/:*?"<>%]""")


def _render_properties(note: NoteContent) -> str:
    lines = ["---", f"id: {note.memory_id}"]
    lines += [f"{name}: {_as_yaml(value)}" for name, value in note.properties.items()]
    return "\n".join([*lines, "---"])


def _as_yaml(value: str | float | bool) -> str:
    """Write a value as YAML has it; JSON's strings are YAML's."""
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


_PLAIN = lazy_regex(r"(?!true|false|null|yes|no|on|off)[a-z][a-z0-9_/-]*|\d{4}-\d{2}-\d{2}")


def _lines_of(text: str) -> Iterator[str]:
    for line in drop_invisible(text).splitlines() or [""]:
        yield line.replace("<!--", "<! --")


def _tag(kind: str) -> str:
    return as_title(kind).replace(" ", "-")


_MOST_SOURCES = 5


def read_content(
    tx: Transaction, record: dict[str, Any], names: Sequence[str], conflict: str | None, own: str
) -> NoteContent:
    """Read the content of a note."""
    former = record["versions"][-2::-1]
    return NoteContent(
        memory_id=record["id"],
        wording=record["versions"][-1]["content"],
        properties=_list_properties(tx, record),
        names=names,
        sources=_list_sources(tx, record),
        former=[(_day(tx, one["valid_to"]), one["content"]) for one in former],
        conflict=conflict,
        own=own,
    )


def _list_properties(tx: Transaction, record: dict[str, Any]) -> dict[str, str | float | bool]:
    found: dict[str, str | float | bool | None] = {
        "type": str(record["type"]),
        "since": _day(tx, record["versions"][-1]["valid_from"]),
        "until": None if record["expires_at"] is None else _day(tx, record["expires_at"]),
        "importance": round(float(record["importance"]), 2),
        "confirmed": bool(record["verified"]),
        "pinned": bool(record["pinned"]),
        "project": record["workspace"] if record["scope"] == "project" else None,
        "task": record["task"],
        "tags": f"memoria/{record['type']}",
    }
    return {name: value for name, value in found.items() if value is not None}


def _list_sources(tx: Transaction, record: dict[str, Any]) -> list[Source]:
    """List the first turns that a memory rests on, as its present wording cites them."""
    wording = record["versions"][-1]
    quoted = {wording["turn"]: wording["quote"]} if wording["turn"] is not None else {}
    quoted |= {one["turn"]: one["quote"] for one in record["evidence"]}
    sources = []
    for turn_id, quote in list(quoted.items())[:_MOST_SOURCES]:
        turn = tx.conversations.turn(turn_id)
        if turn is not None and condition_of_turn(tx, turn) is None:
            said_in = f"{turn.source}, session {as_line(turn.session_id)}"
            words = quote if quote is not None else turn.content
            sources.append(Source(_day(tx, turn.at), said_in, turn_id, words))
    return sources


def _day(tx: Transaction, millis: int) -> str:
    day = tx.zone.date_of(millis)
    return "" if day is None else day.isoformat()
