"""Commands that run a server: serve, demo. A server's modules are imported when it runs."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoria.bare.collector import pause_collector
from memoria.connectors.clients.interface import find_program
from memoria.surface.cli.console import AsJson, Options, print_json

if TYPE_CHECKING:
    from memoria.config import Settings

app = typer.Typer()


@app.command()
def serve(
    context: typer.Context,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the client configuration and exit.")
    ] = False,
    http: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="Serve over HTTP instead, such as 127.0.0.1:8420, at /mcp."
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="With --http: a name callers may address it by, such as a proxy's."),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="With --http: allow nobody to change anything.")
    ] = False,
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="With --http: how many processes answer.")
    ] = 1,
    metrics: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="With --http: metrics for Prometheus, to whoever reaches it."
        ),
    ] = None,
    log: Annotated[
        Literal["text", "json"] | None,
        typer.Option(help="With --http: write a line for each request, without its content."),
    ] = None,
) -> None:
    """Run the MCP server: on standard input and output, as a client starts it, or over HTTP.

    Over HTTP every tenant of the home is served to whoever shows a token of it; `memoria token
    create` makes one. TLS is a proxy's work: listen on loopback behind one.
    """
    options: Options = context.obj
    if http is not None:
        with pause_collector():  # a fifth of the time would be its own
            from memoria.surface.http.serve import serve_http  # noqa: PLC0415

        serve_http(
            load_for_callers(options),
            http,
            names=tuple(name or ()),
            is_read_only=read_only,
            workers=workers,
            metrics=metrics,
            log=log,
        )
        return
    if name or read_only or metrics or log or workers > 1:
        raise typer.BadParameter("what says how to serve over HTTP goes with --http")
    if as_json:
        print_json(client_entry(options))
        return
    from memoria.surface.front.serve import serve as serve_at_once  # noqa: PLC0415

    serve_at_once(options.home, options.tenant, options.workspace)


def load_for_callers(options: Options) -> "Settings":
    """Load the settings of a server over HTTP.

    Its callers are elsewhere: what they say is not of the project in the server's folder.
    """
    from memoria.config import NO_WORKSPACE  # noqa: PLC0415
    from memoria.settings_file import variable_of  # noqa: PLC0415

    project = options.workspace or os.environ.get(variable_of("workspace"), NO_WORKSPACE)
    return replace(options, workspace=project).settings


@app.command()
def demo(as_json: AsJson = False) -> None:
    """Show what Memoria does: a bundled conversation, a real client, a temporary home.

    The demo takes about ten seconds.
    """
    from memoria.surface.cli.demo.tour import run_demo  # noqa: PLC0415

    run_demo(as_json=as_json)


def client_entry(options: Options) -> dict[str, object]:
    """Return an `mcpServers` entry that starts this installation."""
    homes = None if options.home else os.environ.get("MEMORIA_HOMES")
    home = options.home or (None if homes else os.environ.get("MEMORIA_HOME"))
    tenant = options.tenant or os.environ.get("MEMORIA_TENANT")
    given = {
        "MEMORIA_HOME": str(Path(home).expanduser().absolute()) if home else None,
        "MEMORIA_HOMES": str(Path(homes).expanduser().absolute()) if homes else None,
        "MEMORIA_TENANT": tenant,
    }
    environment = {name: value for name, value in given.items() if value is not None}
    entry: dict[str, object] = {"command": find_program(), "args": ["serve"]}
    if environment:
        entry["env"] = environment
    return {"mcpServers": {"memoria": entry}}
