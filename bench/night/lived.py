"""What was seen in a year: night by night and month by month, and whether it is as promised."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from bench.faults.verdict import Verdict
from bench.night.measure import Core, Counts, Found
from bench.output import table
from memoria.lifecycle.runner import MOST_ROWS
from memoria.model import to_iso
from memoria.model.nightly import NightlyRun

_A_POINT = 0.01


@dataclass(frozen=True, slots=True)
class Slept:
    """A night, and the seconds it took."""

    run: NightlyRun
    seconds: float


@dataclass(frozen=True, slots=True)
class Point:
    """What was held around a night."""

    day: int
    before: Counts
    after: Counts
    without: Counts
    """By the home that has no nights."""


@dataclass(frozen=True, slots=True)
class Month:
    """What was seen at the end of a month, after its last night."""

    day: int
    core: Core
    found: Found
    without: Found
    """What the home finds that has no nights."""


@dataclass(frozen=True, slots=True)
class Year(Verdict):
    """The year, night by night and month by month."""

    points: tuple[Point, ...] = ()
    months: tuple[Month, ...] = ()


@dataclass(frozen=True, slots=True)
class Lived:
    """All that was seen."""

    sessions: int
    turns: int
    facts: int
    active: int
    """How many active memories a night may leave."""
    nights: Sequence[Slept]
    points: Sequence[Point]
    months: Sequence[Month]


def verdict_of(lived: Lived) -> Year:
    """The figures of the year, and which bars it missed."""
    months = lived.months
    figures = {**_size_figures(lived), **_growth_figures(lived.points), **_recall_figures(months)}
    figures |= {f"{file}, tokens": n for file, n in months[-1].core.tokens.items()}
    broken = [*_stalled_runs(lived.nights), *(line for month in months for line in _broken(month))]
    if figures["active, most after a night"] > lived.active:
        broken.append(f"more than {lived.active} memories were active after a night")
    for when in ("over the year", "at the end"):
        fall = figures[f"recall@10 {when}, no nights"] - figures[f"recall@10 {when}"]
        broken += [f"recall@10 falls by {fall:.3f} {when}"] if fall > _A_POINT else []
    points, seen = tuple(lived.points), tuple(months)
    return Year("a year of nights", figures, tuple(broken), points=points, months=seen)


def _size_figures(lived: Lived) -> dict[str, int | float]:
    took = [night.seconds for night in lived.nights]
    return {
        "sessions": lived.sessions,
        "turns": lived.turns,
        "facts": lived.facts,
        "nights": len(took),
        "night, mean s": sum(took) / len(took),
        "night, longest s": max(took),
        "most rows": max(night.run.most_rows for night in lived.nights),
        "active may be": lived.active,
    }


def _stalled_runs(nights: Sequence[Slept]) -> list[str]:
    most = max(night.run.most_rows for night in nights)
    rows = [f"a transaction changed {most} rows"] if most > MOST_ROWS else []
    runs = [night.run for night in nights if night.run.state != "finished"]
    return rows + [f"the night of {to_iso(run.at)} is {run.state}" for run in runs]


def _growth_figures(points: Sequence[Point]) -> dict[str, int | float]:
    last = points[-1]
    return {
        "active, most after a night": max(point.after.active for point in points),
        "active at the end": last.after.active,
        "active at the end, no nights": last.without.active,
        "archived at the end": last.after.archived,
        "merged at the end": last.after.superseded,
        "former wordings at the end": last.after.former,
        "evidence at the end": last.after.evidence,
        "evidence at the end, no nights": last.without.evidence,
    }


def _recall_figures(months: Sequence[Month]) -> dict[str, int | float]:
    figures: dict[str, int | float] = {}
    for name, seen in (
        ("", [month.found for month in months]),
        (", no nights", [month.without for month in months]),
    ):
        figures |= {
            f"recall@10 over the year{name}": recall(seen),
            f"recall@10 at the end{name}": recall(seen[-1:]),
            f"first place at the end{name}": seen[-1].first / max(1, seen[-1].asked),
            f"outdated first{name}": sum(len(one.outdated) for one in seen),
            f"over and first all the same{name}": sum(len(one.over) for one in seen),
        }
    asked_of = [month.found for month in months]
    return {
        "questions": sum(one.asked for one in asked_of),
        "questions at the end": asked_of[-1].asked,
        "questions on what has changed": sum(one.changed for one in asked_of),
        "questions on what is over": sum(one.ended for one in asked_of),
        **figures,
    }


def _broken(month: Month) -> list[str]:
    lines = [f"outdated comes first: {line}" for line in month.found.outdated]
    return [f"day {month.day}: {line}" for line in (*lines, *month.core.wrong)]


def recall(found: Sequence[Found]) -> float:
    """The share of questions whose answer is among ten."""
    return sum(one.found for one in found) / max(1, sum(one.asked for one in found))


def months_table(lived: Year) -> Table:
    """What was seen month by month."""
    words = "day active none arch. merged former evid. asked R@10 none first old"
    made = table("month by month; none: without nights", 0, *words.split(), "core")
    points = {point.day: point for point in lived.points}
    for month in lived.months:
        held, found = points[month.day], month.found
        made.add_row(
            str(month.day),
            *(str(many) for many in (held.after.active, held.without.active)),
            *(str(many) for many in (held.after.archived, held.after.superseded)),
            str(held.after.former),
            str(held.after.evidence),
            str(found.asked),
            *(f"{recall([one]):.3f}" for one in (found, month.without)),
            f"{found.first / max(1, found.asked):.3f}",
            str(len(found.outdated)),
            "+".join(map(str, month.core.tokens.values())),
        )
    return made
