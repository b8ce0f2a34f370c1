"""A file held against what it said when it was last written: what a hand has changed since."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoria.lifecycle.core.parse import Document, Line
from memoria.model.core import CoreLine
from memoria.policy.core import CONFLICTS


@dataclass(frozen=True, slots=True)
class Edits:
    """What a hand has done to a file."""

    kept: tuple[tuple[CoreLine, Line], ...]
    """Lines that say what they said, wherever they stand now."""
    changed: tuple[tuple[CoreLine, Line], ...]
    gone: tuple[CoreLine, ...]
    added: tuple[Line, ...]


def compare_lines(base: Sequence[CoreLine], document: Document) -> Edits:
    """What became of each line that was written, and what is new.

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
    """The line of each mark that was given, as far as it is still there."""
    given = {one.mark for one in base}
    found: dict[str, Line] = {}
    for line in document.lines:
        if line.mark is not None and line.mark in given:
            found.setdefault(line.mark, line)
    return found


def lines_without_mark(base: Sequence[CoreLine], document: Document) -> list[Line]:
    """The lines that somebody wrote, or left without the mark they had."""
    ours = {id(line) for line in lines_by_mark(base, document).values()}
    candidates = (line for line in document.lines if line.kind in ("ours", "item"))
    return [line for line in candidates if id(line) not in ours and line.statement]


def asks_for_memory(line: Line) -> bool:
    """Whether a line without a memory asks for one: it stands in a group, and is no old dispute."""
    plain = line.mark is None or line.mark.startswith("m:")
    return plain and line.group is not None and line.group != CONFLICTS
