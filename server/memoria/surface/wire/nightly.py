"""Runs of nightly maintenance as structured data."""

from typing import Literal

from pydantic import BaseModel

from memoria.model import to_iso
from memoria.model.nightly import Metric, NightlyRun, RowChange, RunState, StepReport


class WireRun(BaseModel):
    """A run: when it was, how it stands, what its steps came to and what they cost."""

    id: str
    at: str
    finished_at: str | None = None
    state: RunState
    undoable: bool
    since: str | None = None
    """Start of the changes it was limited to."""
    tokens: int
    """Tokens of questions to the chat model."""
    steps: list[StepReport]
    metrics: list[Metric]


class WireRuns(BaseModel):
    """Runs, newest first."""

    runs: list[WireRun]


class WireRunChanges(BaseModel):
    """A run and the rows it changed, in order."""

    run: WireRun
    changes: list[RowChange]


class WireNightsPreview(BaseModel):
    """Runs that would be undone, newest first, and the command that does so."""

    status: Literal["preview"] = "preview"
    nights: list[WireRun]
    command: str


class WirePlannedStep(BaseModel):
    """Work that a step would do."""

    name: str
    summary: str
    planned: int
    reduced: str | None = None


class WirePlan(BaseModel):
    """Work that a run would do; nothing was done."""

    steps: list[WirePlannedStep]


def wire_run(run: NightlyRun) -> WireRun:
    """Describe a run."""
    since = run.options.since
    return WireRun(
        id=run.id,
        at=to_iso(run.at),
        finished_at=None if run.finished_at is None else to_iso(run.finished_at),
        state=run.state,
        undoable=run.undoable,
        since=None if since is None else to_iso(since),
        tokens=run.tokens,
        steps=list(run.steps),
        metrics=list(run.metrics),
    )


def wire_plan(run: NightlyRun) -> WirePlan:
    """Describe a dry run."""
    from memoria.lifecycle.steps import BY_NAME  # noqa: PLC0415  (who prints none need not pay)

    steps = [
        WirePlannedStep(
            name=one.name,
            summary=BY_NAME[one.name].summary,
            planned=one.planned,
            reduced=one.reduced,
        )
        for one in run.steps
    ]
    return WirePlan(steps=steps)
