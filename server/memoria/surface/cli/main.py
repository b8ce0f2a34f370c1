"""The `memoria` command."""

import sys
from typing import Annotated, Any

import typer

from memoria.errors import MemoriaError, NoMemoryError
from memoria.surface.cli.commands import LazyGroup
from memoria.surface.cli.console import Exit, Options, err, use_any_encoding

_INTERRUPTED = 130


class MemoriaGroup(LazyGroup):
    """The commands; a known error of any of them becomes a sentence on standard error."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  (a context of Typer's own; what a command returns)
        """Run the command that was typed."""
        try:
            return super().invoke(ctx)
        except MemoriaError as error:
            err().print(f"error: {error}", markup=False)
            missing = isinstance(error, NoMemoryError)
            raise typer.Exit(Exit.MISSPELT if missing else Exit.FAILED) from error


app = typer.Typer(
    name="memoria",
    cls=MemoriaGroup,
    help="Long-term memory for LLM agents, over MCP and from the command line.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(wanted: bool) -> None:
    """Print the version and end, where that is wanted."""
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  (slow, and for this alone)

        sys.stdout.write(f"memoria {version('memoria-server')}\n")
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
        typer.Option(help='Tenant whose memory is used. Default: $MEMORIA_TENANT, else "default".'),
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option(
            help="Project to work in, or none. Default: $MEMORIA_WORKSPACE, else this folder's "
            "git repository."
        ),
    ] = None,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Long-term memory for LLM agents, over MCP and from the command line."""
    context.obj = Options(home=home, tenant=tenant, workspace=workspace)


def run() -> None:
    """The console script."""
    use_any_encoding()
    try:
        app()
    except SystemExit as ended:
        if ended.code == _INTERRUPTED:  # so Typer tells of Ctrl-C, without a word
            err().print("Stopped. What was done is kept, and nothing is half done.")
        raise
