"""Commands that list what there is: list, sessions."""

import typer

from memoria.model import MemoryListing, SessionListing
from memoria.surface.cli.console import AsJson, show, with_memory
from memoria.surface.cli.query_options import read_fields, takes_query_options


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("list")(list_memories)
    app.command("sessions")(list_sessions)


@takes_query_options(MemoryListing)
def list_memories(ctx: typer.Context, as_json: AsJson = False, **options: object) -> None:
    """List memories page by page, the newest first."""
    from memoria.model.query import build_query  # noqa: PLC0415  (only a listing pays for it)
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.pages import render_memories  # noqa: PLC0415
    from memoria.surface.wire.listing import wire_memory_page  # noqa: PLC0415

    listing = build_query(MemoryListing, read_fields(MemoryListing, options))
    page = with_memory(ctx, lambda m: m.list_memories(listing))
    text = render_memories(page, listing, columns())
    show(wire_memory_page(page), text, as_json=as_json)


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
