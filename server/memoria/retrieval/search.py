"""The pipeline: one search is one function over one snapshot, run in one worker thread.

In a large tenant vectors are searched in a second one meanwhile (`candidates.gather`).

Where a reranker is configured there is a snapshot before it, which tells what to ask about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoria.errors import EmbedderError
from memoria.inference import LazyEmbedder
from memoria.inference.rerank.base import Reranker
from memoria.model import AdjacentTurn, Hit, PartReport, SearchResult, StoredTurn
from memoria.retrieval.answer.cite import (
    memory_hit,
    neighbour,
    omit_own_workspace,
    stand_in_hit,
    turn_hit,
)
from memoria.retrieval.answer.explain import build_explanation
from memoria.retrieval.answer.hint import hint
from memoria.retrieval.answer.nearest_topics import nearest_topics
from memoria.retrieval.answer.pack import (
    NeighbourTurns,
    PackedHits,
    add_neighbours,
    pack_hits,
    shorten_text,
)
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.query.task import resolve_task
from memoria.retrieval.ranking.fusion import fuse
from memoria.retrieval.ranking.rerank import (
    NO_OPINION,
    RERANK_DEPTH,
    SWITCHED_OFF,
    RerankOpinion,
    apply_opinion,
    ask_reranker,
    passages,
)
from memoria.retrieval.ranking.score import MemoryWording, ScoredCandidate, score_candidates
from memoria.retrieval.ranking.selection import DECIDING_HITS, Selection, select_hits
from memoria.retrieval.ranking.statistics import (
    QueryStatistics,
    build_statistics,
    count_frequencies,
)
from memoria.retrieval.ranking.threshold import (
    MEMORY_THRESHOLDS,
    TRANSCRIPT_THRESHOLDS,
    ThresholdPolicy,
)
from memoria.retrieval.sources.gather import (
    OFF,
    QueryVector,
    SourceScores,
    fall_back_to_words,
    gather,
)
from memoria.store.base import Store, Transaction

_LINE_CHARS = 400
"""First-level answers are a line each; whoever needs more asks the second level."""
_READ_PER_HIT = 3
"""How many ranked documents the first level reads for each hit wanted: weights may reorder them
and the gate may turn them away."""
_READ_AT_LEAST = 12
_READ_OF_THE_PAST = 1000
"""The same where a past moment is asked of: all that was found, for only reading a document tells
whether it came later."""


@dataclass(frozen=True, slots=True)
class _ScoredSearch:
    """What a snapshot has, before anything is chosen."""

    plan: SearchPlan
    candidates: SourceScores
    statistics: QueryStatistics
    scored: Sequence[ScoredCandidate]


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

    def run(self, plan: SearchPlan) -> SearchResult:
        """Search. Never fails for want of a part: what was missing is said in `notes`."""
        query = self.embed_query(plan)
        opinion = self.ask_reranker(plan, query)
        with self._store.read(self._tenant) as tx:
            return self.run_in_snapshot(tx, plan, query, opinion=opinion)

    def embed_query(self, plan: SearchPlan) -> QueryVector | str:
        """The question's vector, or why there is none. Needs no store."""
        if self._embedder is None or "vectors" in plan.options.without:
            return OFF
        try:
            vector = self._embedder.embed_query(plan.query, self._wait_ms)
        except EmbedderError as error:
            return str(error)
        if not vector.any():
            return f"{self._embedder.name} sees no meaning in the question"
        return QueryVector(self._embedder.name, vector)

    def ask_reranker(self, plan: SearchPlan, query: QueryVector | str) -> RerankOpinion:
        """What the reranker says of the best hits. Asks it while no snapshot is open."""
        if self._reranker is None:
            return NO_OPINION
        if not plan.options.stages.rerank:
            return SWITCHED_OFF
        with self._store.read(self._tenant) as tx:
            found = self._score_all(tx, plan, query)
        return ask_reranker(self._reranker, plan.query, passages(plan, found.scored))

    def run_in_snapshot(
        self,
        tx: Transaction,
        plan: SearchPlan,
        query: QueryVector | str,
        thresholds: ThresholdPolicy | None = None,
        opinion: RerankOpinion = NO_OPINION,
    ) -> SearchResult:
        """Search a snapshot, through another gate where one is given."""
        found = self._score_all(tx, plan, query)
        plan, asked = found.plan, found.statistics
        reports = (*found.candidates.reports, *opinion.reports)
        candidates = replace(found.candidates, reports=reports)
        threshold = (
            thresholds or (MEMORY_THRESHOLDS if plan.first_level else TRANSCRIPT_THRESHOLDS)
        ).for_query(asked)
        selected = select_hits(plan, apply_opinion(plan, found.scored, opinion), threshold)
        shown = selected.hits[: plan.limit]
        packed = _pack_answer(tx, plan, shown)
        shown_ns = {each.candidate.n for each in shown[: len(packed.hits)]}
        return SearchResult(
            query=plan.query,
            hits=packed.hits,
            tokens=packed.tokens,
            omitted=packed.omitted + len(selected.hits) - len(shown),
            hidden=_count_hidden(tx, plan),
            notes=tuple(map(_phrase_note, filter(_is_noteworthy, candidates.reports))),
            nearest_topics=_list_nearest(plan, selected),
            hint=hint(tx, plan, candidates, asked, selected) if plan.first_level else None,
            explanation=build_explanation(plan, candidates, threshold, selected, shown_ns)
            if plan.options.explain
            else None,
        )

    def _score_all(
        self, tx: Transaction, plan: SearchPlan, query: QueryVector | str
    ) -> _ScoredSearch:
        plan = resolve_task(tx, plan) if plan.first_level else plan
        plan = fall_back_to_words(tx, plan)
        candidates = gather(tx, plan, query)
        least = _READ_AT_LEAST if plan.first_level else DECIDING_HITS
        looked_at = max(plan.limit * _READ_PER_HIT if plan.first_level else plan.limit, least)
        looked_at = looked_at if plan.as_of is None else max(looked_at, _READ_OF_THE_PAST)
        if self._reranker is not None and plan.options.stages.rerank:
            looked_at = max(looked_at, RERANK_DEPTH)
        frequencies = count_frequencies(tx, plan)
        asked = build_statistics(plan, candidates, frequencies)
        judged = score_candidates(
            tx, plan, fuse(tx, plan, candidates, frequencies, looked_at), asked
        )
        return _ScoredSearch(plan, candidates, asked, judged)


def _pack_answer(tx: Transaction, plan: SearchPlan, shown: Sequence[ScoredCandidate]) -> PackedHits:
    packed = pack_hits([_cite_candidate(plan, each) for each in shown], plan.terms, plan.max_tokens)
    if not plan.context:
        return packed
    beside = _read_neighbours(tx, shown[: len(packed.hits)], plan.context)
    return add_neighbours(packed, plan.max_tokens, beside)


def _cite_candidate(plan: SearchPlan, judged: ScoredCandidate) -> Hit:
    match judged.document:
        case MemoryWording(memory, version):
            hit = memory_hit(memory, version, judged.score)
        case turn if plan.first_level:
            hit = stand_in_hit(turn, judged.score)
        case turn:
            return omit_own_workspace(turn_hit(turn, judged.score), plan.filters.workspace)
    line = shorten_text(hit, plan.terms, _LINE_CHARS)
    return omit_own_workspace(line, plan.filters.workspace)


def _count_hidden(tx: Transaction, plan: SearchPlan) -> int:
    if plan.filters.include_history or "text" in plan.options.without:
        return 0
    return tx.documents.count_hidden(plan.kinds, plan.terms, plan.filters)


def _list_nearest(plan: SearchPlan, selected: Selection) -> tuple[str, ...]:
    if selected.hits:
        return ()
    return nearest_topics(selected.below_threshold, plan.terms, plan.max_tokens)


def _is_noteworthy(report: PartReport) -> bool:
    return report.state in ("missing", "off")


def _phrase_note(report: PartReport) -> str:
    return f"searched without {report.part}: {report.why}"


def _read_neighbours(
    tx: Transaction, shown: Sequence[ScoredCandidate], reach: int
) -> list[NeighbourTurns]:
    """The turns beside each hit, leaving out those that are hits themselves."""
    hits = [each.document for each in shown if isinstance(each.document, StoredTurn)]
    places = tx.conversations.list_positions([turn.n for turn in hits], reach)
    taken = {(turn.session_n, turn.turn_index) for turn in hits}
    ns = [n for n, session_n, index in places if (session_n, index) not in taken]
    turns = {(t.session_n, t.turn_index): t for t in tx.conversations.turns(ns).values()}

    def around(turn: StoredTurn, steps: range) -> tuple[AdjacentTurn, ...]:
        at = ((turn.session_n, turn.turn_index + step) for step in steps)
        return tuple(neighbour(turns[place]) for place in at if place in turns)

    return [
        NeighbourTurns(around(turn, range(-reach, 0)), around(turn, range(1, reach + 1)))
        for turn in hits
    ]
