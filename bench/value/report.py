"""What became of the tasks: by kind, with memory and without, and how much it cost."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.metrics import mean
from bench.output import Cell, Sheet
from bench.value.agent import Run

_MOST_REPEATS = 1 / 3
_COUNTED = ("repeats", "asked", "wrong")


@dataclass(frozen=True, slots=True)
class Outcome:
    """All runs: the same tasks in the same order under each condition."""

    without: Sequence[Run]
    with_memory: Sequence[Run]
    unaided_right: Sequence[Run]
    """With memory, by agents that would be right without it."""
    beside_the_point: Sequence[Run]
    """The same, with nothing but another project's sessions on record."""

    @property
    def repeats(self) -> tuple[int, int]:
        """Failures repeated without memory and with it."""
        return _total(self.without, "repeats"), _total(self.with_memory, "repeats")

    @property
    def stale(self) -> int:
        """Stale facts followed with memory."""
        return _total(self.with_memory, "stale")

    @property
    def holds(self) -> bool:
        """True if memory leaves a third of repeats at most, and no stale fact is followed."""
        without, left = self.repeats
        return left <= _MOST_REPEATS * without and self.stale == 0


def list_sheets(outcome: Outcome) -> Iterator[Sheet]:
    """Yield the tables of a report."""
    kinds = list(dict.fromkeys(run.task.kind for run in outcome.without))
    groups: list[tuple[str, Callable[[Run], bool]]] = [
        *((kind, lambda run, kind=kind: run.task.kind == kind) for kind in kinds),
        *((code, lambda run, code=code: run.language == code) for code in ("en", "zh")),
        ("all", lambda _: True),
    ]
    headings = (
        "tasks",
        *(each for name in (*_COUNTED, "steps") for each in (name, "with")),
        "worst",
        "stale",
    )
    rows = [
        _row(name, *(list(filter(chosen, runs)) for runs in (outcome.without, outcome.with_memory)))
        for name, chosen in groups
    ]
    yield Sheet("Tasks without memory and with it", ("trap", *headings), rows)
    costs = [(name, *_costs(list(filter(chosen, outcome.with_memory)))) for name, chosen in groups]
    cost = ("tokens", "most", "ms", "most")
    yield Sheet("What memory cost a task", ("trap", *cost), costs)
    yield Sheet("Agents that would be right without memory", ("memory", "misled", "tokens"), [
        ("of this project", *_misled(outcome.unaided_right)),
        ("of another one alone", *_misled(outcome.beside_the_point)),
    ])  # fmt: skip


def list_choices(outcome: Outcome) -> Iterator[str]:
    """Yield a line a task and condition: what was chosen, and after which line."""
    names = ("without", "with", "right", "beside")
    conditions = (
        outcome.without,
        outcome.with_memory,
        outcome.unaided_right,
        outcome.beside_the_point,
    )
    for runs in zip(*conditions, strict=True):
        for name, run in zip(names, runs, strict=True):
            chosen = (f"{one.key}{'?' if one.checked else ''}" for one in run.choices)
            because = run.choices[0].because
            yield f"{run.task.id} {name}: {', '.join(chosen)}{because and f' ← {because}'}"


def to_document(outcome: Outcome) -> list[dict[str, object]]:
    """Return every run as plain values."""
    conditions = {
        "without": outcome.without,
        "with": outcome.with_memory,
        "unaided right": outcome.unaided_right,
        "beside the point": outcome.beside_the_point,
    }
    return [
        {
            "task": run.task.id,
            "kind": run.task.kind,
            "language": run.language,
            "condition": name,
            "chosen": [one.key for one in run.choices],
            "repeats": run.repeats,
            "asked": run.asked,
            "stale": run.stale,
            "steps": run.steps,
            "tokens": run.tokens,
            "ms": run.ms,
        }
        for name, runs in conditions.items()
        for run in runs
    ]


def _row(name: str, without: Sequence[Run], shown: Sequence[Run]) -> tuple[Cell, ...]:
    return (
        name,
        len(without),
        *(_total(runs, what) for what in _COUNTED for runs in (without, shown)),
        f"{mean([run.steps for run in without]):.1f}",
        f"{mean([run.steps for run in shown]):.1f}",
        max(run.steps for run in shown),
        _total(shown, "stale"),
    )


def _costs(shown: Sequence[Run]) -> tuple[Cell, ...]:
    return (
        f"{mean([run.tokens for run in shown]):.0f}",
        max(run.tokens for run in shown),
        f"{mean([run.ms for run in shown]):.0f}",
        f"{max(run.ms for run in shown):.0f}",
    )


def _misled(runs: Sequence[Run]) -> tuple[Cell, ...]:
    wrong = sum(run.wrong > 0 or run.asked > 0 for run in runs)
    return f"{wrong} of {len(runs)}", f"{mean([run.tokens for run in runs]):.0f}"


def _total(runs: Sequence[Run], name: str) -> int:
    return sum(getattr(run, name) for run in runs)
