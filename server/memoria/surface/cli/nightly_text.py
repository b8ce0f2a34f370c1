"""Runs of nightly maintenance as people read them."""

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from memoria.model import to_iso
from memoria.model.nightly import Metric, NightlyRun, StepOutcome, StepReport, UndoResult
from memoria.surface.text import quantity

_STATES = {
    "running": "not done; `memoria nightly` goes on with it",
    "finished": "done",
    "stopped": "out of time; the next run does the rest",
    "undoing": "half undone; `memoria nightly undo` goes on with it",
    "undone": "undone",
}
_REASONS_SHOWN = 10
_EXCERPT_CHARS = 60
_DRY_RUN_HEAD = "Nothing was changed. Nightly maintenance would now do:"
_DRY_RUN_NOTE = "Each step was asked alone: what one step does, a later one may find done."
_NAME_WIDTH = 16


def run_text(
    run: NightlyRun,
    *,
    dry: bool,
    changed: int | None = None,
    wordings: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A run, with a line for each step that did something, and reasons.

    Args:
        run: the run.
        dry: whether it was a dry run.
        changed: how many rows it changed, where that was looked up.
        wordings: what the memories say that it gives reasons for, by id, where looked up.
    """
    if dry:
        return "\n".join(
            [
                _DRY_RUN_HEAD,
                *map(_plan_line, run.steps),
                *_reduction_lines(run.steps),
                _DRY_RUN_NOTE,
            ]
        )
    head = f"Run {run.id} of {to_iso(run.at)}: {_STATES[run.state]}."
    spent = [f"{quantity(run.tokens, 'token', 'tokens')} of the chat model."] if run.tokens else []
    rows = [] if changed is None else _row_lines(run, changed)
    undo = [f"Undo it with: memoria nightly undo {run.id}"] if _is_undoable(run) else []
    steps = [line for step in run.steps for line in _step_lines(step, wordings)]
    told = [
        *steps,
        *_idle_steps_line(run.steps),
        *_reduction_lines(run.steps),
        *_metric_lines(run.metrics),
    ]
    return "\n".join([head, *told, *spent, *rows, *undo])


def runs_text(runs: Sequence[NightlyRun]) -> str:
    """A line for each run."""
    if not runs:
        return "Nightly maintenance was never run yet. Run it with: memoria nightly"
    return "\n".join(
        f"{run.id}  {to_iso(run.at)}  {sum(map(_count_done, run.steps)):6,} done  "
        f"{_STATES[run.state]}"
        for run in runs
    )


def undo_text(undone: UndoResult) -> str:
    """What an undo came to."""
    others = len(undone.run_ids) - 1
    later = f" and {quantity(others, 'later run', 'later runs')}" if others else ""
    restored = quantity(undone.restored, "row", "rows")
    lines = [f"Undone: run {undone.run_ids[-1]}{later}. {restored} restored."]
    if undone.files:
        lines.append(f"{quantity(undone.files, 'file', 'files')} restored.")
    if undone.files_kept:
        files = quantity(undone.files_kept, "file", "files")
        lines.append(f"{files} left as they are: edited since.")
    if undone.kept:
        lines.append(f"{quantity(undone.kept, 'row', 'rows')} left as they are: changed since.")
    if undone.forgotten:
        lines.append(f"{quantity(undone.forgotten, 'row', 'rows')} not restored: forgotten since.")
    return "\n".join(lines)


def _row_lines(run: NightlyRun, rows: int) -> list[str]:
    if run.state == "undone":
        return []
    if not run.undoable:
        return ["What the run changed is no longer kept: it can't be undone any more."]
    return [f"{quantity(rows, 'row', 'rows')} changed."]


def _step_lines(step: StepReport, said: Mapping[str, str]) -> list[str]:
    came_to = ", ".join(f"{many:,} {what}" for what, many in _count_changes(step).items())
    if step.state != "applied":
        came_to += " so far" if came_to else "not reached"
    lines = [f"  {step.name:<{_NAME_WIDTH}} {came_to}"] if came_to else []
    for one, why in islice(step.reasons.items(), _REASONS_SHOWN):
        lines.append(f"  {'':<{_NAME_WIDTH}} {one}: {why}{_excerpt(said.get(one))}")
    if len(step.reasons) > _REASONS_SHOWN:
        more = len(step.reasons) - _REASONS_SHOWN
        lines.append(f"  {'':<{_NAME_WIDTH}} … and {more} more, in --json")
    return lines


def _excerpt(said: str | None) -> str:
    """The beginning of what a memory says, on one line."""
    whole = " ".join((said or "").split())
    cut = whole if len(whole) <= _EXCERPT_CHARS else f"{whole[:_EXCERPT_CHARS]}…"
    return f" – {cut}" if cut else ""


def _count_changes(step: StepReport) -> dict[str, int]:
    return {what: many for what, many in step.outcomes.items() if what != StepOutcome.UNCHANGED}


def _idle_steps_line(steps: Sequence[StepReport]) -> list[str]:
    idle = [step.name for step in steps if step.state == "applied" and not _count_changes(step)]
    return [f"Nothing to do: {', '.join(idle)}."] if idle else []


def _reduction_lines(steps: Sequence[StepReport]) -> list[str]:
    lines = [f"  {step.name:<{_NAME_WIDTH}} {step.reduced}" for step in steps if step.reduced]
    return ["In reduced form:", *lines] if lines else []


def _metric_lines(metrics: Sequence[Metric]) -> list[str]:
    return ["Measured:", *map(_metric_line, metrics)] if metrics else []


def _metric_line(metric: Metric) -> str:
    beyond = f" (beyond {metric.bound:g})" if metric.exceeded else ""
    from memoria.lifecycle.steps.metrics import METRICS  # noqa: PLC0415  (others need not pay)

    kind = METRICS.get(metric.name)
    meant = metric.name if kind is None else kind.description
    return f"  {metric.value:>7,.3g}  {meant}{beyond}"


def _plan_line(step: StepReport) -> str:
    from memoria.lifecycle.steps import BY_NAME  # noqa: PLC0415  (others need not pay)

    summary = BY_NAME[step.name].summary if step.name in BY_NAME else ""
    todo = f"{step.planned:,} to do" if step.planned else "nothing to do"
    return f"  {step.name:<{_NAME_WIDTH}} {todo:<14} {summary}".rstrip()


def _is_undoable(run: NightlyRun) -> bool:
    return (
        run.undoable and run.state in ("finished", "stopped") and any(map(_count_done, run.steps))
    )


def _count_done(step: StepReport) -> int:
    return step.outcomes.get("done", 0)
