"""The `memoria` command."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from memoria.errors import MemoriaError
from memoria.surface.cli import (
    importing,
    memory,
    nightly,
    origins,
    queue,
    schedule,
    serving,
    upkeep,
)
from memoria.surface.cli.console import Exit, Options, err, use_any_encoding

_INTERRUPTED = 130

app = typer.Typer(
    name="memoria",
    help="Long-term memory for LLM agents, over MCP and from the command line.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    """Print the version and end, before anything is opened."""
    if wanted:
        typer.echo(f"memoria {version('memoria-server')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    home: Annotated[
        str | None,
        typer.Option(help="Data folder. Default: $MEMORIA_HOME, else ~/.memoria."),
    ] = None,
    tenant: Annotated[
        str | None,
        typer.Option(help='Whose memory. Default: $MEMORIA_TENANT, else "default".'),
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option(
            help="Which project, or none. Default: $MEMORIA_WORKSPACE, else this folder's git "
            "repository."
        ),
    ] = None,
    show_version: Annotated[  # noqa: ARG001  (its callback has printed it)
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
) -> None:
    """Long-term memory for LLM agents, over MCP and from the command line."""
    context.obj = Options(home=home, tenant=tenant, workspace=workspace)


for module in (serving, memory, origins, importing, queue, nightly, schedule, upkeep):
    module.add_commands(app)


def run() -> None:
    """The console script. Known errors become a sentence on standard error."""
    use_any_encoding()
    try:
        app()
    except MemoriaError as error:
        err().print(f"error: {error}", markup=False)
        sys.exit(Exit.FAILED)
    except SystemExit as ended:
        if ended.code == _INTERRUPTED:  # so Typer tells of Ctrl-C, without a word
            err().print("Stopped. What was done is kept, and nothing is half done.")
        raise
