"""The command that compares sessions in which memory was silent with those in which it spoke."""

from typing import TYPE_CHECKING

import typer

from memoria.policy.repeats import LEAST_SESSIONS
from memoria.surface.cli.console import AsJson, out, show, with_memory
from memoria.surface.cli.layout import columns, wrap_answer
from memoria.surface.cli.times import day
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from rich.table import Table

    from memoria.model.value import SessionGroup, ShareInterval, SilenceReport

_HINT = (
    "Memory is silent in no session. `memoria config set silent_share 0.2` has it silent in one of "
    "five from then on, chosen by chance; what is asked for is always answered."
)
_COUNTED = (
    "A repeated failure is a command that failed in an earlier session of the project, has not "
    "worked since, and failed again. Sessions that ran no command are left out."
)

app = typer.Typer()


@app.command()
def value(context: typer.Context, as_json: AsJson = False) -> None:
    """Compare sessions in which memory was silent with those in which it spoke."""
    report = with_memory(context, lambda m: m.told.compare_silence())
    if as_json:
        show(report, "", as_json=True)
        return
    if report.since is not None:
        out().print(_table(report))
    out().print(wrap_answer(value_text(report), columns()), markup=False)


def value_text(report: "SilenceReport") -> str:
    """Say what a comparison comes to, and whether there are sessions enough."""
    lines = [] if report.share else [_HINT]
    if report.since is None:
        return "\n".join([*lines, *(["No session was noted yet."] if report.share else [])])
    lines.append(f"Noted since {day(report.since)}. {_COUNTED}")
    if report.difference is not None:
        lines.append(f"Difference: {_points(report.difference)}.")
    if report.missing:
        missing = quantity(report.missing, "session is", "sessions are")
        lines.append(
            f"Too few to tell: {missing} missing before there are {LEAST_SESSIONS} of each kind."
        )
    elif report.difference is not None:
        lines.append(_verdict(report.difference))
    return "\n".join(lines)


def _verdict(difference: "ShareInterval") -> str:
    if difference.high < 0:
        return "Fewer sessions repeat a failure where memory speaks."
    if difference.low > 0:
        return "More sessions repeat a failure where memory speaks."
    return "Nobody can tell yet whether memory helps: the interval holds both."


def _table(report: "SilenceReport") -> "Table":
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    table.add_column("memory")
    for heading in ("sessions", "with a repeated failure", "repeats each", "tokens told each"):
        table.add_column(heading, justify="right")
    for name, group in (("spoke", report.told), ("was silent", report.silent)):
        table.add_row(name, f"{group.sessions:,}", *_cells(group))
    return table


def _cells(group: "SessionGroup") -> tuple[str, ...]:
    if group.share is None:
        return ("–", "–", "–")
    share = group.share
    shown = f"{group.repeating} ({share.value:.0%}, {share.low:.0%} to {share.high:.0%})"
    return shown, f"{group.repeats / group.sessions:.2f}", f"{group.tokens:,.0f}"


def _points(difference: "ShareInterval") -> str:
    value, low, high = (100 * one for one in (difference.value, difference.low, difference.high))
    return f"{value:+.0f} points, with 95 % certainty between {low:+.0f} and {high:+.0f}"
