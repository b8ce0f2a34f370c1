"""The embedding worker: makes the vectors of documents, in one process at a time for a tenant."""

import logging
import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memoria.config import LONGEST_PAUSE_MS
from memoria.errors import EmbedderError, StoreError
from memoria.inference import LazyEmbedder
from memoria.ingest.rounds import BackgroundWorker
from memoria.language.reading.excerpt import Span, split_passages
from memoria.language.words.document import full_text
from memoria.memories.entities import find_turn_names, link_recorded_turns
from memoria.memories.links import find_similar, link_all_similar
from memoria.model import BacklogStatus, PassageVector, Role, StoredTurn, Vector, new_id, now_millis
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import PendingDocument

_DOUBLED_AT_MOST = 20


def backoff_ms(first_ms: int, failures: int) -> int:
    """Return an exponential pause with jitter, in ms: `first_ms` doubles with every failure."""
    longest = min(first_ms << min(failures, _DOUBLED_AT_MOST), LONGEST_PAUSE_MS)
    return round(longest * random.uniform(0.5, 1))  # noqa: S311  (spreads retries, no secret)


_LOG = logging.getLogger(__name__)
_LEASE = "embedding"
_IDLE_S = 5.0
_OTHER_OWNER_S = 0.25
_BATCHES_A_TURN = 20
"""Number of batches after which another tenant has its turn."""
_FIRST_RETRY_MS = 1_000
_PREVIOUS_CHARS = 300
_MOST_PASSAGES = 384
"""Number of passages of a batch: of one long answer after another, a batch is shorter. Texts that
are embedded together cost less each."""


@dataclass(frozen=True, slots=True)
class EmbeddingLimits:
    """The size of a batch, the length of a lease, and how often a document is tried."""

    batch: int
    lease_ms: int
    attempts: int


@dataclass(frozen=True, slots=True)
class _Task:
    """A document to be embedded, with the text and place of each of its passages."""

    pending: PendingDocument
    passages: list[tuple[str, Span]]

    @property
    def texts(self) -> Iterator[str]:
        """The document's own text, then its passages'."""
        yield embedding_text(self.pending)
        yield from (text for text, _ in self.passages)


@dataclass(frozen=True, slots=True)
class _Embedded:
    """Vectors of one document."""

    vector: Vector
    passages: tuple[PassageVector, ...]


class EmbeddingWorker(BackgroundWorker):
    """A thread that embeds whatever waits in the backlog.

    A batch that is abandoned at a stop is still in the backlog, and its lease runs out.
    """

    def __init__(self, store: Store, embedder: LazyEmbedder, limits: EmbeddingLimits) -> None:
        super().__init__("memoria-embed")
        self._store = store
        self._embedder = embedder
        self._limits = limits
        self._owner = new_id()
        self._adopted = False
        self._holds_lease = False
        self._linking = False
        self._outages = 0
        self._resting_until = 0.0
        self._outage: str | None = None

    def status(self) -> BacklogStatus:
        """Count the documents that wait, and return the last error."""
        with self._store.backlog(write=False) as backlog:
            status = backlog.status(self._limits.attempts)
        outage = {"last_error": self._outage} if self._outage else {}
        return status.model_copy(update=outage)

    def is_idle(self) -> bool:
        """Check that nothing can be done now: all is embedded, given up or to be retried later."""
        if self._resting_until > time.monotonic():
            return True
        if not self._adopted or self._linking:
            return False
        with self._store.backlog(write=False) as backlog:
            if backlog.current_model() != self._embedder.name:
                return True
            due_at = backlog.next_due_at(now_millis(), self._limits.attempts)
        return due_at is None or due_at > now_millis()

    def _step(self) -> float:
        """Embed some of what waits; return the pause before the next look, in seconds."""
        try:
            return self._embed_backlog()
        except EmbedderError as error:
            return self._back_off(error)
        except StoreError as error:
            if not self._stopping.is_set():
                _LOG.warning("The embedding backlog can't be reached: %s", error)
            self._resting_until = time.monotonic() + _IDLE_S  # counts as idle until then
            return _IDLE_S

    def _embed_backlog(self) -> float:
        """Embed some of what is due, tenant by tenant.

        Return the pause before the next look, in seconds.
        """
        self._adopt_model()
        tenants = self._list_due_tenants()
        if not tenants:
            return _IDLE_S
        unfinished = [self._embed_tenant(tenant) for tenant in tenants]
        return 0.0 if any(unfinished) else _OTHER_OWNER_S  # then look again for what came in

    def _embed_tenant(self, tenant: str) -> bool:
        """Embed what is due for a tenant in its turn. Return True where more is due."""
        if self._stopping.is_set() or self._another_embeds(tenant) or not self._take_lease(tenant):
            return False
        try:
            for _ in range(_BATCHES_A_TURN):
                if self._stopping.is_set() or not self._embed_batch(tenant):
                    return False
        finally:
            if self._holds_lease:
                with self._store.write(tenant, only_adds=True) as tx:
                    tx.leases.release(_LEASE, self._owner)
        return True

    def _adopt_model(self) -> None:
        """Make this process's model the model of the home; the process started last decides."""
        if self._adopted:
            return
        name = self._embedder.name
        with self._store.backlog(write=False) as backlog:
            chosen, behind = backlog.current_model(), backlog.index_is_behind(name)
        if chosen != name or behind:
            with self._store.backlog(write=True) as backlog:
                waiting = backlog.choose_model(name)
                backlog.catch_up(name)
            _LOG.info("Embedding with %s; %d documents to do", name, waiting)
        self._adopted = True

    def _list_due_tenants(self) -> list[str]:
        """List the tenants with something to embed now; none while the embedder is down."""
        if self._resting_until > time.monotonic():
            return []
        with self._store.backlog(write=False) as backlog:
            if backlog.current_model() != self._embedder.name:
                return []
            return backlog.list_due_tenants(now_millis(), self._limits.attempts)

    def _another_embeds(self, tenant: str) -> bool:
        """Check whether another process holds the lease, by reading, so that nobody waits."""
        with self._store.read(tenant) as tx:
            return tx.leases.owner(_LEASE, now_millis()) not in (None, self._owner)

    def _take_lease(self, tenant: str) -> bool:
        with self._store.write(tenant, only_adds=True) as tx:
            self._holds_lease = self._renew_lease(tx)
        return self._holds_lease

    def _renew_lease(self, tx: Transaction) -> bool:
        return tx.leases.take(_LEASE, self._owner, now_millis(), self._limits.lease_ms)

    def _embed_batch(self, tenant: str) -> bool:
        """Embed some of what is due for a tenant. Return False when nothing is left to do now.

        Raises:
            EmbedderError: the embedder is down.
        """
        with self._store.read(tenant) as tx:
            due = self._list_due(tx, self._limits.batch)
            last_erasure = tx.backlog.last_erasure()
        if not due:
            return False
        tasks = _prepare(due)
        made = self._embed_texts(tenant, tasks)
        self._outages, self._outage = 0, None
        self._linking = True
        try:
            self._store_vectors(tenant, [task.pending for task in tasks], made, last_erasure)
        finally:
            self._linking = False
        return self._holds_lease

    def _list_due(self, tx: Transaction, most: int) -> list[PendingDocument]:
        return tx.backlog.list_due(now_millis(), most, self._limits.attempts)

    def _store_vectors(
        self,
        tenant: str,
        due: list[PendingDocument],
        made: Mapping[int, "_Embedded"],
        last_erasure: int,
    ) -> None:
        """Write the vectors and the links that follow.

        With the same commit the lease is renewed where more is due, else given back: another
        commit takes as long as to embed a sentence.
        """
        vectors = {n: one.vector for n, one in made.items()}
        passages = {n: one.passages for n, one in made.items() if one.passages}
        turns = (pending.turn for pending in due if pending.n in made)
        names = find_turn_names([turn for turn in turns if turn is not None])
        with self._store.write(tenant, only_adds=True) as tx:
            # Vectors are good even if the lease has run out since they were begun; those of a
            # model that was replaced since are not.
            is_current = tx.backlog.hold_model() == self._embedder.name
            # A text of the batch may have been erased: then it is read again.
            is_good = is_current and tx.backlog.last_erasure() == last_erasure
            if is_good and vectors:
                tx.backlog.add_vectors(self._embedder.name, vectors, passages)
                link_recorded_turns(tx, names)
            holds_lease = is_current and bool(self._list_due(tx, 1)) and self._renew_lease(tx)
            if not holds_lease:
                tx.leases.release(_LEASE, self._owner)
        self._holds_lease = holds_lease
        if is_good:
            self._link_similar(tenant, due, vectors)
        if not holds_lease:  # the last batch: nobody waits for what is done now
            with self._store.read(tenant) as tx:
                tx.follow_changes()

    def _link_similar(
        self, tenant: str, due: list[PendingDocument], vectors: Mapping[int, Vector]
    ) -> None:
        """Link each memory of the batch with the memories that mean nearly the same."""
        new_vectors = {p.n: vectors[p.n] for p in due if p.turn is None and p.n in vectors}
        if not new_vectors:
            return
        with self._store.read(tenant) as tx:
            near = find_similar(
                tx, self._embedder.name, new_vectors, self._embedder.calibration.neighbour
            )
        if near:
            with self._store.write(tenant, only_adds=True) as tx:
                link_all_similar(tx, near, now_millis())

    def _embed_texts(self, tenant: str, tasks: list[_Task]) -> dict[int, "_Embedded"]:
        try:
            made = self._embed_all(tasks)
        except EmbedderError:
            self._embedder.embed_documents(["ping"])  # raises if the embedder is down
            results = {task.pending.n: self._embed_one(tenant, task) for task in tasks}
            return {n: one for n, one in results.items() if one is not None}
        return {task.pending.n: one for task, one in zip(tasks, made, strict=True)}

    def _embed_one(self, tenant: str, task: _Task) -> "_Embedded | None":
        """Embed one document; return None if it failed, which is noted for a retry."""
        try:
            return self._embed_all([task])[0]
        except EmbedderError as error:
            until = now_millis() + backoff_ms(_FIRST_RETRY_MS, task.pending.attempts)
            with self._store.write(tenant, only_adds=True) as tx:
                tx.backlog.postpone([task.pending.n], until, str(error))
            return None

    def _embed_all(self, tasks: list[_Task]) -> list["_Embedded"]:
        """Embed each document with its passages, since they have their words in common."""
        texts = [text for task in tasks for text in task.texts]
        vectors = iter(self._embedder.embed_documents(texts))
        return [
            _Embedded(
                next(vectors),
                tuple(PassageVector(*span, next(vectors)) for _, span in task.passages),
            )
            for task in tasks
        ]

    def _back_off(self, error: EmbedderError) -> float:
        """Pause while the embedder is down, longer each time. Return the pause in seconds."""
        pause_ms = backoff_ms(_FIRST_RETRY_MS, self._outages)
        self._outages += 1
        self._outage = str(error)
        self._resting_until = time.monotonic() + pause_ms / 1000
        _LOG.warning("No vectors for %.1f s: %s", pause_ms / 1000, error)
        return pause_ms / 1000


def embedding_text(pending: PendingDocument) -> str:
    """Return the text that is embedded for a document.

    A turn is embedded with the end of the turn before it and the speakers' names: "yes, Thursday"
    alone means nothing.
    """
    if pending.turn is None:
        return pending.content or ""
    spoken = _turn_text(pending.turn)
    is_users = pending.turn.role is Role.USER and pending.turn.speaker is None
    if pending.previous is None or is_users:
        return spoken
    return f"{_turn_text(pending.previous)[-_PREVIOUS_CHARS:]}\n{spoken}"


def _passages(pending: PendingDocument) -> list[tuple[str, Span]]:
    """List the text and place of each passage of a turn that has any."""
    if pending.turn is None:
        return []
    text = full_text(pending.turn)
    return [(text[start:end], (start, end)) for start, end in split_passages(text)]


def _prepare(due: list[PendingDocument]) -> list[_Task]:
    """Return the tasks of the first documents, one at least, up to the limit of passages."""
    tasks: list[_Task] = []
    count = 0
    for pending in due:
        passages = _passages(pending)
        count += len(passages)
        if tasks and count > _MOST_PASSAGES:
            break
        tasks.append(_Task(pending, passages))
    return tasks


def _turn_text(turn: StoredTurn) -> str:
    return f"{turn.speaker or turn.role}: {full_text(turn)}"
