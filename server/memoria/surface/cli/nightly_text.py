"""Reports on runs of nightly maintenance, for a terminal."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from memoria.language.reading.fences import join_lines
from memoria.model.base import write_document
from memoria.model.nightly import (
    WITHOUT_MODEL,
    Metric,
    NightlyRun,
    StepOutcome,
    StepReport,
    UndoResult,
)
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.surface.cli.layout import entry_lines, entry_of_list, wrap_text
from memoria.surface.cli.times import moment
from memoria.surface.documents import Document
from memoria.surface.text import quantity

_STATES = {
    "running": "not done; `memoria nightly` goes on with it",
    "finished": "done",
    "stopped": "out of time; the next run does the rest",
    "undoing": "half undone; `memoria undo` with its id goes on with it",
    "undone": "undone",
}
_OUTCOMES: Mapping[str, str] = {
    StepOutcome.KEPT: "left as they are",
    StepOutcome.QUEUED: "put into the queue",
    StepOutcome.PUT_OFF: "put off, to be tried again",
    StepOutcome.GIVEN_UP: "given up (memoria model queue list says why)",
    StepOutcome.FAILED: "not done, for an error (the log says which)",
    StepOutcome.REFUSED: "not taken (the file says why)",
    StepOutcome.CHANGED_SINCE: "left alone, as somebody changed them meanwhile",
}
_REASONS_SHOWN = 10
_EXCERPT_CHARS = 60
_NAME_WIDTH = 20
_FIGURE_WIDTH = 9
_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


def render_run(run: NightlyRun, width: int, wordings: Mapping[str, str]) -> str:
    """Render what a run did, what it did less and why, what it cost, and how to take it back.

    Args:
        run: the run.
        width: cells to a line.
        wordings: words of the memories to which the run did something, by id.
    """
    beyond = (f"note: {_measure(one)}" for one in run.metrics if one.exceeded)
    return "\n".join(
        [
            *_run_lines(run, width, wordings),
            "",
            *wrap_text(_describe_cost(run.tokens), width),
            *(line for note in beyond for line in wrap_text(note, width)),
            f"Details: memoria show {_short(run.id)}",
            *_undo_lines(run),
        ]
    )


def render_run_whole(run: NightlyRun, rows: int, width: int, wordings: Mapping[str, str]) -> str:
    """Render a run with its measurements and the number of changed rows."""
    measured = [
        line
        for one in run.metrics
        for line in entry_lines(
            f"{one.value:>7,.3g}", [_describe_metric(one)], width, column=_FIGURE_WIDTH
        )
    ]
    kept = (
        f"{quantity(rows, 'row', 'rows')} of the database changed."
        if run.undoable
        else "What the run changed is no longer kept: it can't be undone any more."
    )
    return "\n".join(
        [
            *_run_lines(run, width, wordings),
            *(["", "Measured:", *measured] if measured else []),
            "",
            *wrap_text(_describe_cost(run.tokens), width),
            *(wrap_text(kept, width) if run.state != "undone" else []),
            *_undo_lines(run),
            f"run {_short(run.id)}",
        ]
    )


def _run_lines(run: NightlyRun, width: int, wordings: Mapping[str, str]) -> Iterator[str]:
    head = f"Nightly maintenance of {moment(run.at)}: {_STATES[run.state]}."
    yield from wrap_text(head, width)
    yield from _deed_lines(run.steps, width, wordings)
    yield from _limit_lines(run.steps, width)


def write_plan(run: NightlyRun) -> Document:
    """Return what a run would do, as JSON."""
    from memoria.lifecycle.steps import BY_NAME  # noqa: PLC0415  (others need not pay)

    planned = [
        write_document(
            name=step.name,
            summary=BY_NAME[step.name].summary,
            planned=step.planned,
            reduced=step.reduced,
        )
        for step in run.steps
    ]
    return write_document(steps=planned)


def render_plan(run: NightlyRun, width: int) -> str:
    """Render what a run would do: each step, its purpose and how much it has to do."""
    return "\n".join(
        [
            "Nothing was changed. Nightly maintenance would now do:",
            *(line for step in run.steps for line in _plan_lines(step, width)),
            *_limit_lines(run.steps, width),
            "",
            *wrap_text(
                "Each step was asked alone: what one step does, a later one may find done.", width
            ),
            "Do it: memoria nightly",
        ]
    )


def render_runs(runs: Sequence[NightlyRun], width: int) -> str:
    """Render a line for each run."""
    if not runs:
        return "Nightly maintenance was never run yet. Run it with: memoria nightly"
    lines = []
    for run in runs:
        done = quantity(sum(map(_count_done, run.steps)), "thing done", "things done")
        line = f"{moment(run.at)} · {_STATES[run.state]} · {done} · {_short(run.id)}"
        lines += wrap_text(line, width)
    return "\n".join([*lines, "", "What one did: memoria show ID"])


def render_undo(undone: UndoResult, width: int) -> str:
    """Render the outcome of an undo."""
    others = len(undone.run_ids) - 1
    later = f" and {quantity(others, 'later run', 'later runs')}" if others else ""
    counts = (
        (undone.restored, ("row", "rows"), "of the database as before"),
        (undone.files, ("file", "files"), "as before"),
        (undone.files_kept, ("file", "files"), "left as they are: edited since"),
        (undone.kept, ("row", "rows"), "left as they are: changed since"),
        (undone.forgotten, ("row", "rows"), "not brought back: forgotten since"),
    )
    lines = [f"Undone: nightly run {_short(undone.run_ids[-1])}{later}."]
    for number, (one, many), what in counts:
        lines += wrap_text(f"{quantity(number, one, many)} {what}", width, 2) if number else []
    return "\n".join(lines)


def _deed_lines(
    steps: Sequence[StepReport], width: int, wordings: Mapping[str, str]
) -> Iterator[str]:
    """Yield a line for each step that did something, with its reasons, memory by memory."""
    idle = 0
    for step in steps:
        counts = {what: n for what, n in step.outcomes.items() if what != StepOutcome.UNCHANGED}
        is_broken_off = step.state != "applied"
        if not counts and not is_broken_off:
            idle += 1
            continue
        yield from wrap_text(_describe_step(step, counts, is_broken_off=is_broken_off), width)
        for key, why in islice(step.reasons.items(), _REASONS_SHOWN):
            yield from wrap_text(_excerpt(wordings.get(key)) or _shorten_ids(key), width, 2)
            named = f" · {_short(key)}" if key in wordings else ""
            yield from wrap_text(f"{_shorten_ids(why)}{named}", width, 4)
        if len(step.reasons) > _REASONS_SHOWN:
            yield f"  … and {len(step.reasons) - _REASONS_SHOWN} more, in --json"
    if idle and idle == len(steps):
        yield "There was nothing to do."
    elif idle:
        yield from wrap_text(
            f"Nothing to do for {quantity(idle, 'step', 'steps')} of {len(steps)}.", width
        )


def _describe_step(step: StepReport, counts: Mapping[str, int], *, is_broken_off: bool) -> str:
    from memoria.lifecycle.steps import BY_NAME  # noqa: PLC0415  (others need not pay)

    known = BY_NAME.get(step.name)
    things, deed = (("item", "items"), "done") if known is None else (known.things, known.deed)
    if not counts:
        return f"Not reached: {step.name}."
    parts = [f"{many:,} {_OUTCOMES.get(what, deed)}" for what, many in counts.items()]
    if set(counts) == {StepOutcome.DONE}:
        said = f"{_count(counts[StepOutcome.DONE], things)} {deed}"
    else:
        said = f"{_count(sum(counts.values()), things)}: {', '.join(parts)}"
    return f"{said}{', so far' if is_broken_off else ''}."


def _count(number: int, things: tuple[str, str]) -> str:
    return f"{number:,} {things[number != 1]}"


def _limit_lines(steps: Sequence[StepReport], width: int) -> Iterator[str]:
    """Yield what the steps left out: first for want of a chat model, then for other reasons."""
    limits = list(dict.fromkeys(step.reduced for step in steps if step.reduced))
    without = [one.removeprefix(WITHOUT_MODEL) for one in limits if one.startswith(WITHOUT_MODEL)]
    others = [one for one in limits if not one.startswith(WITHOUT_MODEL)]
    for title, told in (
        ("Without a chat model:", without),
        ("Left out, or left for another run:", others),
    ):
        if told:
            yield from ("", *wrap_text(title, width))
        for one in told:
            first, *rest = wrap_text(one.strip(), width - 4)
            yield from (f"  - {first}", *(f"    {line}" for line in rest))


def _describe_cost(tokens: int) -> str:
    return (
        f"The chat model took {quantity(tokens, 'token', 'tokens')}."
        if tokens
        else "No chat model was asked: it cost nothing."
    )


def is_undoable(run: NightlyRun) -> bool:
    """Check whether a run changed something and can be undone."""
    if run.state == "undoing":
        return True
    is_open = run.undoable and run.state in ("finished", "stopped")
    return is_open and any(map(_count_done, run.steps))


def night_lines(run: NightlyRun, width: int) -> list[str]:
    """Return the lines of a run in the list of what can be undone."""
    done = quantity(sum(map(_count_done, run.steps)), "thing done", "things done")
    details = [moment(run.at), _STATES[run.state], _short(run.id)]
    return list(entry_of_list(f"Nightly maintenance: {done}", details, width))


def _undo_lines(run: NightlyRun) -> list[str]:
    return [f"Take it back: memoria undo {_short(run.id)}"] if is_undoable(run) else []


def _plan_lines(step: StepReport, width: int) -> list[str]:
    from memoria.lifecycle.steps import BY_NAME  # noqa: PLC0415  (others need not pay)

    known = BY_NAME[step.name]
    todo = f"now {_count(step.planned, known.things)}" if step.planned else "nothing to do"
    return entry_lines(f"  {step.name}", [f"{known.summary} ({todo})"], width, column=_NAME_WIDTH)


def _excerpt(said: str | None) -> str:
    """Return the beginning of a memory's words, on one line."""
    whole = join_lines(" ".join((said or "").split()))
    return whole if len(whole) <= _EXCERPT_CHARS else f"{whole[:_EXCERPT_CHARS]}…"


def _measure(metric: Metric) -> str:
    return f"{metric.value:,.3g} {_describe_metric(metric)}"


def _describe_metric(metric: Metric) -> str:
    from memoria.lifecycle.steps.metrics import METRICS  # noqa: PLC0415  (others need not pay)

    kind = METRICS.get(metric.name)
    beyond = f" (beyond {metric.bound:g})" if metric.exceeded else ""
    return f"{metric.name if kind is None else kind.description}{beyond}"


def _shorten_ids(text: str) -> str:
    return _ID.sub(lambda found: _short(found[0]), text)


def _short(record_id: str) -> str:
    return record_id[-INDEXED_CHARS:]


def _count_done(step: StepReport) -> int:
    return step.outcomes.get("done", 0)
