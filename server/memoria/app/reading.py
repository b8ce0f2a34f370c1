"""Reading: the workers that let a chat model read what was recorded, put together."""

from memoria.config import Settings
from memoria.inference import LazyEmbedder
from memoria.inference.chat.choose import choose_chat_model, gate_limits
from memoria.inference.chat.gate import Gate
from memoria.inference.chat.ledger import Ledger
from memoria.ingest.episode import Summariser
from memoria.ingest.extract import Extractor
from memoria.ingest.extraction import ExtractionLimits, ExtractionWorker
from memoria.ingest.reading import Reader, Tools
from memoria.ingest.recall import Recall
from memoria.ingest.tombstones import Marks
from memoria.model import QueueKind
from memoria.retrieval.related import Related
from memoria.store.base import Store
from memoria.store.files import tombstone_key
from memoria.store.ledger import StoreLedger


def chat_gate(settings: Settings, ledger: Ledger) -> Gate | None:
    """The one way to the chat model, its calls entered in the ledger.

    None where none is configured.
    """
    model = choose_chat_model(settings)
    return None if model is None else Gate(model, ledger, gate_limits(settings))


def extraction_worker(
    settings: Settings, store: Store, embedder: LazyEmbedder | None
) -> ExtractionWorker | None:
    """The workers, not started yet; None where no chat model is configured."""
    gate = chat_gate(settings, StoreLedger(store))
    return None if gate is None else worker_by(settings, store, gate, Related(embedder))


def worker_by(settings: Settings, store: Store, gate: Gate, recall: Recall) -> ExtractionWorker:
    """The workers that ask by a gate, not started yet."""

    def marks(tenant: str) -> Marks:
        return Marks(tenant, lambda: tombstone_key(settings.home_path))

    most, personal = settings.llm_output_tokens, settings.personal_data
    tools = Tools(store, gate, recall, marks, most, personal)
    readers: dict[QueueKind, Reader] = {
        QueueKind.EXTRACT: Extractor(tools),
        QueueKind.EPISODE: Summariser(tools),
    }
    limits = ExtractionLimits(
        threads=settings.llm_concurrency,
        lease_ms=settings.lease_ms,
        attempts=settings.extraction_attempts,
    )
    return ExtractionWorker(store, gate, readers, limits)
