"""The extraction worker: takes entries from the queue until none is due.

Several threads in several processes share one queue. Each entry is leased; a heartbeat renews what
this process holds, so that a lease need not be as long as a model may take, and a dead process
delays its entries by one lease at most.

An entry that fails is tried again later, each time later. What is not its fault (the day's tokens
are spent, a setting is wrong, Memoria closes) does not count; the rest does, and in the end the
entry is a dead letter that says why.
"""

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass

from memoria.config import LONGEST_PAUSE_MS
from memoria.errors import (
    AskingStoppedError,
    BudgetSpentError,
    ChatModelError,
    EmbedderError,
    ModelMisconfiguredError,
    ModelUnavailableError,
    StoreError,
)
from memoria.inference.chat.client import ChatClient
from memoria.ingest.backoff import backoff_ms
from memoria.ingest.intake import IntakeLimits
from memoria.ingest.processing import ChangedMeanwhileError, EntryLeaseLostError, EntryProcessor
from memoria.ingest.split_entry import split_entry
from memoria.model import QueueKind, QueueState, new_id, now_millis
from memoria.store.base import Store
from memoria.store.values import LeasedEntry

_LOG = logging.getLogger(__name__)
_IDLE_S = 5.0
_RACE_LOST_S = 0.05
_LONGEST_STOP_S = 5.0
_MISCONFIGURED_MS = 10 * 60_000
_OUTAGE_PATIENCE = 4
"""An outage is the model's fault sooner than an entry's: it may last this many times longer."""


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """How many at once, how long a lease lasts, how often an entry is tried."""

    threads: int
    lease_ms: int
    attempts: int
    first_retry_ms: int = 2_000
    """The pause after the first failure; it doubles with each, and a part of it is chance."""


@dataclass(frozen=True, slots=True)
class ProcessedEntry:
    """What became of an entry that was taken in hand."""

    state: QueueState | None
    """None where it was forgotten meanwhile."""
    error: Exception | None
    """Why it was not read, if so."""


class ExtractionWorker:
    """Threads that drain the extraction queue."""

    def __init__(
        self,
        store: Store,
        gate: ChatClient,
        processors: Mapping[QueueKind, EntryProcessor],
        limits: ExtractionLimits,
    ) -> None:
        self.intake = IntakeLimits()
        self._store = store
        self._gate = gate
        self._processors = processors
        self._limits = limits
        self._wake = threading.Condition()
        self._stopping = threading.Event()
        self._lease_owners: set[str] = set()
        self._threads = [
            threading.Thread(
                target=copy_context().run,  # whoever opened it says what time it is
                args=[self._run],
                name=f"memoria-extract-{i}",
                daemon=True,
            )
            for i in range(limits.threads)
        ]
        self._heart = threading.Thread(
            target=copy_context().run, args=[self._renew_leases], name="memoria-lease", daemon=True
        )

    def start(self) -> None:
        """Begin with what is due."""
        for thread in (*self._threads, self._heart):
            thread.start()

    def wake(self) -> None:
        """Something was queued."""
        with self._wake:
            self._wake.notify_all()

    def stop(self) -> None:
        """End. What is under way goes back into the queue."""
        self._stopping.set()
        self._gate.stop()
        self.wake()
        for thread in (*self._threads, self._heart):
            if thread.is_alive():
                thread.join(_LONGEST_STOP_S)

    def is_idle(self) -> bool:
        """Whether nothing is due and nothing is under way, here or elsewhere."""
        with self._store.work_queue(write=False) as queue:
            return not queue.has_work(now_millis())

    @contextmanager
    def run_in_calling_thread(self) -> Iterator[None]:
        """In this block, entries are read one by one in the thread that calls `process_next`."""
        self._heart.start()
        try:
            yield
        finally:
            self.stop()

    def process_next(self, tenant: str) -> ProcessedEntry | None:
        """Read the next entry of a tenant that is due; None where there is none.

        Raises:
            StoreError: the queue can't be reached.
        """
        owner = new_id()
        with self._store.work_queue(write=True) as queue:
            work = queue.lease_next(owner, now_millis(), self._limits.lease_ms, tenant)
        if work is None:
            return None
        self._lease_owners.add(owner)
        try:
            error = self._process(work, owner)
        finally:
            self._lease_owners.discard(owner)
        with self._store.read(tenant) as tx:
            entry = tx.queue.get_entry(work.id)
        return ProcessedEntry(None if entry is None else entry.state, error)

    def _run(self) -> None:
        owner = new_id()
        while not self._stopping.is_set():
            try:
                pause_s = self._take_next(owner)
            except StoreError as error:
                if not self._stopping.is_set():
                    _LOG.warning("The extraction queue can't be reached: %s", error)
                pause_s = _IDLE_S
            if pause_s:
                with self._wake:
                    if not self._stopping.is_set():
                        self._wake.wait(pause_s)

    def _take_next(self, owner: str) -> float:
        """Work on the next entry. Gives how long to rest, in seconds."""
        wait_s = self._wait_s()
        if wait_s > 0:
            return wait_s
        with self._store.work_queue(write=True) as queue:
            work = queue.lease_next(owner, now_millis(), self._limits.lease_ms)
        if work is None:
            return _RACE_LOST_S  # by another, between the look and the lease
        self._lease_owners.add(owner)
        try:
            self._process(work, owner)
        finally:
            self._lease_owners.discard(owner)
        return 0.0

    def _wait_s(self) -> float:
        """How long until an entry is due. Only a look: idle workers must not queue to write."""
        with self._store.work_queue(write=False) as queue:
            due_at = queue.next_due_at(now_millis())
        wait_s = _IDLE_S if due_at is None else (due_at - now_millis()) / 1000
        return min(wait_s, _IDLE_S)

    def _process(self, work: LeasedEntry, owner: str) -> Exception | None:
        """Have an entry read. Gives why it was not, if so."""
        try:
            self._processors[work.kind].run(work, owner)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001  (one entry must not stop the others)
            self._handle_failure(work, owner, error)
            return error
        return None

    def _handle_failure(self, work: LeasedEntry, owner: str, error: Exception) -> None:
        """What becomes of an entry that was not read."""
        match error:
            case EntryLeaseLostError():
                _LOG.warning("%s", error)
            case ChangedMeanwhileError():
                self._release(work, owner, now_millis(), str(error), blamed=False)
            case EmbedderError():
                until = now_millis() + _MISCONFIGURED_MS
                self._release(work, owner, until, str(error), blamed=False)
            case ChatModelError():
                self._give_back(work, owner, error)
            case _:
                _LOG.error("The entry %s could not be read", work.id, exc_info=error)
                self._fail(work, owner, f"{type(error).__name__} while it was applied", 1)

    def _give_back(self, work: LeasedEntry, owner: str, error: ChatModelError) -> None:
        if self._may_halve(work, error) and split_entry(self._store, work, owner):
            _LOG.info("The entry %s is read in halves: %s", work.id, error)
            return
        match error:
            case AskingStoppedError():
                self._release(work, owner, now_millis(), str(error), blamed=False)
            case BudgetSpentError():
                until = error.retry_at or now_millis() + LONGEST_PAUSE_MS
                self._release(work, owner, until, str(error), blamed=False)
            case ModelMisconfiguredError():
                until = now_millis() + _MISCONFIGURED_MS
                self._release(work, owner, until, str(error), blamed=False)
            case ModelUnavailableError():
                self._fail(work, owner, str(error), _OUTAGE_PATIENCE, error.retry_at)
            case _:
                self._fail(work, owner, str(error), 1)

    def _may_halve(self, work: LeasedEntry, error: ChatModelError) -> bool:
        """Whether less may be read where this was not. A silence has other reasons at first."""
        patient = isinstance(error, ModelUnavailableError)
        return error.too_much and not (patient and work.attempts < self._limits.attempts)

    def _fail(
        self, work: LeasedEntry, owner: str, error: str, patience: int, retry_at: int | None = None
    ) -> None:
        """Try again later, or give up."""
        if work.attempts >= self._limits.attempts * patience:
            with self._store.work_queue(write=True) as queue:
                queue.mark_dead(work, owner, error)
            _LOG.warning("The entry %s is a dead letter: %s", work.id, error)
            return
        until = max(
            retry_at or 0, now_millis() + backoff_ms(self._limits.first_retry_ms, work.attempts)
        )
        self._release(work, owner, until, error, blamed=True)

    def _release(
        self, work: LeasedEntry, owner: str, until: int, error: str, *, blamed: bool
    ) -> None:
        with self._store.work_queue(write=True) as queue:
            queue.release(work, owner, until, error, blamed=blamed)

    def _renew_leases(self) -> None:
        """Renew the leases held here, three times in the life of one."""
        while not self._stopping.wait(self._limits.lease_ms / 3000):
            owners = tuple(self._lease_owners)
            if not owners:
                continue
            try:
                with self._store.work_queue(write=True) as queue:
                    queue.renew(owners, now_millis(), self._limits.lease_ms)
            except StoreError as error:
                _LOG.warning("Leases could not be renewed: %s", error)
