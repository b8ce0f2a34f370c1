"""Texts and JSON on who reads conversations."""

from typing import TYPE_CHECKING, Self

from memoria.admin.chat import NOBODY_READS, name_model
from memoria.config import Settings
from memoria.connectors.models.find import Candidate
from memoria.model import TokenSpending
from memoria.model.base import Value
from memoria.model.model_call import describe_cost
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
