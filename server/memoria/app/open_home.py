"""Resources of an opened home, shared by all who see its memory, and threads for blocking work."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from memoria.policy.questions import HomePolicy
from memoria.store.engine import Store
from memoria.store.kept_changes import run_whole
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.config import Settings
    from memoria.inference import LazyEmbedder
    from memoria.inference.chat.base import ChatModel
    from memoria.inference.reranker import Reranker
    from memoria.ingest.embedding import EmbeddingWorker
    from memoria.ingest.extraction import ExtractionWorker
    from memoria.ingest.grounding import GroundingWorker
    from memoria.ingest.rounds import SharedRounds


_T = TypeVar("_T")


async def in_thread(work: Callable[[], _T], turns: anyio.CapacityLimiter | None = None) -> _T:
    """Run blocking work in a worker thread. It is never abandoned half way.

    It is run again if the connection to the database broke before anything of it was kept.

    Args:
        work: what to do.
        turns: how many may do so at once; by default as many as of all other work.
    """
    return await anyio.to_thread.run_sync(run_whole, work, limiter=turns)


async def in_own_thread(work: Callable[[Callable[[], bool]], _T]) -> _T:
    """Run work in a worker thread, and wait no longer for its end when the call is cancelled.

    The work is given a function that returns True once nobody waits.
    """
    left = Event()
    try:
        return await anyio.to_thread.run_sync(work, left.is_set, abandon_on_cancel=True)
    finally:
        left.set()


async def in_snapshot(store: Store, tenant: str, look: Callable[[Transaction], _T]) -> _T:
    """Look at one snapshot of a tenant's rows, in a worker thread."""

    def looking() -> _T:
        with store.read(tenant) as tx:
            return look(tx)

    return await in_thread(looking)


_SEARCH_THREADS = 40


class SharedParts:
    """Models, threads and turns of searches that all homes of one process share."""

    def __init__(self, rounds: "SharedRounds", search_turns: anyio.CapacityLimiter) -> None:
        self.rounds = rounds
        self.search_turns = search_turns
        """Turns of all searches."""
        self._embedders: dict[object, LazyEmbedder | None] = {}

    def make_tenant_turns(self) -> anyio.CapacityLimiter:
        """Return turns of one tenant: one less than of all searches, so that none takes all."""
        return anyio.CapacityLimiter(max(1, self.search_turns.total_tokens - 1))

    def choose_embedder(self, settings: "Settings") -> "LazyEmbedder | None":
        """Return the embedder of a home, the same for all whose settings name the same model."""
        from memoria.inference import choose_embedder  # noqa: PLC0415  (as elsewhere)

        named = (settings.embedder, settings.embedding_base_url, settings.embedding_model)
        key = (*named, settings.embedding_api_key)
        if key not in self._embedders:
            self._embedders[key] = choose_embedder(settings)
        return self._embedders[key]


@dataclass(frozen=True, slots=True)
class OpenHome:
    """An opened home: its settings, store, models and background workers."""

    settings: "Settings"
    store: "Store"
    embedder: "LazyEmbedder | None" = None
    reranker: "Reranker | None" = None
    worker: "EmbeddingWorker | None" = None
    """Worker that embeds what waits."""
    reader: "ExtractionWorker | None" = None
    """Service that has a chat model read what waits; None without a chat model."""
    grounds: "GroundingWorker | None" = None
    """Worker that binds memories to the files of repositories."""
    policy: HomePolicy = field(default_factory=HomePolicy)
    """Decides what is kept, replaced and archived."""
    chat: "ChatModel | None" = None
    """Chat model of the program's own, in the place of the configured one."""
    search_turns: anyio.CapacityLimiter = field(
        default_factory=lambda: anyio.CapacityLimiter(_SEARCH_THREADS)
    )
    """Turns of searches alone: what is recorded never waits behind them."""
    tenant_turns: anyio.CapacityLimiter = field(
        default_factory=lambda: anyio.CapacityLimiter(_SEARCH_THREADS)
    )
    """Turns of this tenant's searches among them."""

    def for_tenant(self, tenant: str) -> "OpenHome":
        """Return the same home as it serves another tenant, who has turns of its own."""
        # Another tenant's folders are elsewhere: no night of theirs is to read repositories here.
        grounds = self.settings.grounds and tenant == self.settings.tenant
        settings = self.settings.model_copy(update={"tenant": tenant, "grounds": grounds})
        own = anyio.CapacityLimiter(self.tenant_turns.total_tokens)
        return replace(self, settings=settings, tenant_turns=own)

    def in_workspace(self, workspace: str | None) -> "OpenHome":
        """Return the same home as it serves calls from a project; the same one for None."""
        if workspace is None:
            return self
        return replace(self, settings=self.settings.model_copy(update={"workspace": workspace}))
