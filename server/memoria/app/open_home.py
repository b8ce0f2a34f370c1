"""What is opened once for a home, and shared by all who see its memory."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoria.app.helpers import SearchHelpers
    from memoria.app.queue import ExtractionService
    from memoria.config import Settings
    from memoria.inference import LazyEmbedder
    from memoria.inference.rerank.base import Reranker
    from memoria.ingest.embedding import EmbeddingWorker
    from memoria.store.engine import Store


@dataclass(frozen=True, slots=True)
class OpenHome:
    """An opened home: its settings, its store, the models and whoever works beside it."""

    settings: "Settings"
    store: "Store"
    embedder: "LazyEmbedder | None" = None
    reranker: "Reranker | None" = None
    worker: "EmbeddingWorker | None" = None
    """Embeds what waits."""
    reader: "ExtractionService | None" = None
    """Has a chat model read what waits."""
    helpers: "SearchHelpers | None" = None
    """Search beside this process while many ask at once."""
