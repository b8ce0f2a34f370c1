"""Nightly maintenance: its runs, their steps and what they report."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from memoria.model.base import Value
from memoria.model.instant import DAY_MS

UNDO_MS = 7 * DAY_MS
"""How long a nightly run can be undone: until then what it changed is kept as it was."""

WITHOUT_MODEL = "without a chat model"
"""How a step begins to say what it does less, where that is for want of a chat model."""

RunState = Literal["running", "finished", "stopped", "undoing", "undone"]
StepState = Literal["waiting", "planned", "applied"]


class StepOutcome(StrEnum):
    """What became of one thing a step was going to do."""

    DONE = "done"
    UNCHANGED = "unchanged"
    """There turned out to be nothing to do."""
    KEPT = "kept"
    """Somebody was asked, and it stays as it is."""
    QUEUED = "queued"
    """A chat model reads it when its turn has come."""
    PUT_OFF = "put off"
    """It could not be done now, and will be tried again."""
    GIVEN_UP = "given up"
    """It was tried often enough; somebody has to look at it."""
    FAILED = "failed"
    """It could not be done, and nothing of it was; the log has why."""
    REFUSED = "refused"
    """A line that the user wrote into a core file is not remembered; below it the file says why."""
    CHANGED_SINCE = "changed since"
    """Somebody changed it after it was planned: left alone."""


class RunOptions(Value):
    """What a run was asked for; kept, so that it is resumed as it was begun."""

    steps: tuple[str, ...]
    since: int | None = None
    """Only what was changed from then on, UTC epoch ms; None for everything."""


class StepReport(Value):
    """What a step has done and why."""

    name: str
    state: StepState = "waiting"
    planned: int = 0
    outcomes: dict[str, int] = Field(default_factory=dict)
    """How many came to what."""
    tokens: int = 0
    """What its questions to a chat model took; of one that was broken off, the most they might."""
    reduced: str | None = None
    """What it did without, where it did."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """By memory id, of the first fifty: why. Never what a memory says."""


class Metric(Value):
    """What a nightly run measured of the memory."""

    name: str
    value: float
    bound: float | None = None
    """What it should not pass; None where there is no such thing."""
    exceeded: bool = False


class NightlyRun(Value):
    """A run that has begun."""

    n: int
    id: str
    at: int
    """The moment it goes by, UTC epoch ms: the same however often it is resumed."""
    options: RunOptions
    state: RunState
    finished_at: int | None = None
    undoable: bool = True
    """Whether what stood before it is still kept."""
    most_rows: int = 0
    """Rows that its largest transaction changed, journal and indexes included."""
    tokens: int = 0
    """What the questions of all steps took."""
    steps: tuple[StepReport, ...] = ()
    metrics: tuple[Metric, ...] = ()


class RowChange(Value):
    """A row that a run changed."""

    seq: int
    table: str
    op: Literal["insert", "update", "delete"]
    key: tuple[int | str, ...]
    memory_id: str | None = None
    """Of whom it speaks, where that memory still exists."""


class MadeByRun(Value):
    """What a run has made and its undoing takes away."""

    memory_ids: frozenset[str]
    version_ns: frozenset[int]
    """The numbers of wordings, those of other memories included."""


class UndoResult(Value):
    """What an undoing brought back."""

    run_ids: tuple[str, ...]
    """Newest first: later runs are undone before an earlier one."""
    restored: int
    """Rows."""
    kept: int
    """Rows left as they are: somebody changed them since."""
    forgotten: int
    """Rows whose images a forget has taken."""
    files: int = 0
    """Files that say again what they said."""
    files_kept: int = 0
    """Files left as they are: somebody edited them since."""
