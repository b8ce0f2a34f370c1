"""Commands that run a server: serve, demo. A server's modules are imported when it runs."""

import os
from pathlib import Path
from typing import Annotated

import typer

from memoria.connectors.clients.interface import find_program
from memoria.surface.cli.console import AsJson, Options, print_json

app = typer.Typer()


@app.command()
def serve(
    context: typer.Context,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the client configuration and exit.")
    ] = False,
) -> None:
    """Run the MCP server on standard input and output; a client's configuration starts it."""
    options: Options = context.obj
    if as_json:
        print_json(client_entry(options))
        return
    from memoria.surface.front.serve import serve as serve_at_once  # noqa: PLC0415

    serve_at_once(options.home, options.tenant, options.workspace)


@app.command()
def demo(as_json: AsJson = False) -> None:
    """Show what Memoria does: a bundled conversation, a real client, a temporary home.

    The demo takes about ten seconds.
    """
    from memoria.surface.cli.demo.tour import run_demo  # noqa: PLC0415

    run_demo(as_json=as_json)


def client_entry(options: Options) -> dict[str, object]:
    """Return an `mcpServers` entry that starts this installation."""
    home = options.home or os.environ.get("MEMORIA_HOME")
    tenant = options.tenant or os.environ.get("MEMORIA_TENANT")
    given = {
        "MEMORIA_HOME": str(Path(home).expanduser().absolute()) if home else None,
        "MEMORIA_TENANT": tenant,
    }
    environment = {name: value for name, value in given.items() if value is not None}
    entry: dict[str, object] = {"command": find_program(), "args": ["serve"]}
    if environment:
        entry["env"] = environment
    return {"mcpServers": {"memoria": entry}}
