"""The face of a step: it plans, the plan is written down, it applies.

A plan is made before the first change and kept until its last item is done, answers of a chat model
included. So a night that was killed does what it was going to do: it neither asks again nor
concludes otherwise from what it has changed itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from memoria.config import Settings
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.lifecycle.budget import NightlyLedger
from memoria.memories.related import RelatedMemories
from memoria.memories.values import Author
from memoria.memories.writer import MemoryWriter
from memoria.model.base import Value
from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.model.nightly import NightlyRun, StepOutcome
from memoria.policy.retention import RetentionTable
from memoria.store.base import Store, Transaction
from memoria.store.files import tombstone_key

if TYPE_CHECKING:
    from memoria.inference.chat.client import ChatClient
    from memoria.ingest.extraction import ExtractionWorker


def _unlimited() -> float:
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
    chat: "ChatClient | None" = None
    """The way to a chat model, where one is configured."""
    recall: RelatedMemories | None = None
    """Finds what is known beside a memory, where a model may ask for it."""
    time_left: Callable[[], float] = _unlimited
    """Seconds. What is planned for when none are left is left for the next night."""
    budget: NightlyLedger | None = None
    """What its questions are paid from."""
    extraction: "ExtractionWorker | None" = None
    """Has the model read what was recorded; at work in the thread that calls it."""
    shortfalls: dict[str, str] = field(default_factory=dict)
    """By step: what it could not do while it was planned, to be reported."""

    @property
    def tenant(self) -> str:
        """Whose memories."""
        return self.settings.tenant

    @property
    def digests(self) -> Digester:
        """They recognise what was forgotten."""
        home = self.settings.home_path
        return Digester(self.tenant, lambda: tombstone_key(home))

    def memory_writer(self, tx: Transaction) -> MemoryWriter:
        """Writes memories in a transaction of the run, at the run's moment."""
        suppression = SuppressionList(tx.tombstones, self.digests)
        return MemoryWriter(tx, suppression, Author(NIGHTLY_CHANNEL), self.at)

    @property
    def output_tokens(self) -> int:
        """The longest answer of the model."""
        return self.settings.llm_output_tokens

    @property
    def at(self) -> int:
        """The moment the night goes by, UTC epoch ms."""
        return self.run.at


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of an item."""

    outcome: StepOutcome
    memory_id: str | None = None
    reason: str | None = None
    """Why, for the report. Never what a memory says."""


class Step(Protocol[ItemT]):
    """One of the things a night does."""

    @property
    def name(self) -> str:
        """As the command line has it."""
        ...

    @property
    def item(self) -> type[ItemT]:
        """What its plan is made of."""
        ...

    @property
    def rows(self) -> int:
        """How many rows one item may touch at most, those of indexes and the journal included."""
        ...

    def describe_limits(self, context: StepContext, /) -> str | None:
        """What it has to do without, and so does otherwise; None where nothing is missing."""
        ...

    def plan(self, context: StepContext) -> Iterator[ItemT]:
        """What is to be done. Reads in short snapshots and writes nothing."""
        ...

    def apply(self, tx: Transaction, item: ItemT, context: StepContext) -> ItemResult:
        """Do one thing, unless somebody has changed what it rests on since it was planned."""
        ...


@runtime_checkable
class PiecewiseStep(Protocol):
    """A step without a plan: it goes on with what others would do as well, a piece at a time.

    A piece is done in transactions of its own, none of which the journal sees: an undo leaves it.
    """

    @property
    def name(self) -> str:
        """As the command line has it."""
        ...

    def describe_limits(self, context: StepContext, /) -> str | None:
        """What it has to do without, or has left; None where nothing is missing."""
        ...

    def count_waiting(self, context: StepContext) -> int:
        """How many pieces there are to do, as far as can be told."""
        ...

    def work_on_next(self, context: StepContext) -> Sequence[ItemResult]:
        """Do the next piece. Nothing came of it where there is none that can be done this night."""
        ...
