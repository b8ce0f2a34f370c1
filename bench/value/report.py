"""What became of the tasks: by kind, with memory and without, and how much it cost."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.metrics import mean
from bench.output import Cell, Sheet
from bench.value.agent import Run

_MOST_REPEATS = 1 / 3
_WORDS = ("warned", "heeded", "warned_wrongly")
_COUNTED = ("repeats", "asked", "wrong")


@dataclass(frozen=True, slots=True)
class Outcome:
    """All runs: the same tasks in the same order under each condition."""

    without: Sequence[Run]
    with_memory: Sequence[Run]
    unasked: Sequence[Run]
    """With memory, by agents that ask it nothing: the briefing, and a line before a call."""
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
        """Stale facts followed with memory, by agents that ask it and by those that don't."""
        return _total(self.with_memory, "stale") + _total(self.unasked, "stale")

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
    conditions = {"without": outcome.without, "with": outcome.with_memory}
    conditions["unasked"] = outcome.unasked
    counted = (
        name if way == "without" else way for name in (*_COUNTED, "steps") for way in conditions
    )
    headings = ("trap", "tasks", *counted, "worst", "stale")
    rows = [
        _row(name, [list(filter(chosen, runs)) for runs in conditions.values()])
        for name, chosen in groups
    ]
    yield Sheet("Tasks without memory, with it, and with what it says unasked", headings, rows)
    costs = [(name, *_costs(list(filter(chosen, outcome.with_memory)))) for name, chosen in groups]
    yield Sheet("What memory cost a task", ("trap", "tokens", "most", "ms", "most"), costs)
    words = [
        (way, *(_total(conditions[way], what) for what in _WORDS)) for way in ("with", "unasked")
    ]
    yield Sheet("Lines before a call", ("", "said", "heeded", "before a right call"), words)
    yield Sheet("Agents that would be right without memory", ("memory", "misled", "tokens"), [
        ("of this project", *_misled(outcome.unaided_right)),
        ("of another one alone", *_misled(outcome.beside_the_point)),
    ])  # fmt: skip


def list_choices(outcome: Outcome) -> Iterator[str]:
    """Yield a line a task and condition: what was chosen, and after which line."""
    for runs in zip(*_name_conditions(outcome).values(), strict=True):
        for name, run in zip(_name_conditions(outcome), runs, strict=True):
            chosen = (f"{one.key}{'?' if one.checked else ''}" for one in run.choices)
            because = run.choices[0].because
            yield f"{run.task.id} {name}: {', '.join(chosen)}{because and f' ← {because}'}"


def to_document(outcome: Outcome) -> list[dict[str, object]]:
    """Return every run as plain values."""
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
            "warned": run.warned,
            "heeded": run.heeded,
            "steps": run.steps,
            "tokens": run.tokens,
            "ms": run.ms,
        }
        for name, runs in _name_conditions(outcome).items()
        for run in runs
    ]


def _name_conditions(outcome: Outcome) -> dict[str, Sequence[Run]]:
    return {
        "without": outcome.without,
        "with": outcome.with_memory,
        "unasked": outcome.unasked,
        "unaided right": outcome.unaided_right,
        "beside the point": outcome.beside_the_point,
    }


def _row(name: str, conditions: Sequence[Sequence[Run]]) -> tuple[Cell, ...]:
    steps = (f"{mean([run.steps for run in runs]):.1f}" for runs in conditions)
    shown = conditions[1]
    return (
        name,
        len(shown),
        *(_total(runs, what) for what in _COUNTED for runs in conditions),
        *steps,
        max(run.steps for run in shown),
        sum(_total(runs, "stale") for runs in conditions[1:]),
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
