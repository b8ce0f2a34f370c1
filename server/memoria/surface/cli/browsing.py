"""Commands that list what there is, page by page, and what waits for a decision: list, review."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.language.reading.fences import join_lines
from memoria.model import (
    MemoryListing,
    MemoryPage,
    Scratchpad,
    SessionListing,
    SessionPage,
    SessionSummary,
)
from memoria.model.base import write_document
from memoria.model.listing import Listing, Page
from memoria.model.memory import Memory
from memoria.model.query import build_query
from memoria.surface.cli import times
from memoria.surface.cli.console import AsJson, is_for_subcommand, show, with_memory
from memoria.surface.cli.forgetting import reader_at_terminal
from memoria.surface.cli.layout import columns, detail_lines, entry_of_list, wrap_text
from memoria.surface.cli.options import (
    complete_session,
    name_in_query,
    read_fields,
    takes_query_options,
)
from memoria.surface.cli.phrases import memory_marks
from memoria.surface.documents import write_memory_page
from memoria.surface.forgetting_text import reports_text
from memoria.surface.text import quantity, tell_place

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.model import Entity
    from memoria.model.provenance import MemoryRecord


app = typer.Typer()
group = typer.Typer(invoke_without_command=True)
app.add_typer(group, name="list")


@group.callback()
@takes_query_options(MemoryListing)
def list_memories(ctx: typer.Context, as_json: AsJson = False, **options: object) -> None:
    """List memories, newest first, and quotes of yours; or sessions, tasks, or what was forgotten.

    A quote is something you asked for in a conversation, of which no memory was made. Options leave
    them out.
    """
    listing = build_query(MemoryListing, read_fields(MemoryListing, options))
    is_whole = listing == MemoryListing()
    if is_for_subcommand(ctx, has_options=as_json or not is_whole):
        return

    async def read(memory: "Memoria") -> "tuple[MemoryPage, list[str], list[str]]":
        named = await name_in_query(memory, {"workspace": listing.workspace})
        page = await memory.list_memories(listing.model_copy(update=named))
        if not is_whole:
            return page, [], []
        return page, await memory.wishes(), await tell_waiting(memory)

    page, quotes, waiting = with_memory(ctx, read)
    text = "\n\n".join([render_memories(page, listing, columns()), *quotes_text(quotes), *waiting])
    show(write_memory_page(page, quotes), text, as_json=as_json)


@group.command("sessions")
@takes_query_options(SessionListing)
def list_sessions(ctx: typer.Context, as_json: AsJson = False, **options: object) -> None:
    """List the recorded sessions page by page, the newest first."""
    listing = build_query(SessionListing, read_fields(SessionListing, options))

    async def read(memory: "Memoria") -> "SessionPage":
        named = await name_in_query(memory, {"workspace": listing.workspace})
        return await memory.list_sessions(listing.model_copy(update=named))

    page = with_memory(ctx, read)
    text = render_sessions(page, listing, columns())
    show(page, text, as_json=as_json)


@group.command("tasks")
def list_tasks(
    context: typer.Context,
    session_id: Annotated[str | None, typer.Option(help="Only this session's tasks.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most sessions to show.")] = 3,
    as_json: AsJson = False,
) -> None:
    """List the tasks in hand and the last five finished tasks, by session."""

    async def read(memory: "Memoria") -> "Sequence[Scratchpad]":
        named = await complete_session(memory, session_id)
        return await memory.scratchpads(limit, session_id=named)

    pads = with_memory(context, read)
    show(write_document(scratchpads=pads), render_scratchpads(pads, columns()), as_json=as_json)


@group.command("forgotten")
def list_forgotten(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Most proofs to list.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """List the proofs of what was forgotten: what left which index, and no word of it."""
    reports = with_memory(context, lambda m: m.list_forget_reports(limit))
    show(
        write_document(reports=reports),
        reports_text(reports, reader_at_terminal()),
        as_json=as_json,
    )


if TYPE_CHECKING:
    _Pairs = list[tuple[Entity, Entity]]
    _ToReview = tuple[list[MemoryRecord], list[Memory], list[Memory], list[str], _Pairs]

_MOST_COUNTED = 100


async def tell_waiting(memory: "Memoria") -> list[str]:
    """Return a line on how many memories wait for the user's decision; none if no memory does."""
    waiting = [
        *await memory.list_pending(_MOST_COUNTED),
        *await memory.list_contradicted(_MOST_COUNTED),
    ]
    if not waiting:
        return []
    verb = "waits" if len(waiting) == 1 else "wait"
    return [f"{len(waiting)} {verb} for your word: memoria review"]


@app.command()
def review(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Most memories to list.")
    ] = 20,
    keep: Annotated[
        str | None, typer.Option(help="Id of a quoted turn to keep as a memory of yours.")
    ] = None,
    aside: Annotated[
        str | None, typer.Option(help="Id of a quoted turn to tell no agent any more.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what waits for your word: memories to confirm, contradictions, quotes, and namesakes.

    Memories of this project are listed, too, if the files they speak of have changed or are gone.
    A quote is something you asked for in a conversation. Agents are told it as you said it. Two
    people, places or things of one name may be one: say so, or that they are two.
    """
    from memoria.surface.cli.entities import proposals_text  # noqa: PLC0415
    from memoria.surface.cli.records import render_review  # noqa: PLC0415
    from memoria.surface.origins import write_review  # noqa: PLC0415

    async def read(memory: "Memoria") -> "_ToReview":
        if keep is not None:
            turn = (await memory.get_turn(keep, context=0)).turn
            await memory.remember(turn.content, turn_id=turn.id)
        if aside is not None:
            await memory.set_quote_aside(aside)
        pending = await memory.provenance.list_pending(limit)
        proposed = await memory.graph.list_proposals(limit)
        contradicted, moved = await memory.list_contradicted(limit), await memory.list_moved(limit)
        return pending, contradicted, moved, await memory.wishes(), proposed

    pending, contradicted, moved, quotes, proposed = with_memory(context, read)
    listed = render_review(pending, contradicted, moved, columns())
    text = "\n\n".join([listed, *quotes_text(quotes), *proposals_text(proposed, columns())])
    document = write_review(pending, contradicted, moved, quotes, proposed)
    show(document, text, as_json=as_json)


_OPENING_LINES = 2
_UNTITLED = "(no words to show)"


def render_memories(page: MemoryPage, listing: MemoryListing, width: int) -> str:
    """Render memories under the days since which they hold."""
    days = [times.day(one.current.valid_from) for one in page.memories]
    entries = [list(_memory_lines(one, page.id_chars, width)) for one in page.memories]
    kind = ("memory", "memories")
    footer = _footer(page, listing, len(entries), kind, width, page.withheld)
    return "\n".join([*_by_day(days, entries), *footer])


def render_sessions(page: SessionPage, listing: SessionListing, width: int) -> str:
    """Render sessions under the days of their last turns."""
    days = [times.day(one.last_at) for one in page.sessions]
    entries = [list(_session_lines(one, page.id_chars, width)) for one in page.sessions]
    kind = ("session", "sessions")
    return "\n".join([*_by_day(days, entries), *_footer(page, listing, len(entries), kind, width)])


def render_scratchpads(pads: Sequence[Scratchpad], width: int) -> str:
    """Render the task in hand and the finished tasks of each session."""
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
    """Render quotes of the user, and the commands that keep a quote or set it aside."""
    if not quotes:
        return []
    end = "Keep one: memoria review --keep ID. Tell it no agent any more: memoria review --aside ID"
    return ["\n".join(["Quotes of yours, told to agents as you said them:", *quotes, end])]


def _by_day(days: Sequence[str], entries: Sequence[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of entries, with a line for each new day above its first entry."""
    former = None
    for day, lines in zip(days, entries, strict=True):
        if day != former:
            yield from ([day] if former is None else ["", day])
        former = day
        yield from lines


def _memory_lines(memory: Memory, id_chars: int, width: int) -> Iterator[str]:
    details = [
        *(mark for mark in memory_marks(memory) if mark != "active"),
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
    page: Page, listing: Listing, shown: int, kind: tuple[str, str], width: int, withheld: int = 0
) -> Iterator[str]:
    """Yield lines on which part of the list is shown, and how to see the rest."""
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
