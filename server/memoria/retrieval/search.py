"""The pipeline: one search is one function over one snapshot, run in one worker thread."""

from collections.abc import Sequence

from memoria.errors import EmbedderError
from memoria.inference import LazyEmbedder
from memoria.model import Hit, Neighbour, SearchResult, StoredTurn, now_millis
from memoria.retrieval.candidates import QueryVector, gather
from memoria.retrieval.cite import asked_from, memory_hit, neighbour, turn_hit, unprocessed_hit
from memoria.retrieval.evidence import Asked, rank
from memoria.retrieval.judge import Judged, Wording, worthy
from memoria.retrieval.pack import Beside, add_neighbours, pack, shorten_text
from memoria.retrieval.plan import Plan
from memoria.store.base import Store, Transaction
from memoria.text.dates import interval

_LINE_CHARS = 400
"""First-level answers are a line each; whoever needs more asks the second level."""
_LOOKED_AT = 4
"""How many ranked documents the first level reads for each hit wanted: weights may reorder them
and the gate may turn them away."""


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
            looked_at = plan.limit * (_LOOKED_AT if plan.first_level else 1)
            time = interval(plan.query, now_millis())
            asked = Asked(plan.kinds, plan.terms, plan.filters, time)
            ranked = rank(tx, asked, candidates, looked_at)
            found = worthy(tx, plan, ranked)
            shown = found[: plan.limit]
            packed = pack([_hit(plan, each) for each in shown], plan.terms, plan.max_tokens)
            if plan.context:
                beside = _beside(tx, shown[: len(packed.hits)], plan.context)
                packed = add_neighbours(packed, plan.max_tokens, beside)
            hidden = (
                0
                if plan.filters.history
                else tx.documents.count_hidden(plan.kinds, plan.terms, plan.filters)
            )
        return SearchResult(
            query=plan.query,
            hits=packed.hits,
            tokens=packed.tokens,
            omitted=packed.omitted + len(found) - len(shown),
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


def _hit(plan: Plan, judged: Judged) -> Hit:
    match judged.document:
        case Wording(memory, version):
            hit = memory_hit(memory, version, judged.score)
        case turn if plan.first_level:
            hit = unprocessed_hit(turn, judged.score)
        case turn:
            return asked_from(turn_hit(turn, judged.score), plan.filters.workspace)
    line = shorten_text(hit, plan.terms, _LINE_CHARS)
    return asked_from(line, plan.filters.workspace)


def _beside(tx: Transaction, shown: Sequence[Judged], reach: int) -> list[Beside]:
    """The turns beside each hit, leaving out those that are hits themselves."""
    hits = [each.document for each in shown if isinstance(each.document, StoredTurn)]
    places = tx.conversations.places([turn.n for turn in hits], reach)
    taken = {(turn.session_n, turn.turn_index) for turn in hits}
    ns = [n for n, session_n, index in places if (session_n, index) not in taken]
    turns = {(t.session_n, t.turn_index): t for t in tx.conversations.turns(ns).values()}

    def around(turn: StoredTurn, steps: range) -> tuple[Neighbour, ...]:
        at = ((turn.session_n, turn.turn_index + step) for step in steps)
        return tuple(neighbour(turns[place]) for place in at if place in turns)

    return [
        Beside(around(turn, range(-reach, 0)), around(turn, range(1, reach + 1))) for turn in hits
    ]
