"""Nights as people read them."""

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from memoria.model import iso
from memoria.model.night import Metric, Outcome, Run, StepReport, Undone
from memoria.surface.text import counted

_STATES = {
    "running": "not done; `memoria nightly` goes on with it",
    "finished": "done",
    "stopped": "out of time; the next one does the rest",
    "undoing": "half undone; `memoria nightly undo` goes on with it",
    "undone": "undone",
}
_SHOWN = 10
_WIDTH = 60
_DRY = "Nothing was changed. A night would now:"
_EACH = "Each step was asked alone: what one does first, another may find done."
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
    run: Run,
    *,
    dry: bool,
    changed: int | None = None,
    said: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """A night, a line a step that did something, with reasons.

    Args:
        run: the night.
        dry: whether it is one that was imagined.
        changed: how many rows it changed, where that was looked up.
        said: what the memories say that it gives reasons for, by id, as far as that was looked up.
    """
    if dry:
        return "\n".join([_DRY, *map(_would, run.steps), *_reduced(run.steps), _EACH])
    head = f"Night {run.id} of {iso(run.at)}: {_STATES[run.state]}."
    spent = [f"{counted(run.tokens, 'token', 'tokens')} of the chat model."] if run.tokens else []
    rows = [] if changed is None else _changed(run, changed)
    undo = [f"Undo it with: memoria nightly undo {run.id}"] if _undoable(run) else []
    steps = [line for step in run.steps for line in _did(step, said)]
    told = [*steps, *_idle(run.steps), *_reduced(run.steps), *_measured(run.metrics)]
    return "\n".join([head, *told, *spent, *rows, *undo])


def runs_text(runs: Sequence[Run]) -> str:
    """A line a night."""
    if not runs:
        return "No night was run yet. Run one with: memoria nightly"
    return "\n".join(
        f"{run.id}  {iso(run.at)}  {sum(map(_done, run.steps)):6,} done  {_STATES[run.state]}"
        for run in runs
    )


def undone_text(undone: Undone) -> str:
    """What an undoing came to."""
    others = len(undone.run_ids) - 1
    later = f" and {counted(others, 'later night', 'later nights')}" if others else ""
    restored = counted(undone.restored, "row", "rows")
    lines = [f"Undone: night {undone.run_ids[-1]}{later}. {restored} put back."]
    if undone.files:
        lines.append(f"{counted(undone.files, 'file', 'files')} put back.")
    if undone.files_kept:
        files = counted(undone.files_kept, "file", "files")
        lines.append(f"{files} left as they are: edited since.")
    if undone.kept:
        lines.append(f"{counted(undone.kept, 'row', 'rows')} left as they are: changed since.")
    if undone.forgotten:
        lines.append(f"{counted(undone.forgotten, 'row', 'rows')} not put back: forgotten since.")
    return "\n".join(lines)


def _changed(run: Run, rows: int) -> list[str]:
    if run.state == "undone":
        return []
    if not run.undoable:
        return ["What it changed is no longer kept: it can't be undone any more."]
    return [f"{counted(rows, 'row', 'rows')} changed."]


def _did(step: StepReport, said: Mapping[str, str]) -> list[str]:
    came_to = ", ".join(f"{many:,} {what}" for what, many in _changes(step).items())
    if step.state != "applied":
        came_to += " so far" if came_to else "not reached"
    lines = [f"  {step.name:<12} {came_to}"] if came_to else []
    for one, why in islice(step.reasons.items(), _SHOWN):
        lines.append(f"  {'':<12} {one}: {why}{_words(said.get(one))}")
    if len(step.reasons) > _SHOWN:
        lines.append(f"  {'':<12} … and {len(step.reasons) - _SHOWN} more, in --json")
    return lines


def _words(said: str | None) -> str:
    """The beginning of what a memory says, on one line."""
    whole = " ".join((said or "").split())
    cut = whole if len(whole) <= _WIDTH else f"{whole[:_WIDTH]}…"
    return f" – {cut}" if cut else ""


def _changes(step: StepReport) -> dict[str, int]:
    return {what: many for what, many in step.outcomes.items() if what != Outcome.UNCHANGED}


def _idle(steps: Sequence[StepReport]) -> list[str]:
    idle = [step.name for step in steps if step.state == "applied" and not _changes(step)]
    return [f"Nothing to do: {', '.join(idle)}."] if idle else []


def _reduced(steps: Sequence[StepReport]) -> list[str]:
    lines = [f"  {step.name:<12} {step.reduced}" for step in steps if step.reduced]
    return ["In reduced form:", *lines] if lines else []


def _measured(metrics: Sequence[Metric]) -> list[str]:
    return ["Measured:", *map(_figure, metrics)] if metrics else []


def _figure(metric: Metric) -> str:
    beyond = f" (beyond {metric.bound:g})" if metric.exceeded else ""
    meant = _METRICS.get(metric.name, metric.name)
    return f"  {metric.value:>7,.3g}  {meant}{beyond}"


def _would(step: StepReport) -> str:
    todo = f"{step.planned:,} to do" if step.planned else "nothing to do"
    return f"  {step.name:<12} {todo:<14} {_STEPS.get(step.name, '')}".rstrip()


def _undoable(run: Run) -> bool:
    return run.undoable and run.state in ("finished", "stopped") and any(map(_done, run.steps))


def _done(step: StepReport) -> int:
    return step.outcomes.get("done", 0)
