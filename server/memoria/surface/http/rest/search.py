"""Searching: both levels, and what a framework puts before a model."""

from typing import Annotated, Any

from pydantic import Field

from memoria.model import ContextPackage, Explanation, SearchResult
from memoria.model.access import Access
from memoria.model.query import MAX_TOKENS, MemoryQuery, TranscriptQuery
from memoria.retrieval.answer.prompt import MIN_TOKENS
from memoria.surface.documents import Document, write_conclusions, write_traces
from memoria.surface.http.rest.bounds import Words
from memoria.surface.http.rest.shown import build_shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute
from memoria.surface.mcp.shapes import WireConclusions, WireTraces


class RecallOrder(Order):
    """A prompt for which a context package is built."""

    query: Words
    """What the user has just said, or is about to be answered."""
    max_tokens: Annotated[int, Field(ge=MIN_TOKENS, le=MAX_TOKENS)] = 1200
    session_id: str | None = None
    short_term_turns: Annotated[int, Field(ge=0, le=1_000)] | None = None
    workspace: str | None = None
    task: str | None = None


class ExplainedConclusions(WireConclusions):
    """A first-level answer, best first; with `explain`, what each stage contributed."""

    explanation: build_shown_model(Explanation) | None = None  # type: ignore[valid-type]


class ExplainedTraces(WireTraces):
    """A second-level answer, best first; with `explain`, what each stage contributed."""

    explanation: build_shown_model(Explanation) | None = None  # type: ignore[valid-type]


async def recall(caller: RestCaller, order: RecallOrder) -> Document:
    """Build a context package."""
    package = await caller.memory.build_context(
        order.query,
        max_tokens=order.max_tokens,
        session_id=order.session_id,
        short_term_turns=order.short_term_turns,
        workspace=order.workspace,
        task=order.task,
    )
    return package.to_json()


async def search(caller: RestCaller, order: MemoryQuery) -> Document:
    """Search the first level."""
    found = await caller.memory.search_memory(order)
    return write_conclusions(found) | _explain(found)


async def search_traces(caller: RestCaller, order: TranscriptQuery) -> Document:
    """Search the second level."""
    found = await caller.memory.search_conversation_traces(order)
    return write_traces(found) | _explain(found)


def _explain(found: SearchResult) -> Document:
    return {} if found.explanation is None else {"explanation": found.explanation.to_json()}


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "POST",
        "/memory/recall",
        Access.READ,
        "recall",
        "Build what is put before a model, within a budget of tokens: persona, task, last turns, "
        "memories and evidence, cited.",
        RecallOrder,
        recall,
        build_shown_model(ContextPackage),
        {"query": "How do we deploy the checkout?", "max_tokens": 800},
    ),
    RestRoute(
        "POST",
        "/memory/search",
        Access.READ,
        "search_memory",
        "Search the memories: conclusions, best first, with their sources.",
        MemoryQuery,
        search,
        ExplainedConclusions,
        {"query": "deploy the checkout", "queries": ["release", "rollout"], "limit": 5},
    ),
    RestRoute(
        "POST",
        "/memory/traces",
        Access.READ,
        "search_conversation_traces",
        "Search the verbatim record, tool calls included.",
        TranscriptQuery,
        search_traces,
        ExplainedTraces,
        {"query": "deploy the checkout", "session_id": EXAMPLE_IDS["session"]},
    ),
)
