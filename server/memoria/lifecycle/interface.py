"""Interface of a step of nightly maintenance, and what every step is given.

A plan is made before the first change and kept until its last item is done, answers of a chat model
included. So a run that was killed does what it was going to do: it neither asks again nor concludes
otherwise from what it has changed itself.

A step is a class in `lifecycle/steps` and its line in that package. The command line, its help, the
documented table and the reports take name and summary from the step; the journal undoes what the
step changes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from memoria.config import Settings
from memoria.disk.tenant_files import TenantFiles
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import BudgetSpentError
from memoria.inference import DEFAULT_CALIBRATION, Calibration
from memoria.memories.verdicts import RelatedMemories
from memoria.memories.wordings import Author
from memoria.memories.writer import MemoryWriter
from memoria.model import DailyCap, ModelCall, now_millis
from memoria.model.base import Value
from memoria.model.nightly import NightlyRun, StepOutcome
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.policy.questions import HomePolicy
from memoria.policy.retention import RetentionTable
from memoria.store.engine import JournalingStore, Store, enter_call
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.inference.chat.client import ChatClient
    from memoria.ingest.extraction import ExtractionWorker
    from memoria.ingest.grounding import GroundingWorker

RowT = TypeVar("RowT", bound=tuple[Any, ...])


class Item(Value):
    """One thing that a step is going to do."""

    key: str
    """Name of the item, unique in its step and run; ids of new rows are derived from it."""


ItemT = TypeVar("ItemT", bound=Item)


@dataclass(frozen=True, slots=True)
class StepContext:
    """Tools and settings that a step is given."""

    run: NightlyRun
    store: Store
    settings: Settings
    policy: HomePolicy
    """Policy of the home, by which memories are kept, replaced and archived."""
    retention: RetentionTable
    calibration: Calibration = DEFAULT_CALIBRATION
    """Calibration of the home's embedder: the meanings of cosines between memories."""
    chat: "ChatClient | None" = None
    """Client of the chat model; None without one."""
    recall: RelatedMemories | None = None
    """Finds memories related to a text, for a chat model; None without one."""
    time_left: Callable[[], float] = lambda: inf
    """Seconds until work must stop; the rest waits for the next run."""
    budget: "NightlyLedger | None" = None
    """Budget of tokens for questions to the chat model."""
    extraction: "ExtractionWorker | None" = None
    """Worker that has the chat model read recorded turns, in the calling thread."""
    grounds: "GroundingWorker | None" = None
    """Binds memories to files of repositories; None where none is to be read."""
    shortfalls: dict[str, str] = field(default_factory=dict)
    """Descriptions, by step, of work that it could not do while it planned, for the report."""

    @property
    def tenant(self) -> str:
        """The tenant of the run."""
        return self.settings.tenant

    @property
    def files(self) -> TenantFiles:
        """The tenant's files."""
        return self.store.files.of(self.tenant)

    @property
    def digests(self) -> Digester:
        """Digester by which forgotten texts are recognised."""
        return Digester(self.tenant, self.store.files.tombstone_key)

    def memory_writer(self, tx: Transaction) -> MemoryWriter:
        """Return a writer of memories in a transaction, with the run's moment and channel."""
        suppression = SuppressionList(tx.tombstones, self.digests)
        return MemoryWriter(tx, suppression, Author(NIGHTLY_CHANNEL), self.at, self.policy)

    @property
    def output_tokens(self) -> int:
        """Most tokens of an answer of the chat model."""
        return self.settings.llm_output_tokens

    @property
    def at(self) -> int:
        """The moment that counts as the present for the run, UTC epoch ms."""
        return self.run.at


@dataclass(frozen=True, slots=True)
class ItemResult:
    """Result of applying an item."""

    outcome: StepOutcome
    memory_id: str | None = None
    reason: str | None = None
    """Reason for the report, without a word of any memory."""


class Step(ABC):
    """One of the things that nightly maintenance does."""

    name: ClassVar[str]
    """Name in the command line and the reports."""
    summary: ClassVar[str]
    """Description of the step in a sentence, for a user who does not know the step."""
    things: ClassVar[tuple[str, str]]
    """Names of one thing and of several things that the step deals with."""
    deed: ClassVar[str]
    """Participle for what was done to these things, as it stands after their name."""

    @abstractmethod
    def count_work(self, context: StepContext) -> int:
        """Count the items or pieces that are to be done now."""

    def describe_limits(self, _context: StepContext) -> str | None:
        """Return a sentence on what the step can't do, or leaves undone; None if nothing."""
        return None


class PlannedStep(Step, Generic[ItemT]):
    """A step that plans all its work before its first change. An undo takes its changes back."""

    item: type[ItemT]
    """Type of the items in its plan."""
    rows: ClassVar[int]
    """Most rows that one item may touch, those of indexes and the journal included."""

    @abstractmethod
    def plan(self, context: StepContext) -> Iterator[ItemT]:
        """Yield the items to do, reading in short snapshots and writing nothing."""

    @abstractmethod
    def apply(self, tx: Transaction, item: ItemT, context: StepContext) -> ItemResult:
        """Apply one item, unless the rows it rests on were changed after the plan was made."""

    def count_work(self, context: StepContext) -> int:
        """Return the number of items that a plan made now would have."""
        return sum(1 for _ in self.plan(context))


class PiecewiseStep(Step):
    """A step without a plan, which does work piece by piece that open servers do as well.

    Each piece is done in transactions of its own, outside of the journal: no undo takes it back.
    """

    @abstractmethod
    def do_piece(self, context: StepContext) -> Sequence[ItemResult]:
        """Do the next piece; return no result if nothing is left that this run can do."""


AnyStep = PlannedStep[Any] | PiecewiseStep


def read_pages(
    context: StepContext, list_rows: Callable[[Transaction, Any], Sequence[RowT]], start: object = 0
) -> Iterator[Sequence[RowT]]:
    """Yield rows in pages, so that no snapshot is held while a page is worked on.

    Args:
        context: whose rows.
        list_rows: gives some of the rows beyond a number, in order; a row begins with its number.
        start: the number before the first one.
    """
    after = start
    while True:
        with context.store.read(context.tenant) as tx:
            page = list_rows(tx, after)
        if not page:
            return
        yield page
        after = page[-1][0]


def log_action(tx: Transaction, at: int, action: str, memory_id: str, why: str) -> None:
    """Log an action of nightly maintenance on a memory."""
    tx.audit.add(
        at=at, channel=NIGHTLY_CHANNEL, client=None, action=action, subject=memory_id, detail=why
    )


class NightlyLedger:
    """Ledger of the requests of one run, which counts their tokens against the run's budget."""

    def __init__(self, store: JournalingStore, run: NightlyRun, most: int) -> None:
        """Create the ledger of a run.

        Args:
            store: what the run writes to.
            run: the run that pays.
            most: tokens it may take in all.
        """
        self.step = 0
        """Ordinal of the step that asks."""
        self.spent = False
        """True if a request was refused because too few tokens were left."""
        self._store = store
        self._run = run
        self._most = most
        self._entered: dict[int, tuple[int, int]] = {}

    def reserve(self, tenant: str, call: ModelCall, since: int, cap: DailyCap) -> int | None:
        """Enter a call that is about to be made, with its maximum cost; return its number.

        Return None if the day's cap does not allow the call.

        Raises:
            BudgetSpentError: the run's tokens do not allow it.
        """
        with self._store.write(tenant) as tx:
            if tx.nightly_runs.count_tokens(self._run) + call.tokens > self._most:
                self.spent = True
                raise BudgetSpentError(
                    f"The run's {self._most:,} tokens do not suffice for another request. The "
                    "next run asks it; raise MEMORIA_NIGHTLY_TOKENS for more.",
                    retry_at=now_millis(),
                )
            n = enter_call(tx, call, since, cap)
            if n is not None:
                tx.nightly_runs.note_tokens(self._run, self.step, call.tokens)
                self._entered[n] = (self.step, call.tokens)
            return n

    def settle(self, tenant: str, n: int, call: ModelCall) -> None:
        """Set an entry to the actual cost of the call."""
        step, worst = self._entered.pop(n)
        with self._store.write(tenant) as tx:
            tx.ledger.settle(n, call)
            tx.nightly_runs.note_tokens(self._run, step, call.tokens - worst)
