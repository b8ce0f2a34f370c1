"""Resources that are opened once for a home and shared by all who see its memory."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from memoria.app.helpers import SearchHelpers
    from memoria.app.queue import ExtractionService
    from memoria.config import Settings
    from memoria.inference import LazyEmbedder
    from memoria.inference.rerank.base import Reranker
    from memoria.ingest.embedding import EmbeddingWorker
    from memoria.store.engine import Store

_SEARCH_THREADS = 40


@dataclass(frozen=True, slots=True)
class OpenHome:
    """An opened home: its settings, its store, the models and whoever works beside it."""

    settings: "Settings"
    store: "Store"
    embedder: "LazyEmbedder | None" = None
    reranker: "Reranker | None" = None
    worker: "EmbeddingWorker | None" = None
    """Worker that embeds what waits."""
    reader: "ExtractionService | None" = None
    """Service that has a chat model read what waits; None without a chat model."""
    helpers: "SearchHelpers | None" = None
    """Processes that search beside this one while many ask at once; None unless they are set."""
    search_turns: anyio.CapacityLimiter = field(
        default_factory=lambda: anyio.CapacityLimiter(_SEARCH_THREADS)
    )
    """Turns of searches alone: what is recorded never waits behind them."""
