"""Nightly maintenance: runs, their steps and reports, a model's answers, and notes of a day."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from memoria.model.base import HIDDEN, Shown, Value
from memoria.model.moments import DAY_MS, Moment, to_iso

UNDO_MS = 7 * DAY_MS
"""Time for which a nightly run can be undone, and former rows are kept."""
WITHOUT_MODEL = "without a chat model"
"""Beginning of a step's remark on work left undone for want of a chat model."""
RunState = Literal["running", "finished", "stopped", "undoing", "undone"]
StepState = Literal["waiting", "planned", "applied"]


class StepOutcome(StrEnum):
    """Outcomes of an item in the plan of a step."""

    DONE = "done"
    UNCHANGED = "unchanged"
    """Nothing had to be done."""
    KEPT = "kept"
    """Somebody was asked, and decided to change nothing."""
    QUEUED = "queued"
    """A chat model will read the item in its turn."""
    PUT_OFF = "put off"
    """The step failed for now, and will try again."""
    GIVEN_UP = "given up"
    """The step has tried too often; a person has to look at the item."""
    FAILED = "failed"
    """The step failed and changed nothing; the log has the reason."""
    REFUSED = "refused"
    """A line of the user's in a core file is not remembered; the file says why below the line."""
    CHANGED_SINCE = "changed since"
    """Somebody has changed the item after the plan was made: left alone."""


class RunOptions(Value):
    """Options of a run; kept, so that it is resumed as it was begun."""

    steps: tuple[str, ...]
    since: int | None = None
    """Earliest change that counts, UTC epoch ms; None for everything."""


def _write_since(options: RunOptions) -> str | None:
    return None if options.since is None else to_iso(options.since)


class StepReport(Value):
    """Work of a step and its reasons."""

    name: str
    state: StepState = "waiting"
    planned: int = 0
    outcomes: dict[str, int] = Field(default_factory=dict)
    """Number of things by outcome."""
    tokens: int = 0
    """Tokens of the step's calls to a chat model; a call broken off counts with its bound."""
    reduced: str | None = None
    """Part that the step had to do without, such as a chat model."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Reasons for the first fifty memories, by id, without words of a memory."""


class Metric(Value):
    """A measurement of the memory by a nightly run."""

    name: str
    value: float
    bound: float | None = None
    """Bound that the value should not pass; None without a bound."""
    exceeded: bool = False


class NightlyRun(Value):
    """A run that has begun."""

    n: Annotated[int, HIDDEN]
    id: str
    at: Moment
    """Present of the run: the same moment, however often the run is resumed."""
    finished_at: Moment | None = None
    state: RunState
    undoable: bool = True
    """True if the former rows are still kept."""
    options: Annotated[RunOptions, Shown("since", write=_write_since)]
    most_rows: Annotated[int, HIDDEN] = 0
    """Number of rows changed by the largest transaction, journal and indexes included."""
    tokens: int = 0
    """Tokens that the questions of all steps took."""
    steps: tuple[StepReport, ...] = ()
    metrics: tuple[Metric, ...] = ()


class RowChange(Value):
    """A row that a run changed."""

    seq: int
    table: str
    op: Literal["insert", "update", "delete"]
    key: tuple[int | str, ...]
    memory_id: str | None = None
    """Id of the memory concerned, if the memory still exists."""


class JournaledChange(Value):
    """A row that a run changed, with what a memory said and was before and after."""

    seq: int
    step: str
    """Name of the step that changed it."""
    table: str
    op: Literal["insert", "update", "delete"]
    memory_id: str | None = None
    """Id of the memory concerned, if the memory still exists."""
    wording: str | None = None
    """Wording that the step gave the memory; None for any other change."""
    former: str | None = None
    """Wording before that; None for the first one."""
    present: str | None = None
    """Wording that the memory has today."""
    fields: Mapping[str, tuple[str | int | float | None, str | int | float | None]] = Field(
        default_factory=dict
    )
    """Values of the memory's fields before and after."""
    file: str | None = None
    """Place, below the tenant's folder, of the file that the row is about."""


class ChangedMemory(Value):
    """A memory as a step of a run has changed it."""

    id: str
    text: str
    """Wording that it has today."""
    is_new: bool = False
    """True if the step made it."""
    former: str | None = None
    """Wording before the step gave it another."""
    wording: str | None = None
    """Wording that the step gave it; None if it left the wording."""
    fields: Mapping[str, tuple[str | int | float | None, str | int | float | None]] = Field(
        default_factory=dict
    )
    """Values of its fields before and after."""
    reason: str | None = None


class StepChanges(Value):
    """Changes that a step of a run has made, or a part of them."""

    step: str
    memories: tuple[ChangedMemory, ...] = ()
    """Memories that the step has changed, and others that its report says something of."""
    files: tuple[str, ...] = ()
    """Places of the files that it wrote or deleted, below the tenant's folder."""
    other_rows: int = 0
    """Number of changed rows that are no memory's own nor a file's, such as links."""


class MadeByRun(Value):
    """Memories and wordings that a run has made, and that undoing the run removes."""

    memory_ids: frozenset[str]
    version_ns: frozenset[int]
    """Numbers of wordings, those of other memories included."""


class UndoResult(Value):
    """Rows and files that an undoing brought back."""

    run_ids: tuple[str, ...]
    """Newest first: later runs are undone before an earlier one."""
    restored: int
    """Number of rows brought back."""
    kept: int
    """Number of rows left alone because somebody has changed them afterwards."""
    forgotten: int
    """Number of rows whose images a forget has taken."""
    files: int = 0
    """Number of restored files."""
    files_kept: int = 0
    """Number of files left alone because somebody has edited them afterwards."""


Judgement = Literal["PROMOTE", "KEEP", "DELETE"]
"""Fate of a memory. Even DELETE only puts it aside."""
_Number = Annotated[int, Field(ge=1)]
_Reason = Annotated[str, Field(max_length=300)]
_Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
_Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
_LEAST_SOURCES = 2


class Decision(Value):
    """A reviewer's last word."""

    decision: Judgement
    words: _Words = ""
    """Unused: nothing is searched for any more, but the form the model was shown has them."""
    reason: _Reason = ""


class ReviewAnswer(Value):
    """A reviewer's next step: a decision, or a search before there is one."""

    decision: Literal["SEARCH", "PROMOTE", "KEEP", "DELETE"]
    words: _Words = ""
    """Words to search for."""
    reason: _Reason = ""

    @model_validator(mode="after")
    def _check_search_words(self) -> Self:
        if self.decision == "SEARCH" and not self.words:
            raise ValueError("SEARCH needs words to search for")
        return self


class MemoryQuote(Value):
    """Words of a memory, by its number in the prompt."""

    memory: _Number
    quote: _Line


class Concept(Value):
    """Common point of some memories, or the statement that there is none."""

    action: Literal["CONCEPT", "SKIP"]
    name: Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)] = ""
    """Theme, in a few words."""
    content: Annotated[str, StringConstraints(strip_whitespace=True, max_length=300)] = ""
    """A sentence that stands by itself."""
    quotes: Annotated[tuple[MemoryQuote, ...], Field(max_length=20)] = ()
    """Quotes that bear it out."""

    @model_validator(mode="after")
    def _check_sources(self) -> Self:
        if self.action == "CONCEPT":
            if not (self.name and self.content):
                raise ValueError("CONCEPT needs a name and a content")
            if len({passage.memory for passage in self.quotes}) < _LEAST_SOURCES:
                raise ValueError("CONCEPT needs quotes of at least two memories")
        return self


class DaySentence(Value):
    """A sentence about a day, and the numbers of the summaries it rests on."""

    text: _Line
    episodes: Annotated[tuple[_Number, ...], Field(min_length=1, max_length=20)]


class DaySummary(Value):
    """Summary of a day; no sentences where it came to nothing."""

    sentences: Annotated[tuple[DaySentence, ...], Field(max_length=5)]


class ClosedSession(Value):
    """A conversation that nothing is being added to."""

    n: int
    source: str
    session_id: str
    last_index: int
    stamp: str
    """Fingerprint of the turns; changes with every turn added, changed or erased."""


class DayOpening(Value):
    """The sentence with which the user opened a conversation on a day."""

    turn_id: str
    sentence: str


class DaySession(Value):
    """The part of a conversation that was held in a day."""

    source: str
    session_id: str
    first_at: int
    last_at: int
    utc_offset: int | None = None
    """Minutes by which the speakers' clock was ahead of UTC; None if unknown."""
    messages: int
    opening_n: int
    """Number of the first turn of the user on the day, or else of the first turn."""
    opening: DayOpening | None = None
    """None if the turn was told in confidence, or says nothing in its speaker's own words."""


class DayMemory(Value):
    """A memory on a day's page, in the wording that it had on the day."""

    id: str
    content: str
    held_until: int | None = None
    """Time at which the wording ceased to hold, UTC epoch ms; None if the wording holds."""
    is_outdated: bool = False
    """True if memories that the note sums up have changed afterwards."""


class DayNotes(Value):
    """Conversations and memories of a day."""

    sessions: tuple[DaySession, ...] = ()
    episodes: tuple[DayMemory, ...] = ()
    """Episodes of conversations that ended on the day."""
    learnt: tuple[DayMemory, ...] = ()
    changed: tuple[DayMemory, ...] = ()
    """Memories with a new wording, which is given."""
    archived: tuple[DayMemory, ...] = ()


class GeneratedFile(Value):
    """A generated file, as nightly maintenance last wrote it."""

    path: str
    """Place below the tenant's folder."""
    digest: str
    stamp: str
    """Fingerprint of the data in the file."""
    run_n: int
