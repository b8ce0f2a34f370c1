"""Commands on who reads conversations: model, model use, model try, model off, model queue."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
import typer

from memoria.admin.findings import NOBODY_READS, describe_spending, name_model
from memoria.admin.settings import change_settings
from memoria.app.engine import choose_engine
from memoria.bare.settings_file import settings_path
from memoria.config import Settings
from memoria.connectors.models import (
    MODEL_SETTINGS,
    Candidate,
    choose_reader,
    find_readers,
    settings_for,
    write_files,
)
from memoria.errors import InvalidInputError
from memoria.model import TokenSpending
from memoria.model.base import write_document
from memoria.model.status import describe_cost
from memoria.settings_file import read_key, variable_of
from memoria.surface.cli import queue
from memoria.surface.cli.console import AsJson, Exit, Options, err, show
from memoria.surface.cli.progress import show_wait
from memoria.surface.documents import Document
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from memoria.app.model_trial import ModelTrial


_NOBODY_FOUND = (
    "No program, local server or key that could read was found on this machine. For another "
    "program or endpoint:"
)
_BY_HAND = ("llm_command 'PROGRAM --ARGUMENT'", "llm_base_url URL llm_model NAME")


def models_text(settings: Settings, found: Sequence[Candidate], today: str | None) -> str:
    """Render who reads conversations now, and who on this machine could.

    Args:
        settings: name the present reader.
        found: who could read on this machine.
        today: spending of today, in words.
    """
    reader, cost = name_model(settings), settings.llm_daily_cost
    lines = [f"Read by {reader}." if reader else NOBODY_READS]
    if found:
        lines += ["", "On this machine:", *map(_reader_line, found)]
    elif reader is None:
        lines += ["", _NOBODY_FOUND, *(f"  memoria config set {one}" for one in _BY_HAND)]
    money = "" if cost is None else f" and {describe_cost(cost)} in money"
    names = "llm_daily_tokens" + (", llm_daily_cost" if money else "")
    lines += ["", f"At most {settings.llm_daily_tokens:,} tokens{money} a day ({names})."]
    lines += [f"Today: {today}."] if today else []
    lines += ["Nobody any more: memoria model off"] if reader else []
    return "\n".join(lines)


def _needs_model(reader: Candidate) -> bool:
    """Check whether a reader has several models, so that one has to be named."""
    return reader.endpoint is not None and len(reader.models) != 1


def _write_reader(reader: Candidate) -> Document:
    return write_document(
        name=reader.name,
        title=reader.title,
        models=reader.models,
        needs_model=_needs_model(reader),
        keeps=_find_notice(reader),
    )


def _find_notice(reader: Candidate) -> str | None:
    """Return the notice on what a reader's program keeps; None if there is none."""
    return reader.program.keeps or None if reader.program else None


def _reader_line(reader: Candidate) -> str:
    one = reader.models[0] if reader.models else "NAME"
    option = f" --model {one}" if _needs_model(reader) else ""
    named = f" ({', '.join(reader.models)})" if reader.models else ""
    return f"  {reader.title}{named}: memoria model use {reader.name}{option}"


def trial_text(trial: "ModelTrial", name: str) -> str:
    """Return the outcome of a model's trial in a sentence."""
    found = quantity(trial.concluded, "memory", "memories")
    wrong = f", {trial.unfounded} with a quote that nobody said" if trial.unfounded else ""
    return (
        f"{name} has read six turns of ours: a valid answer, {found}{wrong}, "
        f"{trial.seconds:.0f} s, {trial.tokens:,} tokens."
    )


def price_text(settings: Settings) -> str:
    """Return a sentence on the model's cost for an average day of last week, and the daily cap."""
    from memoria.app.model_trial import price_last_week  # noqa: PLC0415  (opens a store)

    price = price_last_week(settings)
    money = settings.daily_cap
    cap = f"the cap is {settings.llm_daily_tokens:,} tokens a day (llm_daily_tokens)"
    if money.cost is not None:
        cap += f" and {describe_cost(money.cost)} in money (llm_daily_cost)"
    if price is None:
        return f"Nothing was said here in the last week, so nobody can tell the cost; {cap}."
    told = f"{price.tokens_a_day:,} tokens"
    if money.price is not None:
        day = TokenSpending(
            calls=0, input_tokens=price.tokens_a_day, output_tokens=price.answered_a_day
        )
        told += f", {describe_cost(money.price.cost_of(day))} in money"
    return f"A day of your last week would have cost about {told}; {cap}."


_ModelOption = Annotated[
    str | None, typer.Option("--model", help="Which of an endpoint's models is to read.")
]


app = typer.Typer()
group = typer.Typer(invoke_without_command=True)
group.add_typer(queue.app, name="queue")
app.add_typer(group, name="model")


@group.callback()
def show_models(context: typer.Context, as_json: AsJson = False) -> None:
    """Show who reads conversations for you, and who on this machine could; choose one."""
    if context.invoked_subcommand is not None:
        return
    options: Options = context.obj
    settings = options.settings
    found = find_readers()
    reader, today = name_model(settings), _describe_today(settings)
    document = write_document(
        reads=reader,
        found=list(map(_write_reader, found)),
        daily_tokens=settings.llm_daily_tokens,
        daily_cost=settings.llm_daily_cost,
        today=today,
    )
    show(document, models_text(settings, found, today), as_json=as_json)
    if found and reader is None and not as_json and sys.stdin.isatty():
        name = typer.prompt("Who is to read? (Enter: nobody)", default="", show_default=False)
        if name.strip():
            use_model(context, name.strip())


def _describe_today(settings: Settings) -> str | None:
    """Return in words what the present reader took today; None if nobody reads."""
    if not settings.has_chat_model:
        return None
    from memoria.app.model_trial import read_spending  # noqa: PLC0415  (opens a store)

    return describe_spending(read_spending(settings), settings.daily_cap)


@group.command("use")
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
    document = write_document(
        reads=reader.title, file=str(file), trial=None if trial is None else _write_trial(trial)
    )
    show(document, _chosen_text(options, reader, file, trial), as_json=as_json)


@group.command("try")
def try_again(context: typer.Context, as_json: AsJson = False) -> None:
    """Try the model that reads now on a short conversation of ours."""
    options: Options = context.obj
    settings = options.settings
    name = name_model(settings)
    if name is None:
        raise InvalidInputError("Nobody reads: choose one with memoria model use NAME.")
    trial = _try(settings, name)
    if not trial.is_valid:
        _show_failure(trial, "See what is set, and where: memoria config", as_json=as_json)
    show(_write_trial(trial), trial_text(trial, name), as_json=as_json)


@group.command("off")
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
    show(write_document(file=str(file)), text, as_json=as_json)


def _with_changes(options: Options, changes: dict[str, str | None]) -> Settings:
    """Return the settings with these changes, whatever names a model now."""
    values = options.settings.model_dump()
    key = changes["llm_api_key"]
    return Settings.from_values(**{**values, **changes, "llm_api_key": key and read_key(key)})


def _try(settings: Settings, name: str) -> "ModelTrial":
    from memoria.app.model_trial import try_model  # noqa: PLC0415  (opens a memory)

    with show_wait(f"{name} reads a short conversation of ours"):
        return anyio.run(try_model, settings)


def _write_trial(trial: "ModelTrial") -> Document:
    return write_document(**asdict(trial))


def _show_failure(trial: "ModelTrial", then: str, *, as_json: bool) -> None:
    """Print why a trial failed, and what that means.

    Raises:
        typer.Exit: always.
    """
    if as_json:
        show(_write_trial(trial), "", as_json=True)
    else:
        err().print(f"{trial.problem} {then}", markup=False)
    raise typer.Exit(Exit.FAILED)


def _chosen_text(
    options: Options, reader: Candidate, file: Path, trial: "ModelTrial | None"
) -> str:
    settings, notice = options.settings, _find_notice(reader)
    lines = [] if trial is None else [trial_text(trial, reader.title)]
    lines += [
        f"Written to {file}. Clients' servers that run already read it when they start again.",
        f"What is said in every connected client, but in no private project, goes to "
        f"{reader.where} from now on.",
        price_text(settings),
    ]
    lines += [notice] if notice else []
    if choose_engine(settings).exists(settings):
        lines.append("What was recorded before is read once you queue it: memoria model queue fill")
    lines.append("Off again: memoria model off")
    return "\n".join(lines)
