"""Commands on who reads conversations: model, model use, model try, model off, model queue."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

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
from memoria.model.base import Value
from memoria.model.status import describe_cost
from memoria.settings_file import read_key, variable_of
from memoria.surface.cli import queue
from memoria.surface.cli.console import AsJson, Exit, Options, err, show
from memoria.surface.cli.progress import show_wait
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from memoria.app.model_trial import ModelTrial


_NOBODY_FOUND = (
    "No program, local server or key that could read was found on this machine. For another "
    "program or endpoint:"
)
_BY_HAND = ("llm_command 'PROGRAM --ARGUMENT'", "llm_base_url URL llm_model NAME")


class WireReader(Value):
    """One who could read."""

    name: str
    title: str
    models: list[str]
    needs_model: bool = False
    """True if it has several, so that one has to be named."""
    keeps: str | None = None

    @classmethod
    def of(cls, reader: Candidate) -> Self:
        """Convert a candidate to what is printed."""
        keeps = reader.program.keeps or None if reader.program else None
        return cls(
            name=reader.name,
            title=reader.title,
            models=[*reader.models],
            needs_model=reader.endpoint is not None and len(reader.models) != 1,
            keeps=keeps,
        )


class WireModels(Value):
    """Reader at present, and candidates."""

    reads: str | None = None
    found: list[WireReader]
    daily_tokens: int
    daily_cost: float | None = None
    today: str | None = None
    """Spending of today, in words; None where nobody reads."""


class WireTrial(Value):
    """Outcome of trying a model."""

    is_valid: bool
    concluded: int
    unfounded: int
    seconds: float
    tokens: int
    problem: str | None = None

    @classmethod
    def of(cls, trial: "ModelTrial") -> Self:
        """Convert a trial to what is printed."""
        return cls.model_validate(trial, from_attributes=True)


def describe_model(settings: Settings) -> str | None:
    """Name the present reader, without what may hold a key; None for nobody."""
    return name_model(settings)


def models_text(wire: WireModels) -> str:
    """Render who reads now, and who could."""
    lines = [f"Read by {wire.reads}." if wire.reads else NOBODY_READS]
    if wire.found:
        lines += ["", "On this machine:"]
        lines += map(_reader_line, wire.found)
    elif wire.reads is None:
        lines += ["", _NOBODY_FOUND, *(f"  memoria config set {one}" for one in _BY_HAND)]
    money = "" if wire.daily_cost is None else f" and {describe_cost(wire.daily_cost)} in money"
    names = "llm_daily_tokens" + (", llm_daily_cost" if money else "")
    lines += ["", f"At most {wire.daily_tokens:,} tokens{money} a day ({names})."]
    lines += [f"Today: {wire.today}."] if wire.today else []
    if wire.reads:
        lines.append("Nobody any more: memoria model off")
    return "\n".join(lines)


def _reader_line(reader: WireReader) -> str:
    one = reader.models[0] if reader.models else "NAME"
    option = f" --model {one}" if reader.needs_model else ""
    named = f" ({', '.join(reader.models)})" if reader.models else ""
    return f"  {reader.title}{named}: memoria model use {reader.name}{option}"


def trial_text(trial: WireTrial, name: str) -> str:
    """Say in a sentence what came of trying a model."""
    found = quantity(trial.concluded, "memory", "memories")
    wrong = f", {trial.unfounded} with a quote that nobody said" if trial.unfounded else ""
    return (
        f"{name} has read six turns of ours: a valid answer, {found}{wrong}, "
        f"{trial.seconds:.0f} s, {trial.tokens:,} tokens."
    )


def price_text(settings: Settings) -> str:
    """Say what a day of the user's own last week would have cost, and the cap."""
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
