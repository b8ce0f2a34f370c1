"""What a step of nightly maintenance is: it plans, the plan is written down, it applies.

A plan is made before the first change and kept until its last item is done, answers of a chat model
included. So a run that was killed does what it was going to do: it neither asks again nor concludes
otherwise from what it has changed itself.

A step is a module in `lifecycle/steps` and its line in that package. The command line, its help,
the documented table and the reports take its name and its summary from the step; the journal undoes
what it changes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from memoria.config import Settings
from memoria.disk.home_folder import open_home_files
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.inference import DEFAULT_CALIBRATION, Calibration
from memoria.lifecycle.budget import NightlyLedger
from memoria.memories.related import RelatedMemories
from memoria.memories.values import Author
from memoria.memories.writer import MemoryWriter
from memoria.model.base import Value
from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.model.nightly import NightlyRun, StepOutcome
from memoria.policy.retention import RetentionTable
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.inference.chat.client import ChatClient
    from memoria.ingest.extraction import ExtractionWorker


def _no_time_limit() -> float:
    return inf


class Item(Value):
    """One thing that a step is going to do."""

    key: str
    """Tells it from all others of the step and the run; new ids follow from it."""


ItemT = TypeVar("ItemT", bound=Item)


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step may use."""

    run: NightlyRun
    store: Store
    settings: Settings
    retention: RetentionTable
    calibration: Calibration = DEFAULT_CALIBRATION
    """What the cosines between memories mean: those of the home's embedder."""
    chat: "ChatClient | None" = None
    """The chat model, where one is configured."""
    recall: RelatedMemories | None = None
    """Finds memories related to another one, where a chat model may ask for them."""
    time_left: Callable[[], float] = _no_time_limit
    """Seconds. What is not done when none are left waits for the next run."""
    budget: NightlyLedger | None = None
    """The tokens that questions to the chat model may take."""
    extraction: "ExtractionWorker | None" = None
    """Has the chat model read recorded turns, in the thread that calls it."""
    shortfalls: dict[str, str] = field(default_factory=dict)
    """By step: what it could not do while it planned; the report says so."""

    @property
    def tenant(self) -> str:
        """The tenant whose memories are looked after."""
        return self.settings.tenant

    @property
    def digests(self) -> Digester:
        """The digests by which forgotten texts are recognised."""
        return Digester(self.tenant, open_home_files(self.settings).tombstone_key)

    def memory_writer(self, tx: Transaction) -> MemoryWriter:
        """Writes memories in a transaction of the run, at the run's moment."""
        suppression = SuppressionList(tx.tombstones, self.digests)
        return MemoryWriter(tx, suppression, Author(NIGHTLY_CHANNEL), self.at)

    @property
    def output_tokens(self) -> int:
        """The longest answer that the chat model may give."""
        return self.settings.llm_output_tokens

    @property
    def at(self) -> int:
        """The moment that the run goes by, UTC epoch ms."""
        return self.run.at


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of an item."""

    outcome: StepOutcome
    memory_id: str | None = None
    reason: str | None = None
    """Why, for the report. It never quotes a memory."""


class Step(ABC):
    """One of the things that nightly maintenance does."""

    name: ClassVar[str]
    """As the command line and the reports have it."""
    summary: ClassVar[str]
    """What the step does, as a sentence for whoever meets it for the first time."""
    things: ClassVar[tuple[str, str]]
    """What it deals with: one of them, and several."""
    deed: ClassVar[str]
    """What was done to them, as it stands after them."""

    @abstractmethod
    def count_work(self, context: StepContext) -> int:
        """How many items or pieces there are to do now, as far as can be told."""

    def describe_limits(self, _context: StepContext) -> str | None:
        """What the step does without, or leaves for another run; None where nothing is missing."""
        return None


class PlannedStep(Step, Generic[ItemT]):
    """A step that plans all it will do before its first change. An undo takes its changes back."""

    item: type[ItemT]
    """What its plan is made of."""
    rows: ClassVar[int]
    """How many rows one item may touch at most, those of indexes and the journal included."""

    @abstractmethod
    def plan(self, context: StepContext) -> Iterator[ItemT]:
        """What is to be done. Reads in short snapshots and writes nothing."""

    @abstractmethod
    def apply(self, tx: Transaction, item: ItemT, context: StepContext) -> ItemResult:
        """Do one item, unless somebody has changed what it rests on since it was planned."""

    def count_work(self, context: StepContext) -> int:
        """The length of the plan, were it made now."""
        return sum(1 for _ in self.plan(context))


class PiecewiseStep(Step):
    """A step without a plan: it goes on with what others would do as well, a piece at a time.

    A piece is done in transactions of its own, none of which the journal sees: an undo leaves it.
    """

    @abstractmethod
    def do_piece(self, context: StepContext) -> Sequence[ItemResult]:
        """Do the next piece. No result means that none is left which can be done in this run."""


AnyStep = PlannedStep[Any] | PiecewiseStep
