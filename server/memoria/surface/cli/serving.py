"""Commands that run a server: serve, demo. What they need is imported when they run."""

from typing import Annotated

import typer

from memoria.surface.cli.console import AsJson, Options, print_json


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(serve)
    app.command()(demo)


def serve(
    context: typer.Context,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the client configuration and exit.")
    ] = False,
) -> None:
    """Run the MCP server on standard input and output; a client's configuration starts it."""
    options: Options = context.obj
    if as_json:
        from memoria.surface.cli.client_entry import client_entry  # noqa: PLC0415

        print_json(client_entry(options))
        return
    from memoria.surface.front.serve import serve as serve_at_once  # noqa: PLC0415

    serve_at_once(options.home, options.tenant, options.workspace)


def demo(as_json: AsJson = False) -> None:
    """Show what Memoria does: a bundled conversation, a real client, a temporary home.

    The demo takes about ten seconds.
    """
    from memoria.surface.cli.demo.tour import run_demo  # noqa: PLC0415

    run_demo(as_json=as_json)
