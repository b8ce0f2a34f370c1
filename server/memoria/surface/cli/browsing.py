"""Commands that list what there is: list, sessions."""

from typing import TYPE_CHECKING

import typer

from memoria.model import MemoryListing, SessionListing
from memoria.surface.cli.console import AsJson, show, with_memory
from memoria.surface.cli.query_options import read_fields, takes_query_options

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.model import MemoryPage


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("list")(list_memories)
    app.command("sessions")(list_sessions)


@takes_query_options(MemoryListing)
def list_memories(ctx: typer.Context, as_json: AsJson = False, **options: object) -> None:
    """List memories page by page, the newest first, and below them quotes of yours.

    A quote is something you asked for in a conversation, of which no memory was made. Options leave
    them out.
    """
    from memoria.model.query import build_query  # noqa: PLC0415  (only a listing pays for it)
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.pages import quotes_text, render_memories  # noqa: PLC0415
    from memoria.surface.wire.listing import wire_memory_page  # noqa: PLC0415

    listing = build_query(MemoryListing, read_fields(MemoryListing, options))
    is_whole = listing == MemoryListing()

    async def read(memory: "Memoria") -> "tuple[MemoryPage, list[str]]":
        return await memory.list_memories(listing), await memory.wishes() if is_whole else []

    page, quotes = with_memory(ctx, read)
    text = "\n\n".join([render_memories(page, listing, columns()), *quotes_text(quotes)])
    show(wire_memory_page(page, quotes), text, as_json=as_json)


@takes_query_options(SessionListing)
def list_sessions(ctx: typer.Context, as_json: AsJson = False, **options: object) -> None:
    """List the recorded sessions page by page, the newest first."""
    from memoria.model.query import build_query  # noqa: PLC0415  (as above)
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.pages import render_sessions  # noqa: PLC0415
    from memoria.surface.wire.listing import wire_session_page  # noqa: PLC0415

    listing = build_query(SessionListing, read_fields(SessionListing, options))
    page = with_memory(ctx, lambda m: m.list_sessions(listing))
    text = render_sessions(page, listing, columns())
    show(wire_session_page(page), text, as_json=as_json)
