"""Composition of the extraction workers, which let a chat model read what was recorded."""

from memoria.config import Settings
from memoria.erasure.suppression import Digester
from memoria.inference import LazyEmbedder
from memoria.inference.chat.base import ChatModel
from memoria.inference.chat.client import CallLedger, ChatClient, chat_limits, choose_chat_model
from memoria.ingest.episode import Summariser
from memoria.ingest.extract import Extractor
from memoria.ingest.extraction import ExtractionLimits, ExtractionWorker
from memoria.ingest.grounding import GroundingWorker
from memoria.ingest.processing import EntryProcessor, ProcessorTools
from memoria.memories.verdicts import RelatedMemories
from memoria.model import QueueKind
from memoria.policy.questions import OWN_POLICY, HomePolicy
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.engine import Store, StoreLedger

_MS_PER_MINUTE = 60_000


def build_chat_client(
    settings: Settings, ledger: CallLedger, own: ChatModel | None = None
) -> ChatClient | None:
    """Build the client of the chat model, whose calls are entered in the ledger.

    None where no chat model is configured, and the program has none of its own.
    """
    model = own or choose_chat_model(settings)
    if model is None:
        return None
    return ChatClient(model, ledger, chat_limits(settings), closes_model=own is None)


def build_extraction_worker(
    settings: Settings,
    store: Store,
    embedder: LazyEmbedder | None,
    grounds: GroundingWorker | None,
    policy: HomePolicy,
    own: ChatModel | None,
) -> ExtractionWorker | None:
    """Build the workers, not started yet; None where there is no chat model."""
    chat = build_chat_client(settings, StoreLedger(store), own)
    if chat is None:
        return None
    return build_worker(settings, store, chat, RelatedMemoryFinder(embedder), grounds, policy)


def build_worker(
    settings: Settings,
    store: Store,
    chat: ChatClient,
    recall: RelatedMemories,
    grounds: GroundingWorker | None = None,
    policy: HomePolicy = OWN_POLICY,
) -> ExtractionWorker:
    """Build the workers that ask this chat client, not started yet."""

    def digester(tenant: str) -> Digester:
        return Digester(tenant, store.files.tombstone_key)

    most = settings.llm_output_tokens
    tools = ProcessorTools(store, chat, recall, digester, most, grounds, policy)
    readers: dict[QueueKind, EntryProcessor] = {
        QueueKind.EXTRACT: Extractor(tools),
        QueueKind.EPISODE: Summariser(tools),
    }
    limits = ExtractionLimits(
        threads=settings.llm_concurrency,
        lease_ms=settings.lease_ms,
        attempts=settings.llm_attempts,
        together=settings.extraction_turns,
        wait_ms=round(settings.extraction_wait_minutes * _MS_PER_MINUTE),
    )
    return ExtractionWorker(store, chat, readers, limits)
