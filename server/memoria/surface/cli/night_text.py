"""Nights as people read them."""

from collections.abc import Sequence

from memoria.model import iso
from memoria.model.night import Run, StepReport, Undone
from memoria.surface.text import counted

_STATES = {
    "running": "not done; `memoria nightly` goes on with it",
    "finished": "done",
    "stopped": "out of time; the next one does the rest",
    "undoing": "half undone; `memoria nightly undo` goes on with it",
    "undone": "undone",
}
_SHOWN = 10


def run_text(run: Run, *, dry: bool, changed: int | None = None) -> str:
    """A night, a line a step, with reasons."""
    if dry:
        steps = [line for step in run.steps for line in _would(step)]
        return "\n".join(["Nothing was changed. A night would now:", *steps])
    head = f"Night {run.id} of {iso(run.at)}: {_STATES[run.state]}."
    spent = [f"{counted(run.tokens, 'token', 'tokens')} of the chat model."] if run.tokens else []
    rows = [] if changed is None else [f"{counted(changed, 'row', 'rows')} changed."]
    undo = [f"Undo it with: memoria nightly undo {run.id}"] if _undoable(run) else []
    return "\n".join(
        [head, *(line for step in run.steps for line in _did(step)), *spent, *rows, *undo]
    )


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


def _did(step: StepReport) -> list[str]:
    came_to = ", ".join(f"{many:,} {what}" for what, many in step.outcomes.items())
    state = "" if step.state == "applied" else " (not reached)"
    lines = [f"  {step.name:<12} {came_to or 'nothing to do'}{state}"]
    if step.reduced:
        lines.append(f"  {'':<12} in reduced form: {step.reduced}")
    lines += [f"  {'':<12} {id_}: {why}" for id_, why in list(step.reasons.items())[:_SHOWN]]
    if len(step.reasons) > _SHOWN:
        lines.append(f"  {'':<12} … and {len(step.reasons) - _SHOWN} more, in --json")
    return lines


def _would(step: StepReport) -> list[str]:
    reduced = [f"  {'':<12} in reduced form: {step.reduced}"] if step.reduced else []
    return [f"  {step.name:<12} {counted(step.planned, 'change', 'changes')}", *reduced]


def _undoable(run: Run) -> bool:
    return run.state in ("finished", "stopped") and any(map(_done, run.steps))


def _done(step: StepReport) -> int:
    return step.outcomes.get("done", 0)
