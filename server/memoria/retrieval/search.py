"""The pipeline: one search is one function over one snapshot, run in one worker thread."""

from collections.abc import Iterator, Sequence
from itertools import islice

from memoria.errors import EmbedderError
from memoria.inference import LazyEmbedder
from memoria.model import Hit, Neighbour, SearchResult
from memoria.retrieval.candidates import QueryVector, gather
from memoria.retrieval.cite import asked_from, memory_hit, neighbour, turn_hit, unprocessed_hit
from memoria.retrieval.evidence import Ranked, conclusive, rank
from memoria.retrieval.excerpt import excerpt
from memoria.retrieval.gate import Support, coverage, passes, worth_showing
from memoria.retrieval.pack import Packed, add_neighbours, pack, shorten_text
from memoria.retrieval.plan import Plan
from memoria.retrieval.weigh import memory_weight, stand_in_weight
from memoria.store.base import Store, Transaction
from memoria.text.analyser import tokens
from memoria.text.document import full_text

_LINE_CHARS = 400
"""First-level answers are a line each; whoever needs more asks the second level."""
_LOOKED_AT = 4
"""How many ranked documents the first level reads for each hit wanted: weights may reorder them
and the gate may turn them away."""
_JUDGED_CHARS = 4000
"""How much of a document the gate reads: of a long one, the part that answers."""


class Search:
    """Searches one tenant's memory."""

    def __init__(
        self, store: Store, tenant: str, embedder: LazyEmbedder | None, wait_ms: int
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._embedder = embedder
        self._wait_ms = wait_ms

    def run(self, plan: Plan) -> SearchResult:
        """Search. Never fails for want of a vector: what was missing is said in `notes`."""
        vector, notes = self._embed(plan.query)
        with self._store.read(self._tenant) as tx:
            try:
                candidates = gather(tx, plan, vector)
            except EmbedderError as error:
                candidates, notes = gather(tx, plan, None), (f"text search only: {error}",)
            ranked = rank(tx, candidates, plan.filters)
            hits = _hits(tx, plan, ranked)
            packed = pack(hits[: plan.limit], plan.terms, plan.max_tokens)
            beyond = max(len(hits) - plan.limit, 0)
            if plan.context:
                packed = _with_context(tx, plan, packed)
            hidden = (
                0
                if plan.filters.history
                else tx.documents.count_hidden(plan.kinds, plan.terms, plan.filters)
            )
        return SearchResult(
            query=plan.query,
            hits=packed.hits,
            tokens=packed.tokens,
            omitted=packed.omitted + beyond,
            hidden=hidden,
            notes=notes,
        )

    def _embed(self, query: str) -> tuple[QueryVector | None, tuple[str, ...]]:
        if self._embedder is None:
            return None, ("vectors are switched off: text search only",)
        try:
            vector = self._embedder.embed_query(query, self._wait_ms)
        except EmbedderError as error:
            return None, (f"text search only: {error}",)
        return QueryVector(self._embedder.name, vector), ()


def _hits(tx: Transaction, plan: Plan, ranked: Sequence[Ranked]) -> list[Hit]:
    """The documents worth showing, best first, as hits."""
    if not plan.terms:
        return []  # no word was asked for, so nothing is an answer
    looked_at = list(islice(ranked, plan.limit * (_LOOKED_AT if plan.first_level else 1)))
    found = sorted(_judge(tx, plan, looked_at), key=lambda pair: -pair[0].score)
    judged = [(asked_from(hit, plan.filters.workspace), support) for hit, support in found]
    if plan.first_level:
        kept = (hit for hit, support in judged if passes(hit.kind, support))
        return [shorten_text(hit, plan.terms, _LINE_CHARS) for hit in kept]
    if not any(worth_showing(support) for _, support in judged):
        return []
    return [hit for hit, _ in judged]


def _judge(tx: Transaction, plan: Plan, ranked: Sequence[Ranked]) -> Iterator[tuple[Hit, Support]]:
    """Each document as a hit, with what speaks for it."""
    ns = [item.n for item in ranked]
    turns = tx.conversations.turns(ns)
    memories = tx.memories.by_versions(ns) if "memory" in plan.kinds else {}
    for item in ranked:
        if item.n in turns:
            turn = turns[item.n]
            support = _support(plan, item, f"{full_text(turn)}\n{turn.speaker or ''}")
            if plan.first_level:
                yield (
                    unprocessed_hit(turn, _conclusive(item, support) * stand_in_weight(turn)),
                    support,
                )
            else:
                yield turn_hit(turn, item.score), support
        elif item.n in memories:
            memory = memories[item.n]
            version = next(v for v in memory.versions if v.n == item.n)
            support = _support(plan, item, version.content)
            score = _conclusive(item, support) * memory_weight(memory)
            yield memory_hit(memory, version, score), support


def _support(plan: Plan, item: Ranked, text: str) -> Support:
    start, end = excerpt(text, plan.terms, _JUDGED_CHARS)
    return Support(coverage(plan.terms, set(tokens(text[start:end]))), item.cosine)


def _conclusive(item: Ranked, support: Support) -> float:
    return conclusive(item.lexical, support.coverage, item.cosine)


def _with_context(tx: Transaction, plan: Plan, packed: Packed) -> Packed:
    """The hits with their neighbours, leaving out turns that are hits themselves."""
    shown = {(hit.source.session_id, hit.source.turn_index) for hit in packed.hits}

    def around(hit: Hit) -> tuple[list[Neighbour], ...]:
        turn = tx.conversations.turn(hit.id)
        if turn is None:
            return [], []
        beside = [
            other
            for other in tx.conversations.around(turn.session_n, turn.turn_index, plan.context)
            if (other.session_id, other.turn_index) not in shown
        ]
        return (
            [neighbour(other) for other in beside if other.turn_index < turn.turn_index],
            [neighbour(other) for other in beside if other.turn_index > turn.turn_index],
        )

    return add_neighbours(packed, plan.max_tokens, around)
