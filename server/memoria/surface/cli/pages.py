"""Pages of memories and sessions for a person at a terminal: text first, ids last."""

from collections.abc import Iterable, Iterator, Sequence

from memoria.language.reading.lines import join_lines
from memoria.language.words.document import as_text
from memoria.model import (
    MemoryListing,
    MemoryPage,
    Scratchpad,
    SessionListing,
    SessionPage,
    SessionSummary,
)
from memoria.model.condition import Condition
from memoria.model.listing import Listing, Page
from memoria.model.memory import Memory
from memoria.model.session import SessionRecord
from memoria.store.rows.short_ids import INDEXED_CHARS
from memoria.surface.cli import times
from memoria.surface.cli.layout import detail_lines, entry_of_list, wrap_text
from memoria.surface.places import tell_place
from memoria.surface.text import quantity, validity_word

_OPENING_LINES = 2
_UNTITLED = "(no words to show)"


def render_memories(page: MemoryPage, listing: MemoryListing, width: int) -> str:
    """Render memories by the day since which they hold."""
    days = [times.day(one.current.valid_from) for one in page.memories]
    entries = [list(_memory_lines(one, page.id_chars, width)) for one in page.memories]
    kind = ("memory", "memories")
    footer = _footer(page, listing, len(entries), kind, width, page.withheld)
    return "\n".join([*_by_day(days, entries), *footer])


def render_sessions(page: SessionPage, listing: SessionListing, width: int) -> str:
    """Render sessions by the day on which something was said last."""
    days = [times.day(one.last_at) for one in page.sessions]
    entries = [list(_session_lines(one, page.id_chars, width)) for one in page.sessions]
    kind = ("session", "sessions")
    return "\n".join([*_by_day(days, entries), *_footer(page, listing, len(entries), kind, width)])


def render_session(record: SessionRecord, page: int, limit: int, width: int) -> str:
    """Render a page of a session's turns, in order."""
    lines = wrap_text(f"session {record.session_id}", width)
    for turn in record.turns:
        words = turn.content or f"{turn.tool_name or 'tool'}: {as_text(turn.tool_result)}"
        who = turn.speaker or turn.role.value
        lines.append("")
        details = [
            f"#{turn.turn_index}",
            who,
            times.moment(turn.at),
            *([str(Condition.CONFIDED)] if turn.id in record.confided else []),
            turn.id[-INDEXED_CHARS:],
        ]
        lines += entry_of_list(words, details, width)
    last = min(page * limit, record.total)  # what is not to be kept is counted, and not shown
    lines += ["", f"{(page - 1) * limit + 1} to {last} of {record.total} turns"]
    lines += [f"The next page: --page {page + 1}"] if last < record.total else []
    return "\n".join(lines)


def render_scratchpads(pads: Sequence[Scratchpad], width: int) -> str:
    """Render the task in hand of each session, and what was finished there."""
    if not pads:
        return "No task is noted."
    lines: list[str] = []
    for pad in pads:
        focus = join_lines(pad.current_focus) if pad.current_focus else "no task in hand"
        state = "last worked on" if pad.last_day else "in hand" if pad.current_focus else "idle"
        details = [state, times.moment(pad.updated_at), f"session {pad.session_id}"]
        lines += entry_of_list(focus, details, width)
        for task in pad.completed:
            lines += wrap_text(f"before, until {times.moment(task.at)}:", width, 4)
            lines += wrap_text(join_lines(task.task), width, 6)
    return "\n".join(lines)


def quotes_text(quotes: Sequence[str]) -> list[str]:
    """Render what the user asked for, and how to keep it or to set it aside."""
    if not quotes:
        return []
    end = "Keep one: memoria review --keep ID. Tell it no agent any more: memoria review --aside ID"
    return ["\n".join(["Quotes of yours, told to agents as you said them:", *quotes, end])]


def _by_day(days: Sequence[str], entries: Sequence[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of entries, below each day once."""
    former = None
    for day, lines in zip(days, entries, strict=True):
        if day != former:
            yield from ([day] if former is None else ["", day])
        former = day
        yield from lines


def _memory_lines(memory: Memory, id_chars: int, width: int) -> Iterator[str]:
    validity = validity_word(memory)
    details = [
        memory.type.value.replace("_", " "),
        *([] if validity == "active" else [validity.replace("_", " ")]),
        *([memory.condition] if memory.condition else []),
        *(["pinned"] if memory.pinned else []),
        *(["confirmed"] if memory.verified else []),
        *([f"task {memory.task}"] if memory.task else []),
        *([f"project {tell_place(memory.project)}"] if memory.project else []),
        memory.id[-id_chars:],
    ]
    yield from entry_of_list(join_lines(memory.content), details, width)
    if memory.later is not None:
        later = f"later, {memory.later.when}: “{memory.later.content}”"
        yield from detail_lines([later, memory.later.id[-id_chars:]], width)


def _session_lines(session: SessionSummary, id_chars: int, width: int) -> Iterator[str]:
    opening = wrap_text(session.opening or _UNTITLED, width, 2)
    yield from opening[:_OPENING_LINES]
    details = [
        times.span(session.first_at, session.last_at),
        quantity(session.turns, "turn", "turns"),
        quantity(session.memories, "memory", "memories"),
        session.client,
        *([f"project {tell_place(session.workspace)}"] if session.workspace else []),
        session.session_id[:id_chars],
    ]
    yield from detail_lines(details, width)


_WHERE_FROM = (
    'State one: memoria remember "…"',
    "Bring in what was said before: memoria import --all",
)


def _footer(
    page: Page,
    listing: Listing,
    shown: int,
    kind: tuple[str, str],
    width: int,
    withheld: int = 0,
) -> Iterator[str]:
    """Yield lines on which part of the list this is, and how to see the rest."""
    before = (listing.page - 1) * listing.limit
    if shown:
        yield ""
    yield from wrap_text(_describe_part(page, before, shown, kind), width)
    if withheld:
        yield from wrap_text(f"{quantity(withheld, *kind)} more withheld, as was asked", width)
    if before + shown < page.total:
        is_usual = listing.limit == type(listing).model_fields["limit"].default
        size = "" if is_usual else f"--limit {listing.limit} "
        yield from wrap_text(f"The next page: {size}--page {listing.page + 1}", width)
    if page.elsewhere:
        more = quantity(page.elsewhere, *kind)
        yield from wrap_text(f"{more} more in other projects: --workspace '*'", width)
    if not page.total and not withheld:
        for way in _WHERE_FROM:
            yield from wrap_text(way, width)
    if shown:
        verb = "See where one comes from" if kind[0] == "memory" else "Read one"
        yield from wrap_text(f"{verb}: memoria show ID", width)


def _describe_part(page: Page, before: int, shown: int, kind: tuple[str, str]) -> str:
    all_of_them = quantity(page.total, *kind)
    if shown == page.total:
        return all_of_them if shown else f"No {kind[0]} is listed."
    if not shown:
        return f"There is no such page; {all_of_them} in all."
    return f"{before + 1} to {before + shown} of {all_of_them}"
