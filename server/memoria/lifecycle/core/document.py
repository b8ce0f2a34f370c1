"""Core file as a document: parsed into lines, and compared with what was last written.

Nothing is thrown away: the lines joined again are the file.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.model.core import (
    CONTRADICTED,
    EARLIER,
    NOT_REMEMBERED,
    OWN_COMMENT,
    CoreFile,
    CoreLine,
)
from memoria.policy.core import CONFLICTS, SAID, groups_in

BOM = "\ufeff"
BY_FILE, BY_CHAT, PUT_ASIDE, TAKEN_OUT = (
    "file says: ",
    "chat says: ",
    "put aside in chat: ",
    "taken out here, kept so far: ",
)
"""Labels before the wordings of a conflict."""
_DIGEST_CHARS = 8
LineKind = Literal["heading", "head", "note", "ours", "quote", "item", "other"]
_LINE = lazy_regex(r"([^\n]*?)(\r?\n|\Z)")
_BLANKS = r"(?:(?<![ \t])[ \t]++)?"
"""Matches a whole run of blanks or nothing, so that no run is read again from each blank in it."""
_MARK = lazy_regex(rf"{_BLANKS}<!--[ \t]*+([mcd]:[0-9a-f]{{4,32}})[ \t]*-->[ \t]*")
_QUOTE_MARK = lazy_regex(rf"{_BLANKS}<!--[ \t]*+(q:[0-9a-f]{{8}}) ([0-9a-f]{{8}})[ \t]*-->[ \t]*")
_QUOTED = lazy_regex(r"“(.*)”")
_OWN_COMMENTING = lazy_regex(rf" {{0,3}}#{{1,6}}[ \t]+(.*?){_BLANKS}(?:(?<!#)#++)?{_BLANKS}$")
_UNDERLINE = lazy_regex(r" {0,3}(=+|-{3,})[ \t]*$")
_FENCE = lazy_regex(r" {0,3}(```|~~~)")
_BULLET = lazy_regex(r"[ \t]*(?:[-*+•・·][ \t]+|\d{1,3}[.)、][ \t]*)")
_TASK = lazy_regex(r"[ \t]*[-*+][ \t]+\[[ xX]\]")
_NOT_PLAIN = lazy_regex(r"[ \t]{2,}|\t|[ \t]*(?:[>|<]|[-*_](?:[ \t]*[-*_]){2,}[ \t]*$)")
_LABEL = lazy_regex("|".join(map(re.escape, (BY_FILE, BY_CHAT, PUT_ASIDE, TAKEN_OUT))))
_GIT = lazy_regex(r"^(?:<{7}|>{7})(?: |\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the file."""

    text: str
    """Text of the line as it stands in the file."""
    end: str
    """`\\n`, `\\r\\n`, or nothing at the end of the file."""
    kind: LineKind
    group: str | None = None
    """Group of memories under whose heading it stands; None under another heading."""
    heading: str = ""
    """Heading of the user's own under which it stands."""
    mark: str | None = None
    statement: str = ""
    """Statement without mark, bullet and labels, spaces folded; of a quote, the words that the user
    has put in place of the quoted words; empty if these were not changed."""

    @property
    def digest(self) -> bytes:
        """Digest of what the line says."""
        return digest(self.statement)


@dataclass(frozen=True, slots=True)
class Document:
    """A core file in lines."""

    lines: tuple[Line, ...]
    end: str = "\n"
    """Ending of its lines."""
    bom: bool = False

    @property
    def text(self) -> str:
        """Text of the file, as it was."""
        return BOM * self.bom + "".join(line.text + line.end for line in self.lines)


def decode_text(data: bytes) -> str | None:
    """Decode a core file; return None if it can neither be read nor safely overwritten.

    Such a file is empty, not UTF-8, or has conflict markers of git. UTF-16 may well be
    UTF-8 too, but for its NUL characters, which no text has.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    is_text = "\0" not in text and bool(text.strip(BOM).strip())
    return text if is_text and not _GIT.search(text) else None


def digest(said: str) -> bytes:
    """Return the digest of a line; composed characters and spaces make no difference."""
    return hashlib.sha256(unicodedata.normalize("NFC", fold(said)).encode()).digest()


def fold(text: str) -> str:
    """Return the text in one line, a space between words."""
    return " ".join(text.split())


def parse_file(data: bytes, file: CoreFile) -> Document | None:
    """Parse the content of a core file; return None as `decode_text` does."""
    text = decode_text(data)
    return None if text is None else parse(text, file)


def parse(text: str, file: CoreFile) -> Document:
    """Parse the text of a core file."""
    body = text.removeprefix(BOM)
    raw = [(m[1], m[2]) for m in _LINE.finditer(body) if m[0]]
    crlf = sum(end == "\r\n" for _, end in raw)
    end = "\r\n" if crlf * 2 > len(raw) else "\n"
    return Document(tuple(_lines(raw, file)), end, text.startswith(BOM))


def _lines(raw: Sequence[tuple[str, str]], file: CoreFile) -> Iterator[Line]:
    known = {
        name.casefold(): name for name in (*(g.heading for g in groups_in(file)), SAID, CONFLICTS)
    }
    place = _Place()
    fence: str | None = None
    comment = False
    for i, (text, end) in enumerate(raw):
        opened = _FENCE.match(text)
        if _is_ours(text):  # nobody's code, nor a comment
            fence, comment = None, False
            yield _line(text, end, place)
            continue
        if fence is not None or comment:
            fence = None if opened is not None and opened[1] == fence else fence
            comment = comment and "-->" not in text
            yield Line(text, end, "other", place.group)
            continue
        if opened is not None:
            fence = opened[1]
            yield Line(text, end, "other", place.group)
            continue
        heading = _OWN_COMMENTING.match(text)
        below = raw[i + 1][0] if i + 1 < len(raw) else ""
        if heading or _is_heading_by_underline(text, below):
            group = known.get(heading[1].casefold()) if heading else None
            own = heading[1] if heading else text.strip()
            place = _Place(group, own if group is None else "")
            yield Line(text, end, "heading", group)
            continue
        comment = "<!--" in text and "-->" not in text[text.rindex("<!--") :]
        yield _line(text, end, place)


def _is_ours(text: str) -> bool:
    """Check whether a line ends as those that Memoria writes."""
    marks = (_MARK, _QUOTE_MARK)
    return text.rstrip().endswith(OWN_COMMENT) or any(mark.search(text) for mark in marks)


def _is_heading_by_underline(text: str, below: str) -> bool:
    """Check whether a line is a heading because it is underlined."""
    said = bool(text.strip()) and not _BULLET.match(text) and not _NOT_PLAIN.match(text)
    return said and _UNDERLINE.match(below) is not None


@dataclass(frozen=True, slots=True)
class _Place:
    """The heading below which a line stands."""

    group: str | None = None
    own: str = ""
    """Heading, if it is one of the user's own."""

    def is_item(self, text: str) -> bool:
        """Check for a statement: any line below a group's heading, a bullet below another one."""
        if self.group is not None:
            return self.group != CONFLICTS
        return bool(self.own) and is_bullet(text) and not _TASK.match(text)


def _line(text: str, end: str, place: _Place) -> Line:
    if text.rstrip().endswith(OWN_COMMENT):
        is_note = text.strip().startswith(NOT_REMEMBERED)
        return Line(text, end, "note" if is_note else "head", place.group)
    quote = _QUOTE_MARK.search(text)
    if quote is not None:
        said = _changed_words(_QUOTE_MARK.sub(" ", text), quote[2])
        return Line(text, end, "quote", place.group, place.own, quote[1], said)
    mark = _MARK.search(text)
    if mark is not None:
        said = _statement_of(text, mark[1])
        return Line(text, end, "ours", place.group, place.own, mark[1], said)
    said = strip_label(fold(_strip_bullet(text)))
    plain = not _NOT_PLAIN.match(text) and any(map(str.isalnum, said))
    kind: LineKind = "item" if plain and place.is_item(text) else "other"
    return Line(text, end, kind, place.group, place.own, None, said)


def strip_label(said: str) -> str:
    """Return the words of a line without Memoria's remarks behind them."""
    while said.endswith((CONTRADICTED, EARLIER)):
        said = said.removesuffix(CONTRADICTED).removesuffix(EARLIER)
    return said


def short_digest(said: str) -> str:
    """Return the short digest of quoted words that stands in the mark of their line."""
    return digest(said).hex()[:_DIGEST_CHARS]


def _changed_words(text: str, known: str) -> str:
    """Return the words that the user wrote in place of a quote; empty if the quote is unchanged."""
    said = fold(_strip_bullet(text))
    quoted = _QUOTED.search(said)
    words = said if quoted is None else quoted[1]
    return "" if short_digest(words) == known else words


def is_bullet(text: str) -> bool:
    """Check whether a line is an item of a list."""
    return _BULLET.match(text) is not None


def _statement_of(text: str, mark: str) -> str:
    said = strip_label(fold(_strip_bullet(_MARK.sub(" ", text))))
    label = None if mark.startswith("m:") else _LABEL.match(said)
    return said if label is None else said[label.end() :]


def _strip_bullet(text: str) -> str:
    return _BULLET.sub("", text, count=1) if _BULLET.match(text) else text


@dataclass(frozen=True, slots=True)
class Edits:
    """Changes that the user has made in a file."""

    kept: tuple[tuple[CoreLine, Line], ...]
    """Lines that say the same as before, wherever they stand now."""
    changed: tuple[tuple[CoreLine, Line], ...]
    gone: tuple[CoreLine, ...]
    added: tuple[Line, ...]


def compare_lines(base: Sequence[CoreLine], document: Document) -> Edits:
    """Return which of Memoria's lines are unchanged, changed or gone, and which lines are new.

    Of two lines with one mark the second is an addition, as is a line with a
    mark that was never given. A line that lost its mark and still says the same is recognised,
    and a copy of a line is no addition.
    """
    found, stray = lines_by_mark(base, document), lines_without_mark(base, document)
    said = {line.digest: line for line in reversed(stray)}
    kept, changed = list[tuple[CoreLine, Line]](), list[tuple[CoreLine, Line]]()
    gone = list[CoreLine]()
    for one in base:
        line = found.get(one.mark) or said.get(one.digest)
        if line is None or not line.statement:
            gone.append(one)
        else:
            (kept if line.digest == one.digest else changed).append((one, line))
    known = {one.digest for one in base}
    added = (line for line in stray if line.digest not in known and asks_for_memory(line))
    return Edits(tuple(kept), tuple(changed), tuple(gone), tuple(added))


def lines_by_mark(base: Iterable[CoreLine], document: Document) -> Mapping[str, Line]:
    """Map marks that Memoria has given to the lines that still have them."""
    given = {one.mark for one in base}
    found: dict[str, Line] = {}
    for line in document.lines:
        if line.mark is not None and line.mark in given:
            found.setdefault(line.mark, line)
    return found


def place_lines(base: Sequence[CoreLine], document: Document) -> Iterator[tuple[str, bool]]:
    """Yield memories whose line stays because the file still has it, or asks the user about it.

    Each comes with True if its line stands below a heading of the user's own.
    """
    marks = lines_by_mark(base, document)
    said = {line.digest: line for line in document.lines if line.kind in ("ours", "item")}
    for one in base:
        line = marks.get(one.mark) or said.get(one.digest)
        if line is not None or not one.mark.startswith("m:"):
            yield one.memory_id, line is not None and line.group is None


def lines_without_mark(base: Sequence[CoreLine], document: Document) -> list[Line]:
    """Return the lines that the user wrote, or whose mark the user removed."""
    ours = {id(line) for line in lines_by_mark(base, document).values()}
    candidates = (line for line in document.lines if line.kind in ("ours", "quote", "item"))
    return [line for line in candidates if id(line) not in ours and line.statement]


def asks_for_memory(line: Line) -> bool:
    """Check whether a line without a mark is a new memory.

    Below a heading of Memoria's every plain line is; below one of the user's own, every bullet.
    """
    plain = line.mark is None or line.mark.startswith(("m:", "q:"))
    if line.group is None:
        return line.kind == "item" or (plain and line.mark is not None and is_bullet(line.text))
    return plain and line.group != CONFLICTS
