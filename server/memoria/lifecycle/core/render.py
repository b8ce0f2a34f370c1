"""Rendering of a core file from rows: memories that belong and fit, among the user's own lines."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.budget import estimate_tokens
from memoria.language.reading.statement import fingerprint
from memoria.lifecycle.core.document import (
    BOM,
    Document,
    Line,
    asks_for_memory,
    digest,
    lines_by_mark,
    parse,
)
from memoria.lifecycle.core.layout import (
    BLANK,
    Section,
    Slot,
    add_groups,
    fill_section,
    fill_user_section,
    separate_headings,
    split_sections,
)
from memoria.lifecycle.core.lines import (
    Beside,
    Quote,
    RenderedLine,
    mark_ends,
    quotes_tokens,
    render_dispute,
    render_head,
    render_line,
    render_note,
    render_question,
    render_quotes_note,
    render_refusal,
    render_secret_note,
    render_text,
    take_quotes,
)
from memoria.model.core import CoreFile, CoreLine, CoreMemory, EditConflict
from memoria.model.memory_types import MemoryType
from memoria.policy.core import (
    CONFLICTS,
    SAID,
    group_in,
    groups_in,
    rank_for_core,
    take_within_budget,
)
from memoria.retrieval.lookup.newer import Newer, put_newer_first

_LEAST_TOKENS = estimate_tokens("- . <!-- m:00000000 -->\n")
"""Cost of the shortest line."""
_UNSAID = lazy_regex(r"^Nothing is .* yet\.\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a core file is rendered from."""

    memories: Sequence[CoreMemory]
    """Memories that are active and seen where the file is read."""
    disputes: Sequence[EditConflict] = ()
    base: Sequence[CoreLine] = ()
    """Notes of the file's lines when it was last written, including edits taken over since."""
    placed: Mapping[str, CoreFile] = field(default_factory=dict)
    """File in which the user put a memory's line, by memory id."""
    refused: Mapping[bytes, str] = field(default_factory=dict)
    """Reason why no memory was made of a line of the user's, by the line's digest."""
    redacted: Mapping[str, str] = field(default_factory=dict)
    """Text of a memory that held a secret, by memory id: no file shows it."""
    contradicted: frozenset[str] = frozenset()
    """Ids of memories that another memory contradicts."""
    newer: Mapping[str, Newer] = field(default_factory=dict)
    """Nearest later words, by memory id."""
    quotes: Sequence[Quote] = ()
    """Requests of the user of which there is no memory, the newest first."""
    fresh: frozenset[str] = frozenset()
    """Ids of memories that come first, because they were stated since the last run."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A rendered core file."""

    text: str
    lines: tuple[CoreLine, ...]
    """Notes of the file's lines, to compare with at the next reading."""
    count: int
    total: int
    behind: Mapping[str, str] = field(default_factory=dict)
    """Text behind a memory's words, by its id: what contradicts it, what was said later."""


def render_file(
    document: Document,
    file: CoreFile,
    rows: Rows,
    tokens: int,
    strength: Callable[[CoreMemory], float] | None = None,
) -> Rendering:
    """Render a core file anew. The user's own lines stay where they stand, word for word.

    Args:
        document: the file as it stands, or its beginning.
        file: which one it is.
        rows: what there is to be written.
        tokens: how many our lines may cost; a line is never cut. Conflicts are always shown.
        strength: what is left of a memory's importance; all of it by default.
    """
    slots, left = _slots(document, rows)
    chosen = _select_lines(file, rows, left, tokens, strength)
    placed = add_groups(split_sections(document, slots), groups_in(file), chosen.groups)
    count = len(chosen.lines) + len(left)
    text = render_head(count, chosen.total, chosen.rules_left_out)
    parts = _insert_head(_fill_sections(placed, chosen, text), text)
    stays = [line for line in rows.base if line.memory_id in left]
    kept = (*(one.line for one in chosen.lines.values()), *stays)
    below = {one.text: one.below for one in chosen.lines.values() if one.below}
    lines = _add_below(_explain_refusals(separate_headings(parts), rows.refused), below)
    behind = {one: line.behind for one, line in chosen.lines.items()}
    return Rendering(_join_lines(document, lines), kept, count, chosen.total, behind)


# Slots for lines of Memoria in a file


def _slots(document: Document, rows: Rows) -> tuple[dict[int, Slot | Line | None], set[str]]:
    """Return what replaces each line of Memoria's, and the memories whose line stays as edited."""
    found = {id(line): mark for mark, line in lines_by_mark(rows.base, document).items()}
    by_mark = {line.mark: line for line in rows.base}
    known = _StoredLines(rows)
    slots: dict[int, Slot | Line | None] = {}
    left = set[str]()
    for i, line in enumerate(document.lines):
        base = by_mark.get(found.get(id(line), ""))
        if line.kind == "head":
            first = line.group is None and Slot(None) not in slots.values()
            slots[i] = Slot(None) if first else None
        elif line.kind == "note" or (line.kind == "quote" and not line.statement):
            slots[i] = None
        elif known.has_secret(line, base):
            slots[i] = Line(render_secret_note(), "", "other", line.group)
        elif base is not None and known.keeps_wording(line, base):
            left.add(base.memory_id)
        elif base is not None:
            slots[i] = Slot(base.memory_id)
        elif line.kind in ("ours", "quote", "item") and known.is_stored(line):
            slots[i] = known.slot_of(line)
    return _drop_second_slots(document, slots), left


def _drop_second_slots(
    document: Document, slots: Mapping[int, Slot | Line | None]
) -> dict[int, Slot | Line | None]:
    """Keep one slot for each memory: the place that the user chose, else the first."""
    own = [i for i in slots if document.lines[i].group is None]
    first: dict[str | None, int] = {}
    for i in (*own, *slots):
        slot = slots[i]
        if isinstance(slot, Slot) and slot.memory_id is not None:
            first.setdefault(slot.memory_id, i)
    again = {
        i
        for i, slot in slots.items()
        if isinstance(slot, Slot) and first.get(slot.memory_id, i) != i
    }
    return {i: None if i in again else slot for i, slot in slots.items()}


class _StoredLines:
    """Finds stored lines and memories by what a line says."""

    def __init__(self, rows: Rows) -> None:
        self._ids = {line.digest: line.memory_id for line in rows.base}
        self._redacted = rows.redacted
        self._contents = {memory.id: memory.content for memory in rows.memories}

    @cached_property
    def _prints(self) -> Mapping[bytes, str]:
        """The memories by what they say, for lines without a mark."""
        return {fingerprint(render_text(text)): one for one, text in self._contents.items()}

    def has_secret(self, line: Line, base: CoreLine | None) -> bool:
        """Check whether a line still has a secret that is redacted in its memory."""
        if not self._redacted or not line.statement:
            return False
        memory_id = self._ids.get(line.digest) if base is None else base.memory_id
        now = self._redacted.get(memory_id or "")
        return now is not None and line.digest != digest(render_text(now))

    def keeps_wording(self, line: Line, base: CoreLine) -> bool:
        """Check whether a line has a wording of the user's that no edit has taken over."""
        same = line.digest == base.digest or not line.statement
        now = render_text(self._contents.get(base.memory_id, ""))
        agreed = line.digest == digest(now)
        return not (same or agreed) and base.mark.startswith("m:")

    def is_stored(self, line: Line) -> bool:
        """Check whether a line without a memory's mark says what is stored already, or nothing."""
        dispute = line.mark is not None and line.mark.startswith(("c:", "d:"))
        if dispute or not line.statement or line.digest in self._ids:
            return True
        return asks_for_memory(line) and fingerprint(line.statement) in self._prints

    def slot_of(self, line: Line) -> Slot | None:
        """Return the slot of a line without a mark; None if no memory has it."""
        memory_id = self._ids.get(line.digest) or self._prints.get(fingerprint(line.statement))
        return None if memory_id is None else Slot(memory_id)


# Selection of memories


@dataclass(frozen=True, slots=True)
class _Selection:
    lines: Mapping[str, RenderedLine]
    """Lines by memory id, in their order in the file."""
    group_of: Mapping[str, str]
    total: int
    rules_left_out: int
    quotes: Sequence[str]
    """Lines of quotes."""

    @property
    def groups(self) -> set[str]:
        return {self.group_of[memory_id] for memory_id in self.lines} | {SAID for _ in self.quotes}


def _select_lines(
    file: CoreFile,
    rows: Rows,
    left: set[str],
    tokens: int,
    strength: Callable[[CoreMemory], float] | None,
) -> _Selection:
    group_of = _headings(rows.memories, file, rows.placed)
    belonging = [memory for memory in rows.memories if memory.id in group_of]
    ranked = rank_for_core(belonging, strength, rows.fresh)
    newer = {one: later.id for one, later in rows.newer.items() if later.is_memory}
    own = {one.id: one for one in put_newer_first(ranked, lambda memory: memory.id, newer)}
    disputed = _headings([pair.against for pair in rows.disputes], file, rows.placed)
    disputes = [pair for pair in rows.disputes if pair.against.id in disputed]
    asked = [line.memory_id for line in rows.base if line.mark.startswith("d:")]
    hands = [pair.user_edit.id for pair in disputes]
    tails = mark_ends([*own, *hands, *(pair.against.id for pair in disputes)], rows.base)
    conflicts = [line for pair in disputes for line in render_dispute(pair, tails)]
    conflicts += [render_question(own[memory_id], tails) for memory_id in asked if memory_id in own]
    apart_ids = {one.line.memory_id for one in conflicts} | left
    plain = {one: memory for one, memory in own.items() if one not in apart_ids}

    def take(room: int) -> Sequence[RenderedLine]:
        rendered = (
            render_line(memory, f"m:{tails[one]}", beside=_find_beside(one, rows, own))
            for one, memory in plain.items()
        )
        return take_within_budget(rendered, lambda one: one.tokens, room, _LEAST_TOKENS)

    groups = {group_of[memory_id] for memory_id in plain}
    quotes = take_quotes(rows.quotes, tokens)
    room = tokens - _overhead_tokens(conflicts, groups) - quotes_tokens(quotes)
    taken = take(room - _head_tokens(render_head(9999, 9999)))
    if len(taken) < len(plain):  # then the head says so
        taken = take(room - _head_tokens(render_head(9999, 99999, 9999)))
    lines = {one.line.memory_id: one for one in (*taken, *conflicts)}
    group_of |= dict.fromkeys((one.line.memory_id for one in conflicts), CONFLICTS)
    return _Selection(
        lines,
        group_of,
        total=len(own.keys() | {one.line.memory_id for one in conflicts}),
        rules_left_out=sum(
            memory.type is MemoryType.RULE for one, memory in plain.items() if one not in lines
        ),
        quotes=quotes,
    )


def _find_beside(memory_id: str, rows: Rows, own: Mapping[str, CoreMemory]) -> Beside:
    """Return what stands beside a memory; later words with a line of their own are left out."""
    newer = rows.newer.get(memory_id)
    has_line = newer is not None and newer.id in own
    return Beside(memory_id in rows.contradicted, None if has_line else newer)


def _head_tokens(head: str) -> int:
    return estimate_tokens(f"{head}\n\n")


def _overhead_tokens(conflicts: Sequence[RenderedLine], groups: set[str]) -> int:
    """Count the tokens of conflicts and headings, which stand in the file whatever is selected."""
    headings = sum(estimate_tokens(f"## {name}\n\n") for name in groups)
    extra = estimate_tokens(f"## {CONFLICTS}\n\n{render_note()}\n") if conflicts else 0
    return headings + extra + sum(one.tokens for one in conflicts)


def _headings(
    memories: Iterable[CoreMemory], file: CoreFile, placed: Mapping[str, CoreFile]
) -> dict[str, str]:
    """Map the memories that belong into a file to their headings."""
    groups = ((memory.id, group_in(memory, file, placed.get(memory.id))) for memory in memories)
    return {memory_id: group.heading for memory_id, group in groups if group is not None}


# Text of a file


def _fill_sections(
    placed: Sequence[Section], chosen: _Selection, head_line: str
) -> list[list[Line]]:
    """Fill the sections; a group's section with nothing in it is left out."""
    elsewhere = {
        item.memory_id
        for section in placed
        if section.group is None
        for item in section.items
        if isinstance(item, Slot) and chosen.group_of.get(item.memory_id or "") != CONFLICTS
    }
    texts = {memory_id: one.text for memory_id, one in chosen.lines.items()}
    theirs: dict[str | None, str] = {None: head_line}
    theirs |= {one: text for one, text in texts.items() if chosen.group_of[one] != CONFLICTS}
    parts: list[list[Line]] = []
    for section in placed:
        if section.group is None:
            parts.append(list(fill_user_section(section, theirs)))
            continue
        own = {
            memory_id: text
            for memory_id, text in texts.items()
            if chosen.group_of[memory_id] == section.group and memory_id not in elsewhere
        }
        if section.group == SAID:
            own = {line: line for line in chosen.quotes}
        if own or section.has_user_text:
            parts.append(_insert_note([*fill_section(section, own)], section.group))
    return parts


def _insert_note(lines: list[Line], group: str) -> list[Line]:
    """Insert the line that explains a section, for conflicts and quotes."""
    notes = {CONFLICTS: render_note(), SAID: render_quotes_note()}
    if group not in notes:
        return lines
    return [lines[0], Line(notes[group], "", "head", group), *lines[1:]]


def _explain_refusals(lines: Iterable[Line], refused: Mapping[bytes, str]) -> Iterator[Line]:
    """Yield the lines, with a note below each line of the user's of which no memory was made."""
    for line in lines:
        yield line
        if line.statement and line.digest in refused:
            yield Line(render_refusal(refused[line.digest]), "", "note")


def _add_below(lines: Iterable[Line], below: Mapping[str, str]) -> Iterator[Line]:
    """Yield the lines, each followed by what was said later."""
    for line in lines:
        yield line
        if line.kind == "ours" and line.text in below:
            yield Line(below[line.text], "", "quote")


def _insert_head(parts: list[list[Line]], text: str) -> list[list[Line]]:
    """Put the head line behind the title, unless the file has its place already."""
    if any(line.kind == "head" and line.group is None for part in parts for line in part):
        return parts
    line = Line(text, "", "head")
    first = next((part for part in parts if part), [])
    titled = bool(first) and first[0].kind == "heading" and first[0].group is None
    if titled:
        first[1:1] = [BLANK, line]
        return parts
    return [[line, BLANK] if first and first[0].kind != "heading" else [line], *parts]


def _join_lines(document: Document, lines: Iterable[Line]) -> str:
    """Join the lines to the text of a file, with its kind of line ends."""
    body = "".join(line.text + (line.end or document.end) for line in lines)
    return BOM * document.bom + body


def new_document(file: CoreFile, seed: str) -> Document:
    """Return a new core file, with title, purpose and head line alone."""
    return parse(f"{_opening(seed)}{render_head(0, 0)}\n", file)


def available_tokens(tokens: int, seed: str) -> int:
    """Count the tokens of a file's budget that are left below its title and purpose."""
    return tokens - estimate_tokens(_opening(seed))


def _opening(seed: str) -> str:
    return f"{_UNSAID.sub('', seed).rstrip()}\n\n"
