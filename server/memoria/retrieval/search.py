"""The pipeline: one search is one function over one snapshot, run in one worker thread.

In a large tenant vectors are searched in a second one meanwhile (`candidates.gather`).

Where a reranker is configured there is a snapshot before it, which tells what to ask about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoria.errors import EmbedderError
from memoria.inference import LazyEmbedder
from memoria.inference.rerank.base import Reranker
from memoria.model import Hit, Neighbour, PartReport, SearchResult, StoredTurn
from memoria.retrieval.candidates import (
    OFF,
    Candidates,
    QueryVector,
    gather,
    in_words_where_nothing_was_said,
)
from memoria.retrieval.cite import asked_from, memory_hit, neighbour, stand_in_hit, turn_hit
from memoria.retrieval.explain import explain
from memoria.retrieval.familiar import Familiarity, common, familiar_with
from memoria.retrieval.fuse import fuse
from memoria.retrieval.gate import ANSWER, RECORD, Gate
from memoria.retrieval.judge import Judged, Wording, judge
from memoria.retrieval.nearest import nearest_topics
from memoria.retrieval.pack import Beside, Packed, add_neighbours, pack, shorten_text
from memoria.retrieval.plan import Plan
from memoria.retrieval.rerank import (
    ASKED_ABOUT,
    NO_OPINION,
    SWITCHED_OFF,
    Opinion,
    ask,
    passages,
    reranked,
)
from memoria.retrieval.second_level import hint
from memoria.retrieval.select import DECIDE, Selected, select
from memoria.retrieval.task import with_task
from memoria.store.base import Store, Transaction

_LINE_CHARS = 400
"""First-level answers are a line each; whoever needs more asks the second level."""
_LOOKED_AT = 3
"""How many ranked documents the first level reads for each hit wanted: weights may reorder them
and the gate may turn them away."""
_LOOKED_AT_LEAST = 12
_LOOKED_AT_THEN = 1000
"""The same where a past moment is asked of: all that was found, for only reading a document tells
whether it came later."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a snapshot has, before anything is chosen."""

    plan: Plan
    candidates: Candidates
    asked: Familiarity
    judged: Sequence[Judged]


class Search:
    """Searches one tenant's memory."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        embedder: LazyEmbedder | None,
        wait_ms: int,
        reranker: Reranker | None = None,
    ) -> None:
        self._store = store
        self._tenant = tenant
        self._embedder = embedder
        self._wait_ms = wait_ms
        self._reranker = reranker

    def run(self, plan: Plan) -> SearchResult:
        """Search. Never fails for want of a part: what was missing is said in `notes`."""
        query = self.embed(plan)
        opinion = self.second_opinion(plan, query)
        with self._store.read(self._tenant) as tx:
            return self.within(tx, plan, query, opinion=opinion)

    def embed(self, plan: Plan) -> QueryVector | str:
        """The question's vector, or why there is none. Needs no store."""
        if self._embedder is None or "vectors" in plan.way.without:
            return OFF
        try:
            vector = self._embedder.embed_query(plan.query, self._wait_ms)
        except EmbedderError as error:
            return str(error)
        if not vector.any():
            return f"{self._embedder.name} sees no meaning in the question"
        return QueryVector(self._embedder.name, vector)

    def second_opinion(self, plan: Plan, query: QueryVector | str) -> Opinion:
        """What the reranker says of the best hits. Asks it while no snapshot is open."""
        if self._reranker is None:
            return NO_OPINION
        if not plan.way.stages.rerank:
            return SWITCHED_OFF
        with self._store.read(self._tenant) as tx:
            found = self._find(tx, plan, query)
        return ask(self._reranker, plan.query, passages(plan, found.judged))

    def within(
        self,
        tx: Transaction,
        plan: Plan,
        query: QueryVector | str,
        gate: Gate | None = None,
        opinion: Opinion = NO_OPINION,
    ) -> SearchResult:
        """Search a snapshot, through another gate where one is given."""
        found = self._find(tx, plan, query)
        plan, asked = found.plan, found.asked
        reports = (*found.candidates.reports, *opinion.reports)
        candidates = replace(found.candidates, reports=reports)
        threshold = (gate or (ANSWER if plan.first_level else RECORD)).before(asked)
        selected = select(plan, reranked(plan, found.judged, opinion), threshold)
        shown = selected.found[: plan.limit]
        packed = _packed(tx, plan, shown)
        shown_ns = {each.fused.n for each in shown[: len(packed.hits)]}
        return SearchResult(
            query=plan.query,
            hits=packed.hits,
            tokens=packed.tokens,
            omitted=packed.omitted + len(selected.found) - len(shown),
            hidden=_hidden(tx, plan),
            notes=tuple(map(_note, filter(_worth_a_note, candidates.reports))),
            nearest=_nearest(plan, selected),
            hint=hint(tx, plan, candidates, asked, selected) if plan.first_level else None,
            trace=explain(plan, candidates, threshold, selected, shown_ns)
            if plan.way.explain
            else None,
        )

    def _find(self, tx: Transaction, plan: Plan, query: QueryVector | str) -> _Found:
        plan = with_task(tx, plan) if plan.first_level else plan
        plan = in_words_where_nothing_was_said(tx, plan)
        candidates = gather(tx, plan, query)
        least = _LOOKED_AT_LEAST if plan.first_level else DECIDE
        looked_at = max(plan.limit * _LOOKED_AT if plan.first_level else plan.limit, least)
        looked_at = looked_at if plan.as_of is None else max(looked_at, _LOOKED_AT_THEN)
        if self._reranker is not None and plan.way.stages.rerank:
            looked_at = max(looked_at, ASKED_ABOUT)
        frequencies = common(tx, plan)
        asked = familiar_with(plan, candidates, frequencies)
        judged = judge(tx, plan, fuse(tx, plan, candidates, frequencies, looked_at), asked)
        return _Found(plan, candidates, asked, judged)


def _packed(tx: Transaction, plan: Plan, shown: Sequence[Judged]) -> Packed:
    packed = pack([_hit(plan, each) for each in shown], plan.terms, plan.max_tokens)
    if not plan.context:
        return packed
    beside = _beside(tx, shown[: len(packed.hits)], plan.context)
    return add_neighbours(packed, plan.max_tokens, beside)


def _hit(plan: Plan, judged: Judged) -> Hit:
    match judged.document:
        case Wording(memory, version):
            hit = memory_hit(memory, version, judged.score)
        case turn if plan.first_level:
            hit = stand_in_hit(turn, judged.score)
        case turn:
            return asked_from(turn_hit(turn, judged.score), plan.filters.workspace)
    line = shorten_text(hit, plan.terms, _LINE_CHARS)
    return asked_from(line, plan.filters.workspace)


def _hidden(tx: Transaction, plan: Plan) -> int:
    if plan.filters.history or "text" in plan.way.without:
        return 0
    return tx.documents.count_hidden(plan.kinds, plan.terms, plan.filters)


def _nearest(plan: Plan, selected: Selected) -> tuple[str, ...]:
    if selected.found:
        return ()
    return nearest_topics(selected.turned_away, plan.terms, plan.max_tokens)


def _worth_a_note(report: PartReport) -> bool:
    return report.state in ("missing", "off")


def _note(report: PartReport) -> str:
    return f"searched without {report.part}: {report.why}"


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
