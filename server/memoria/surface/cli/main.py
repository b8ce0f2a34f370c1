"""Command line of `memoria`: options before a command, errors, and the console script."""

import gc
import sys
from typing import Annotated, Any, cast

import typer

from memoria.errors import MemoriaError, NoMemoryError
from memoria.surface.cli.commands import LazyGroup, UsageError
from memoria.surface.cli.console import (
    Exit,
    Options,
    err,
    print_error,
    print_problem,
    use_any_encoding,
)

_INTERRUPTED = 130
_AS_JSON = "memoria.as_json"
_NEW_WORDS = 'To give a memory new words: memoria revise ID correct "…".'
_OF_A_PROJECT = "A project is named with --workspace NAME."
_ASKS_FOR_HELP = "NoArgsIsHelpError"
"""Error that Typer raises for a group named without a subcommand, to show the help."""


class MemoriaGroup(LazyGroup):
    """Group of all commands; a known error of a command becomes a sentence on standard error."""

    def make_context(self, info_name: Any, args: list[str], *rest: Any, **extra: Any) -> Any:  # noqa: ANN401  (Typer's own)
        """Read the options before the command."""
        as_json = wants_json(args)
        try:
            context = super().make_context(info_name, args, *rest, **extra)
        except UsageError as error:
            raise _explain_usage(error, as_json=as_json) from error
        context.meta[_AS_JSON] = as_json
        return context

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  (a context of Typer's own; what a command returns)
        """Run the command that was typed."""
        as_json = ctx.meta.get(_AS_JSON, False)
        try:
            return super().invoke(ctx)
        except MemoriaError as error:
            print_error(error, as_json=as_json)
            missing = isinstance(error, NoMemoryError)
            raise typer.Exit(Exit.MISSPELT if missing else Exit.FAILED) from error
        except UsageError as error:
            raise _explain_usage(error, as_json=as_json) from error


def _explain_usage(error: Any, *, as_json: bool) -> Exception:  # noqa: ANN401  (Typer's own)
    """Print what was misspelt and which command helps; return the exception to raise."""
    if type(error).__name__ == _ASKS_FOR_HELP:
        return cast("Exception", error)
    command = f"{error.ctx.command_path if error.ctx else 'memoria'} --help"
    text = error.format_message().strip().replace("Value error, ", "")
    if _is_action(error):
        text = f"{text.rstrip('.')}. {_NEW_WORDS}"
    if getattr(error, "option_name", "") == "--project":
        text = f"{text.rstrip('.')}. {_OF_A_PROJECT}"
    stop = "" if text.endswith((".", "?")) else "."
    print_problem("usage", f"{text}{stop} See: {command}", command, as_json=as_json)
    return typer.Exit(Exit.MISSPELT)


def _is_action(error: Any) -> bool:  # noqa: ANN401  (Typer's own)
    """Check whether the misspelt word is the action of `revise`."""
    command, parameter = getattr(error.ctx, "command", None), getattr(error, "param", None)
    names = getattr(command, "name", None), getattr(parameter, "name", None)
    return names == ("revise", "action")


def wants_json(words: list[str]) -> bool:
    """Check whether `--json` is one of the options."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


app = typer.Typer(
    name="memoria",
    cls=MemoriaGroup,
    help="Long-term memory for LLM agents, over MCP and from the command line.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(wanted: bool) -> None:
    """Print the version and exit, if asked to."""
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  (slow, and for this alone)

        sys.stdout.write(f"memoria {version('memoria-server')}\n")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    home: Annotated[
        str | None, typer.Option(help="Data folder. Default: $MEMORIA_HOME, else ~/.memoria.")
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
    """Run the console script."""
    use_any_encoding()
    try:
        app()
    except SystemExit as ended:
        if ended.code == _INTERRUPTED:  # Typer's code for Ctrl-C, for which it prints nothing
            err().print("Stopped. What was done is kept, and nothing is half done.")
        raise
    finally:
        gc.freeze()  # the process ends: a search for garbage would be wasted
