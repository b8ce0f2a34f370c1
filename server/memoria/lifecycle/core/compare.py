"""Comparison of a core file with its last written version: the user's changes since."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoria.lifecycle.core.parse import Document, Line, is_bullet
from memoria.model.core import CoreLine
from memoria.policy.core import CONFLICTS


@dataclass(frozen=True, slots=True)
class Edits:
    """Changes that the user has made in a file."""

    kept: tuple[tuple[CoreLine, Line], ...]
    """Lines that say the same as before, wherever they stand now."""
    changed: tuple[tuple[CoreLine, Line], ...]
    gone: tuple[CoreLine, ...]
    added: tuple[Line, ...]


def compare_lines(base: Sequence[CoreLine], document: Document) -> Edits:
    """Find which lines that we wrote are unchanged, changed or gone, and which lines are new.

    A mark that stands twice is the first line's; the other is an addition, as is a line with a
    mark that was never given. A line that lost its mark and still says the same is known again,
    and a copy of one is no addition.
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
    """Map marks to lines, as far as a mark is one of ours and still there."""
    given = {one.mark for one in base}
    found: dict[str, Line] = {}
    for line in document.lines:
        if line.mark is not None and line.mark in given:
            found.setdefault(line.mark, line)
    return found


def place_lines(base: Sequence[CoreLine], document: Document) -> Iterator[tuple[str, bool]]:
    """Yield memories whose line stays: the file has it, or asks about it.

    With each comes True if it stands below a heading of the user's own.
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

    It is one in a group of memories, and as a bullet below a heading of the user's own.
    """
    plain = line.mark is None or line.mark.startswith(("m:", "q:"))
    if line.group is None:
        return line.kind == "item" or (plain and line.mark is not None and is_bullet(line.text))
    return plain and line.group != CONFLICTS
