"""Commands on who reads conversations: model, model use, model try, model off, model queue."""

import sys
from pathlib import Path
from typing import Annotated

import anyio
import typer

from memoria.admin.chat import describe_spending
from memoria.admin.settings.change import change_settings
from memoria.app.engine import choose_engine
from memoria.bare.settings_file import settings_path
from memoria.config import Settings
from memoria.connectors.models.find import (
    MODEL_SETTINGS,
    Candidate,
    choose_reader,
    find_readers,
    settings_for,
    write_files,
)
from memoria.errors import InvalidInputError
from memoria.model.base import Value
from memoria.settings_file import read_key, variable_of
from memoria.surface.cli import queue
from memoria.surface.cli.console import AsJson, Exit, Options, err, show
from memoria.surface.cli.model_text import (
    WireModels,
    WireReader,
    WireTrial,
    describe_model,
    models_text,
    price_text,
    trial_text,
)
from memoria.surface.cli.progress import show_wait

_HELP = "Show who reads conversations for you, and who on this machine could; choose one."
_ModelOption = Annotated[
    str | None, typer.Option("--model", help="Which of an endpoint's models is to read.")
]


class WireModelChange(Value):
    """Choice of a reader, and the outcome of a trial."""

    reads: str | None = None
    file: str
    trial: WireTrial | None = None


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    model = typer.Typer(help=_HELP, invoke_without_command=True)
    model.callback()(show_models)
    model.command("use")(use_model)
    model.command("try")(try_again)
    model.command("off")(switch_off)
    queue.add_commands(model)
    app.add_typer(model, name="model")


def show_models(context: typer.Context, as_json: AsJson = False) -> None:
    """Show who reads conversations for you, and who on this machine could; choose one."""
    if context.invoked_subcommand is not None:
        return
    options: Options = context.obj
    settings = options.settings
    found = find_readers()
    wire = WireModels(
        reads=describe_model(settings),
        found=[WireReader.of(one) for one in found],
        daily_tokens=settings.llm_daily_tokens,
        daily_cost=settings.llm_daily_cost,
        today=_describe_today(settings),
    )
    show(wire, models_text(wire), as_json=as_json)
    if found and wire.reads is None and not as_json and sys.stdin.isatty():
        name = typer.prompt("Who is to read? (Enter: nobody)", default="", show_default=False)
        if name.strip():
            use_model(context, name.strip())


def _describe_today(settings: Settings) -> str | None:
    """Say what the present reader took today; None where nobody reads."""
    if not settings.has_chat_model:
        return None
    from memoria.app.model_trial import read_spending  # noqa: PLC0415  (opens a store)

    return describe_spending(read_spending(settings), settings.daily_cap)


def use_model(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Who is to read, as `memoria model` names it.")],
    model: _ModelOption = None,
    untried: Annotated[
        bool, typer.Option("--untried", help="Write it down without trying it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Have one read your conversations: try it on a short one of ours, and write it down."""
    options: Options = context.obj
    home = options.settings.home_path
    reader = choose_reader(name, find_readers())
    changes = settings_for(reader, home, model)
    write_files(reader, home)
    trial = None if untried else _try(_with_changes(options, changes), reader.title)
    if trial is not None and not trial.is_valid:
        _show_failure(trial, "Nothing was changed.", as_json=as_json)
    file = change_settings(home, changes)
    wire = WireModelChange(reads=reader.title, file=str(file), trial=trial)
    show(wire, _chosen_text(options, reader, wire), as_json=as_json)


def try_again(context: typer.Context, as_json: AsJson = False) -> None:
    """Try the model that reads now on a short conversation of ours."""
    options: Options = context.obj
    settings = options.settings
    name = describe_model(settings)
    if name is None:
        raise InvalidInputError("Nobody reads: choose one with memoria model use NAME.")
    trial = _try(settings, name)
    if not trial.is_valid:
        _show_failure(trial, "See what is set, and where: memoria config", as_json=as_json)
    show(trial, trial_text(trial, name), as_json=as_json)


def switch_off(context: typer.Context, as_json: AsJson = False) -> None:
    """Have nobody read any more. What was concluded stays."""
    options: Options = context.obj
    home = options.settings.home_path
    file = Path(settings_path(str(home)))
    if file.exists():
        change_settings(home, dict.fromkeys(MODEL_SETTINGS))
    left = [variable_of(one) for one in MODEL_SETTINGS if one in Settings.read_environment()]
    text = f"Nobody reads any more, by {file}. What was concluded stays."
    if left:
        text += f" But this environment sets {', '.join(left)}: unset that, too."
    show(WireModelChange(file=str(file)), text, as_json=as_json)


def _with_changes(options: Options, changes: dict[str, str | None]) -> Settings:
    """Return the settings as they will be, whatever names a model now."""
    values = options.settings.model_dump()
    key = changes["llm_api_key"]
    return Settings.from_values(**{**values, **changes, "llm_api_key": key and read_key(key)})


def _try(settings: Settings, name: str) -> WireTrial:
    from memoria.app.model_trial import try_model  # noqa: PLC0415  (opens a memory)

    with show_wait(f"{name} reads a short conversation of ours"):
        return WireTrial.of(anyio.run(try_model, settings))


def _show_failure(trial: WireTrial, then: str, *, as_json: bool) -> None:
    """Say what went wrong and what that means, and end.

    Raises:
        typer.Exit: always.
    """
    if as_json:
        show(trial, "", as_json=True)
    else:
        err().print(f"{trial.problem} {then}", markup=False)
    raise typer.Exit(Exit.FAILED)


def _chosen_text(options: Options, reader: Candidate, wire: WireModelChange) -> str:
    settings = options.settings
    lines = [] if wire.trial is None else [trial_text(wire.trial, reader.title)]
    lines += [
        f"Written to {wire.file}. Clients' servers that run already read it when they start again.",
        f"What is said in every connected client, but in no private project, goes to "
        f"{reader.where} from now on.",
        price_text(settings),
    ]
    lines += [reader.program.keeps] if reader.program and reader.program.keeps else []
    if choose_engine().exists(settings):
        lines.append("What was recorded before is read once you queue it: memoria model queue fill")
    lines.append("Off again: memoria model off")
    return "\n".join(lines)
