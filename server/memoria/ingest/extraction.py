"""The extraction worker: takes entries from the queue until none is due."""

import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial

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
from memoria.inference.tasks import MAX_SEGMENTS
from memoria.ingest.embedding import backoff_ms
from memoria.ingest.intake import IntakeLimits
from memoria.ingest.processing import ChangedMeanwhileError, EntryLeaseLostError, EntryProcessor
from memoria.ingest.rounds import SharedRounds, WorkTurn
from memoria.model import QueueKind, QueueState, new_id, now_millis
from memoria.store.engine import Store
from memoria.store.values import LeasedEntry, NewQueueEntry

_OUTCOME = "too much at once, read in halves"


def split_entry(store: Store, entry: LeasedEntry, owner: str) -> bool:
    """Replace a leased entry by its two halves, unless another worker has leased it by now.

    Return False for an entry that cannot be split: a summary, or a single turn.
    """
    if entry.kind is not QueueKind.EXTRACT or entry.first_index >= entry.last_index:
        return False
    middle = (entry.first_index + entry.last_index) // 2
    with store.write(entry.tenant) as tx:
        present = tx.queue.get_entry(entry.id)
        if present is not None and tx.queue.finish(entry.n, owner, _OUTCOME):
            for first, last in ((entry.first_index, middle), (middle + 1, entry.last_index)):
                half = NewQueueEntry(
                    id=new_id(),
                    kind=entry.kind,
                    session_n=entry.session_n,
                    first_index=first,
                    last_index=last,
                    priority=present.priority,
                    reason=entry.reason,
                    created_at=now_millis(),
                )
                tx.queue.add(half)
    return True


_LOG = logging.getLogger(__name__)
_IDLE_S = 5.0
_RACE_LOST_S = 0.05
_LONGEST_STOP_S = 5.0
_MISCONFIGURED_MS = 10 * 60_000
_OUTAGE_PATIENCE = 4
"""Factor on the attempts while the model is out: that is no entry's fault."""


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """The number of threads, the length of a lease, and how often an entry is tried."""

    threads: int
    lease_ms: int
    attempts: int
    wait_ms: int = 0
    """Time that a session must be quiet before what is urgent in it is read."""
    together: int = 1
    """Number of turns of several conversations that are read with one request at most."""
    first_retry_ms: int = 2_000
    """The pause after the first failure; it doubles with each one, with jitter."""


@dataclass(frozen=True, slots=True)
class ProcessedEntry:
    """Result of processing an entry."""

    state: QueueState | None
    """None if the entry was forgotten while it was processed."""
    error: Exception | None
    """Reason why processing failed, if it did."""
    finished: int = 1
    """Number of entries that were finished with the same request."""


class ExtractionWorker:
    """Threads that process the extraction queue."""

    def __init__(
        self,
        store: Store,
        chat: ChatClient,
        processors: Mapping[QueueKind, EntryProcessor],
        limits: ExtractionLimits,
    ) -> None:
        self.intake = IntakeLimits(wait_ms=limits.wait_ms)
        self._store = store
        self._chat = chat
        self._processors = processors
        self._limits = limits
        self._wake = threading.Condition()
        self._leasing = threading.Lock()
        """Held while entries are leased: what waits for one request, several threads would part."""
        self._stopping = threading.Event()
        self._lease_owners: set[str] = set()
        self._threads = [
            threading.Thread(
                target=copy_context().run,  # with the clock of the caller
                args=[self._run],
                name=f"memoria-extract-{i}",
                daemon=True,
            )
            for i in range(limits.threads)
        ]
        self._heart = threading.Thread(
            target=copy_context().run, args=[self._keep_leases], name="memoria-lease", daemon=True
        )
        self._reading: list[WorkTurn] = []
        self._renewing: WorkTurn | None = None

    def start(self, rounds: SharedRounds | None = None) -> None:
        """Start the threads, or join rounds of work in their place."""
        if rounds is not None:
            steps = [partial(self._step, new_id()) for _ in self._threads]
            self._reading = [rounds.reading.join(step) for step in steps]
            self._renewing = rounds.upkeep.join(self._renew_leases)
            return
        for thread in (*self._threads, self._heart):
            thread.start()

    def wake(self) -> None:
        """Tell the threads that something was queued."""
        with self._wake:
            self._wake.notify_all()
        for turn in self._reading:
            turn.wake()

    def stop(self) -> None:
        """Stop the threads; unfinished entries go back into the queue."""
        self._stopping.set()
        self._chat.stop()
        self.wake()
        for turn in (*self._reading, self._renewing):
            if turn is not None:
                turn.leave(_LONGEST_STOP_S)
        for thread in (*self._threads, self._heart):
            if thread.is_alive():
                thread.join(_LONGEST_STOP_S)

    @property
    def is_reading(self) -> bool:
        """True if this process has started its threads, and reads the queue."""
        return self._renewing is not None or self._heart.ident is not None

    def is_idle(self) -> bool:
        """Check that no entry is due or being processed, here or in another process."""
        with self._store.work_queue(write=False) as queue:
            return not queue.has_work(now_millis())

    @contextmanager
    def run_in_calling_thread(self) -> Iterator[None]:
        """Process entries in the calling thread, one for each `process_next`, within this block."""
        self._heart.start()
        try:
            yield
        finally:
            self.stop()

    def process_next(self, tenant: str) -> ProcessedEntry | None:
        """Process the next entry of a tenant that is due; None if there is none.

        Raises:
            StoreError: the queue can't be reached.
        """
        owner = new_id()
        leased = self._lease(owner, tenant)
        if not leased:
            return None
        with self._store.read(tenant) as tx:
            before = tx.queue.status().done
        self._lease_owners.add(owner)
        try:
            error = self._process(leased, owner)
        finally:
            self._lease_owners.discard(owner)
        with self._store.read(tenant) as tx:
            present, after = tx.queue.get_entry(leased[0].id), tx.queue.status().done
        state = None if present is None else present.state
        return ProcessedEntry(state, error, max(1, after - before))

    def _run(self) -> None:
        owner = new_id()
        while not self._stopping.is_set():
            pause_s = self._step(owner)
            if pause_s:
                with self._wake:
                    if not self._stopping.is_set():
                        self._wake.wait(pause_s)

    def _step(self, owner: str) -> float:
        """Process the next entry; return the pause before the following one, in seconds."""
        try:
            return self._take_next(owner)
        except StoreError as error:
            if not self._stopping.is_set():
                _LOG.warning("The extraction queue can't be reached: %s", error)
            return _IDLE_S

    def _take_next(self, owner: str) -> float:
        """Process the next entry; return the pause before the following entry, in seconds."""
        wait_s = self._wait_s()
        if wait_s > 0:
            return wait_s
        leased = self._lease(owner)
        if not leased:
            return _RACE_LOST_S  # another thread took it between the look and the lease
        self._lease_owners.add(owner)
        try:
            self._process(leased, owner)
        finally:
            self._lease_owners.discard(owner)
        return 0.0

    def _wait_s(self) -> float:
        """Return the time until an entry is due. It only reads, so idle threads block no writer."""
        with self._store.work_queue(write=False) as queue:
            due_at = queue.next_due_at(now_millis())
        wait_s = _IDLE_S if due_at is None else (due_at - now_millis()) / 1000
        return min(wait_s, _IDLE_S)

    def _process(self, leased: Sequence[LeasedEntry], owner: str) -> Exception | None:
        """Process an entry and its companions. Return the error if that failed."""
        entry, *along = leased
        try:
            self._processors[entry.kind].run(entry, owner, along)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001  (one entry must not stop the others)
            for other in along:
                self._release(other, owner, now_millis(), str(error), blamed=False)
            if along and isinstance(error, ChatModelError) and error.too_much:
                self._release(entry, owner, now_millis(), str(error), blamed=True)
            else:
                self._handle_failure(entry, owner, error)
            return error
        return None

    def _lease(self, owner: str, tenant: str | None = None) -> list[LeasedEntry]:
        """Lease the next entry that is due, and more to be read with the same request.

        Entries that wait for company are read along, and whoever names a tenant reads all that
        waits. An entry that has failed before is read alone.
        """
        now, lease_ms = now_millis(), self._limits.lease_ms
        with self._leasing, self._store.work_queue(write=True) as queue:
            if tenant is not None:
                queue.rouse(tenant, now)
            entry = queue.lease_next(owner, now, lease_ms, tenant)
            if entry is None:
                return []
            leased = [entry]
            room = self._limits.together - _count_turns(entry)
            if entry.kind is not QueueKind.EXTRACT or entry.attempts > 1:
                room = 0
            else:
                queue.rouse(entry.tenant, now, entry)
            while room > 0 and len(leased) < MAX_SEGMENTS:
                other = queue.lease_along(entry, owner, now, lease_ms, room)
                if other is None:
                    break
                leased.append(other)
                room -= _count_turns(other)
        return leased

    def _handle_failure(self, entry: LeasedEntry, owner: str, error: Exception) -> None:
        """Decide when a failed entry is tried again, if ever."""
        match error:
            case EntryLeaseLostError():
                _LOG.warning("%s", error)
            case ChangedMeanwhileError():
                self._release(entry, owner, now_millis(), str(error), blamed=False)
            case EmbedderError():
                until = now_millis() + _MISCONFIGURED_MS
                self._release(entry, owner, until, str(error), blamed=False)
            case ChatModelError():
                self._give_back(entry, owner, error)
            case _:
                _LOG.error("The entry %s could not be read", entry.id, exc_info=error)
                self._fail(entry, owner, f"{type(error).__name__} while it was applied", 1)

    def _give_back(self, entry: LeasedEntry, owner: str, error: ChatModelError) -> None:
        if self._may_halve(entry, error) and split_entry(self._store, entry, owner):
            _LOG.info("The entry %s is read in halves: %s", entry.id, error)
            return
        match error:
            case AskingStoppedError():
                self._release(entry, owner, now_millis(), str(error), blamed=False)
            case BudgetSpentError():
                until = error.retry_at or now_millis() + LONGEST_PAUSE_MS
                self._release(entry, owner, until, str(error), blamed=False)
            case ModelMisconfiguredError():
                until = now_millis() + _MISCONFIGURED_MS
                self._release(entry, owner, until, str(error), blamed=False)
            case ModelUnavailableError():
                self._fail(entry, owner, str(error), _OUTAGE_PATIENCE, error.retry_at)
            case _:
                self._fail(entry, owner, str(error), 1)

    def _may_halve(self, entry: LeasedEntry, error: ChatModelError) -> bool:
        """Check whether to try half of the entry; a silent model first gets its usual attempts."""
        patient = isinstance(error, ModelUnavailableError)
        return error.too_much and not (patient and entry.attempts < self._limits.attempts)

    def _fail(
        self, entry: LeasedEntry, owner: str, error: str, patience: int, retry_at: int | None = None
    ) -> None:
        """Release an entry to be tried again later, or mark it as dead."""
        if entry.attempts >= self._limits.attempts * patience:
            with self._store.work_queue(write=True) as queue:
                queue.mark_dead(entry, owner, error)
            _LOG.warning("The entry %s is a dead letter: %s", entry.id, error)
            return
        until = max(
            retry_at or 0, now_millis() + backoff_ms(self._limits.first_retry_ms, entry.attempts)
        )
        self._release(entry, owner, until, error, blamed=True)

    def _release(
        self, entry: LeasedEntry, owner: str, until: int, error: str, *, blamed: bool
    ) -> None:
        with self._store.work_queue(write=True) as queue:
            queue.release(entry, owner, until, error, blamed=blamed)

    def _keep_leases(self) -> None:
        while not self._stopping.wait(self._limits.lease_ms / 3000):
            self._renew_leases()

    def _renew_leases(self) -> float:
        """Renew the leases of this process; return the pause until then, a third of a lease."""
        owners = tuple(self._lease_owners)
        try:
            if owners:
                with self._store.work_queue(write=True) as queue:
                    queue.renew(owners, now_millis(), self._limits.lease_ms)
        except StoreError as error:
            _LOG.warning("Leases could not be renewed: %s", error)
        return self._limits.lease_ms / 3000


def _count_turns(entry: LeasedEntry) -> int:
    return entry.last_index - entry.first_index + 1
