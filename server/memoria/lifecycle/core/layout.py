"""Layout of a core file in sections, with places for memories' lines among the user's own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memoria.lifecycle.core.document import Document, Line, LineKind
from memoria.policy.core import CONFLICTS, SAID, Group

BLANK = Line("", "", "other")


@dataclass(frozen=True, slots=True)
class Slot:
    """Place in a file where a line of Memoria's stood."""

    memory_id: str | None
    """Id of the line's memory; None for the head line."""


@dataclass(slots=True)
class Section:
    """Heading of a core file, with all that stands below."""

    heading: Line | None
    group: str | None
    """Group whose memories are written here; None: only memories that already stood here are."""
    items: list[Line | Slot] = field(default_factory=list)

    @property
    def has_user_text(self) -> bool:
        """True if the user has written something here."""
        return any(isinstance(item, Line) and item.text.strip() for item in self.items)


def split_sections(document: Document, slots: Mapping[int, Slot | Line | None]) -> list[Section]:
    """Split a file into sections, with a slot in the place of each line of Memoria's.

    Args:
        document: the file.
        slots: by the line's place what takes it; None for a line that goes.
    """
    found = [Section(None, None)]
    groups = set[str]()
    for i, line in enumerate(document.lines):
        if line.kind == "heading":
            own = line.group not in groups and line.group is not None
            found.append(Section(line, line.group if own else None))
            groups.update({line.group} if line.group else ())
            continue
        item = slots.get(i, line)
        if item is not None:
            found[-1].items.append(item)
    return found


def add_groups(found: list[Section], groups: Sequence[Group], wanted: set[str]) -> list[Section]:
    """Add sections, in the groups' order, so that there is one for each wanted group."""
    order = [*(group.heading for group in groups), SAID, CONFLICTS]
    for name in order:
        if name in wanted and all(section.group != name for section in found):
            here = _group_place(found, order[: order.index(name)], order[order.index(name) + 1 :])
            found.insert(here, Section(Line(f"## {name}", "", "heading", name), name))
    return found


def _group_place(found: Sequence[Section], before: Sequence[str], after: Sequence[str]) -> int:
    """Return the place of a new group: behind the groups before it, else ahead of later ones."""
    behind = [i + 1 for i, section in enumerate(found) if section.group in before]
    ahead = [i for i, section in enumerate(found) if section.group in after]
    return max(behind, default=min(ahead, default=len(found)))


def fill_section(section: Section, lines: Mapping[str, str]) -> Iterator[Line]:
    """Yield the lines of a group's section, filled with memories' lines in their order.

    The user's own lines stay behind the memory's line that they followed, or the one before.
    """
    if section.heading is not None:
        yield section.heading
    behind = _user_lines_by_place(section, lines)
    yield from behind[None]
    for memory_id, text in lines.items():
        yield Line(text, "", "ours")
        yield from behind.get(memory_id, ())
    yield from _blank_tail(section)


def fill_user_section(section: Section, lines: Mapping[str | None, str]) -> Iterator[Line]:
    """Yield the lines of a section of the user's own, with memories' lines where they stood."""
    if section.heading is not None:
        yield section.heading
    for item in section.items:
        if isinstance(item, Line):
            yield item
        elif item.memory_id in lines:
            kind: LineKind = "head" if item.memory_id is None else "ours"
            yield Line(lines[item.memory_id], "", kind)


def _user_lines_by_place(
    section: Section, lines: Mapping[str, str]
) -> dict[str | None, list[Line]]:
    """Group the user's lines by the memory's line before them, without blanks between memories."""
    behind: dict[str | None, list[Line]] = {None: []}
    here: str | None = None
    after_ours = False
    blank: list[Line] = []
    for item in section.items:
        if isinstance(item, Line) and not item.text.strip():
            blank.append(item)
            continue
        if isinstance(item, Line) or not after_ours:
            behind.setdefault(here, []).extend(blank)
        blank, after_ours = [], isinstance(item, Slot)
        if isinstance(item, Line):
            behind.setdefault(here, []).append(item)
        elif item.memory_id in lines:
            here = item.memory_id
    return behind


def _blank_tail(section: Section) -> list[Line]:
    """Return the blank lines a section ends with."""
    tail: list[Line] = []
    for item in reversed(section.items):
        if isinstance(item, Slot) or item.text.strip():
            break
        tail.insert(0, item)
    return tail


def separate_headings(parts: Sequence[Sequence[Line]]) -> Iterator[Line]:
    """Yield all lines, with a blank line before each heading of a group."""
    last = BLANK
    for part in parts:
        for line in part:
            ours = line.kind == "heading" and line.group is not None
            if ours and last.text.strip():
                yield BLANK
            yield line
            last = line
