"""Commands that list what there is: list, list sessions, list tasks, list forgotten.

What they print with is imported by the command that prints: a server shares this start-up.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.model import MemoryListing, SessionListing
from memoria.model.base import write_document
from memoria.surface.cli.console import AsJson, is_for_subcommand, show, with_memory
from memoria.surface.cli.named_project import name_in_query
from memoria.surface.cli.query_options import complete_session, read_fields, takes_query_options

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.model import MemoryPage, Scratchpad, SessionPage


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    listing = typer.Typer(invoke_without_command=True)
    listing.callback()(list_memories)
    listing.command("sessions")(list_sessions)
    listing.command("tasks")(list_tasks)
    listing.command("forgotten")(list_forgotten)
    app.add_typer(listing, name="list")


@takes_query_options(MemoryListing)
def list_memories(ctx: typer.Context, as_json: AsJson = False, **options: object) -> None:
    """List memories, newest first, and quotes of yours; or sessions, tasks, or what was forgotten.

    A quote is something you asked for in a conversation, of which no memory was made. Options leave
    them out.
    """
    from memoria.model.query import build_query  # noqa: PLC0415
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.pages import quotes_text, render_memories  # noqa: PLC0415
    from memoria.surface.cli.reviewing import tell_waiting  # noqa: PLC0415
    from memoria.surface.documents import write_memory_page  # noqa: PLC0415

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


@takes_query_options(SessionListing)
def list_sessions(ctx: typer.Context, as_json: AsJson = False, **options: object) -> None:
    """List the recorded sessions page by page, the newest first."""
    from memoria.model.query import build_query  # noqa: PLC0415
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.pages import render_sessions  # noqa: PLC0415

    listing = build_query(SessionListing, read_fields(SessionListing, options))

    async def read(memory: "Memoria") -> "SessionPage":
        named = await name_in_query(memory, {"workspace": listing.workspace})
        return await memory.list_sessions(listing.model_copy(update=named))

    page = with_memory(ctx, read)
    text = render_sessions(page, listing, columns())
    show(page, text, as_json=as_json)


def list_tasks(
    context: typer.Context,
    session_id: Annotated[str | None, typer.Option(help="Only this session's tasks.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most sessions to show.")] = 3,
    as_json: AsJson = False,
) -> None:
    """List the tasks in hand and the last five finished tasks, by session."""
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.pages import render_scratchpads  # noqa: PLC0415

    async def read(memory: "Memoria") -> "Sequence[Scratchpad]":
        named = await complete_session(memory, session_id)
        return await memory.scratchpads(limit, session_id=named)

    pads = with_memory(context, read)
    show(write_document(scratchpads=pads), render_scratchpads(pads, columns()), as_json=as_json)


def list_forgotten(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Most proofs to list.")
    ] = 20,
    as_json: AsJson = False,
) -> None:
    """List the proofs of what was forgotten: what left which index, and no word of it."""
    from memoria.surface.cli.proofs import reader_at_terminal  # noqa: PLC0415
    from memoria.surface.forgetting_text import reports_text  # noqa: PLC0415

    reports = with_memory(context, lambda m: m.list_forget_reports(limit))
    show(
        write_document(reports=reports),
        reports_text(reports, reader_at_terminal()),
        as_json=as_json,
    )
