"""Nights as people read them."""

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from memoria.model import to_iso
from memoria.model.nightly import Metric, NightlyRun, StepOutcome, StepReport, UndoResult
from memoria.surface.text import quantity

_STATES = {
    "running": "not done; `memoria nightly` goes on with it",
    "finished": "done",
    "stopped": "out of time; the next one does the rest",
    "undoing": "half undone; `memoria nightly undo` goes on with it",
    "undone": "undone",
}
_REASONS_SHOWN = 10
_EXCERPT_CHARS = 60
_DRY_RUN_HEAD = "Nothing was changed. A night would now:"
_DRY_RUN_NOTE = "Each step was asked alone: what one does first, another may find done."
_STEPS = {
    "drain": "read conversations that wait for the chat model",
    "unread": "read conversations that were never queued",
    "merge": "make one of memories that say the same",
    "consolidate": "write what several memories come to, and end what they no longer bear out",
    "rhythms": "notice habits",
    "decay": "archive what has faded, and what is too much",
    "review": "have a model judge what fades and what rises",
    "expire": "archive what has had its time",
    "purge": "erase what was archived for long enough",
    "tiers": "pack what was said long ago more tightly",
    "graph": "set aside needless links, and bring back needed ones",
    "metrics": "measure what is kept",
    "promote": "let memories rise and sink between short-term and long-term",
    "daily": "write a page for each day that is over",
    "history": "write conversations into files",
    "core": "read what you edited in MEMORY.md, USER.md and PERSONA.md, and write them anew",
}
"""What each step does, for who meets it for the first time."""
_METRICS = {
    "archived": "share of memories that are archived",
    "links": "links of a memory, on average",
    "neighbours": "neighbours of a memory, on average",
    "recall": "share of memories found by their own words",
    "segments": "pieces the text index lies in",
    "slowest_ms": "milliseconds of the slowest search",
}


def run_text(
    run: NightlyRun,
    *,
    dry: bool,
    changed: int | None = None,
    wordings: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A night, a line a step that did something, with reasons.

    Args:
        run: the night.
        dry: whether it is one that was imagined.
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
    head = f"Night {run.id} of {to_iso(run.at)}: {_STATES[run.state]}."
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
    """A line a night."""
    if not runs:
        return "No night was run yet. Run one with: memoria nightly"
    return "\n".join(
        f"{run.id}  {to_iso(run.at)}  {sum(map(_count_done, run.steps)):6,} done  "
        f"{_STATES[run.state]}"
        for run in runs
    )


def undo_text(undone: UndoResult) -> str:
    """What an undoing came to."""
    others = len(undone.run_ids) - 1
    later = f" and {quantity(others, 'later night', 'later nights')}" if others else ""
    restored = quantity(undone.restored, "row", "rows")
    lines = [f"Undone: night {undone.run_ids[-1]}{later}. {restored} put back."]
    if undone.files:
        lines.append(f"{quantity(undone.files, 'file', 'files')} put back.")
    if undone.files_kept:
        files = quantity(undone.files_kept, "file", "files")
        lines.append(f"{files} left as they are: edited since.")
    if undone.kept:
        lines.append(f"{quantity(undone.kept, 'row', 'rows')} left as they are: changed since.")
    if undone.forgotten:
        lines.append(f"{quantity(undone.forgotten, 'row', 'rows')} not put back: forgotten since.")
    return "\n".join(lines)


def _row_lines(run: NightlyRun, rows: int) -> list[str]:
    if run.state == "undone":
        return []
    if not run.undoable:
        return ["What it changed is no longer kept: it can't be undone any more."]
    return [f"{quantity(rows, 'row', 'rows')} changed."]


def _step_lines(step: StepReport, said: Mapping[str, str]) -> list[str]:
    came_to = ", ".join(f"{many:,} {what}" for what, many in _count_changes(step).items())
    if step.state != "applied":
        came_to += " so far" if came_to else "not reached"
    lines = [f"  {step.name:<12} {came_to}"] if came_to else []
    for one, why in islice(step.reasons.items(), _REASONS_SHOWN):
        lines.append(f"  {'':<12} {one}: {why}{_excerpt(said.get(one))}")
    if len(step.reasons) > _REASONS_SHOWN:
        lines.append(f"  {'':<12} … and {len(step.reasons) - _REASONS_SHOWN} more, in --json")
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
    lines = [f"  {step.name:<12} {step.reduced}" for step in steps if step.reduced]
    return ["In reduced form:", *lines] if lines else []


def _metric_lines(metrics: Sequence[Metric]) -> list[str]:
    return ["Measured:", *map(_metric_line, metrics)] if metrics else []


def _metric_line(metric: Metric) -> str:
    beyond = f" (beyond {metric.bound:g})" if metric.exceeded else ""
    meant = _METRICS.get(metric.name, metric.name)
    return f"  {metric.value:>7,.3g}  {meant}{beyond}"


def _plan_line(step: StepReport) -> str:
    todo = f"{step.planned:,} to do" if step.planned else "nothing to do"
    return f"  {step.name:<12} {todo:<14} {_STEPS.get(step.name, '')}".rstrip()


def _is_undoable(run: NightlyRun) -> bool:
    return (
        run.undoable and run.state in ("finished", "stopped") and any(map(_count_done, run.steps))
    )


def _count_done(step: StepReport) -> int:
    return step.outcomes.get("done", 0)
