"""Snapshot: the searches of one snapshot for each wording, scored, with no hit chosen yet.

A question may have other wordings. Each wording is a search by itself, with its terms, sources,
candidates and threshold. Then the searches of a plan are joined to one ranking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoria.retrieval.query.plan import SearchPlan, is_of_another_task, resolve_task
from memoria.retrieval.query.wording import choose_terms, complete_codes, resolve_names
from memoria.retrieval.ranking.candidates import (
    EvidenceQuery,
    Ranking,
    ScoredCandidate,
    add_graph_score,
    fuse,
)
from memoria.retrieval.ranking.rerank import (
    NO_OPINION,
    RERANK_DEPTH,
    SEVERAL_DEPTH,
    RerankOpinion,
    apply_opinion,
    join_searches,
    keep_holding,
)
from memoria.retrieval.ranking.score import score_candidates
from memoria.retrieval.ranking.statistics import (
    QueryStatistics,
    build_statistics,
    count_frequencies,
    merge_weights,
    weigh_terms,
)
from memoria.retrieval.ranking.threshold import RelevanceThreshold
from memoria.retrieval.sources.gather import SourceScores, gather, settle_time
from memoria.retrieval.sources.vectors import (
    AskedVector,
    QueryEmbedder,
    QueryVector,
    list_query_vectors,
    search_vectors_beside,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Frequencies

if TYPE_CHECKING:
    from memoria.retrieval.ranking.evidence.columns import Integers
    from memoria.retrieval.ranking.evidence.priors import Lift

_READ_OF_THE_PAST = 1000
"""Number of documents read for a past moment: all, as only reading tells which came later."""
_READ_OF_A_TASK = 60
"""Fewest documents read where a task is named, as those of other tasks are left out."""


@dataclass(frozen=True, slots=True)
class ScoredSearch:
    """Results of a search, before anything is chosen."""

    plan: SearchPlan
    sources: SourceScores
    statistics: QueryStatistics
    threshold: RelevanceThreshold
    scored: Sequence[ScoredCandidate]
    """Best first."""
    rest: Sequence[ScoredCandidate]
    """Documents that a high limit wants behind the scored ones, in order."""
    weights: Mapping[str, float]
    """Weight of each term, by which texts are cut."""
    asked: tuple[AskedVector, ...] = ()
    """Vector of each wording."""

    @property
    def vectors(self) -> list[QueryVector]:
        """Vectors that could be made of the wordings."""
        return list_query_vectors(self.asked)


class SnapshotSearch:
    """Search of one snapshot, for each wording of a question."""

    def __init__(self, tx: Transaction, embedder: QueryEmbedder, *, is_reranked: bool) -> None:
        """Create a search of one snapshot.

        Args:
            tx: the snapshot.
            embedder: the embedder of queries.
            is_reranked: whether a reranker is configured.
        """
        self._tx = tx
        self._embedder = embedder
        self._is_reranked = is_reranked

    def score_all(
        self, plan: SearchPlan, queries: Sequence[AskedVector]
    ) -> tuple[ScoredSearch, ...]:
        """Search for the question and for each variant.

        Args:
            plan: the search.
            queries: the vector of each search of the plan.
        """
        least = SEVERAL_DEPTH if plan.variants else 0
        return tuple(
            self._score(search, query, least)
            for search, query in zip(plan.list_searches(), queries, strict=True)
        )

    def _score(self, plan: SearchPlan, query: AskedVector, least: int) -> ScoredSearch:
        """Ask the sources, and read and score the best candidates, `least` or more."""
        tx = self._tx
        plan = replace(plan, calibration=self._embedder.calibration)
        plan = resolve_task(tx, plan) if plan.profile.follows_task else plan
        plan = choose_terms(tx, settle_time(tx, plan))
        with search_vectors_beside(tx, plan, query) as read_vectors:
            frequencies = count_frequencies(tx, plan)
            known = complete_codes(tx, resolve_names(tx, plan, frequencies), frequencies)
            if known is not plan:
                plan = choose_terms(tx, known)
                frequencies = count_frequencies(tx, plan)
            sources = gather(tx, plan, query, read_vectors)
        statistics = build_statistics(plan, sources, frequencies)
        depth = max(self._choose_depth(plan), least)
        ranking = _rank_documents(tx, plan, sources, frequencies, max(depth, plan.limit))
        candidates = fuse(plan, sources, ranking, depth)
        threshold = RelevanceThreshold.for_query(plan, statistics)
        scored = score_candidates(tx, plan, candidates, threshold)
        if self._is_reranked:  # they may be looked at when this snapshot is closed
            scored = list(scored)
        if plan.tasks is not None:
            scored = self._narrow_to_task(plan, query, frequencies, threshold, scored)
        rest = self._read_on(plan, sources, ranking, threshold, scored)
        weights = weigh_terms(plan, frequencies)
        return ScoredSearch(
            plan, sources, statistics, threshold, scored, rest, weights, asked=(query,)
        )

    def _read_on(
        self,
        plan: SearchPlan,
        sources: SourceScores,
        ranking: Ranking,
        threshold: RelevanceThreshold,
        scored: Sequence[ScoredCandidate],
    ) -> list[ScoredCandidate]:
        """Read the documents behind the candidates, if a high limit wants more.

        These stay in the order in which they were found, whatever reading them tells.
        """
        if plan.limit <= self._choose_depth(plan):
            return []
        known = {each.n for each in scored}
        fused = fuse(plan, sources, ranking, plan.limit)
        places = {each.n: place for place, each in enumerate(fused) if each.n not in known}
        more = [each for each in fused if each.n in places]
        found = list(score_candidates(self._tx, plan, more, threshold))
        found.sort(key=lambda each: places[each.n])
        return [each for each in found if not is_of_another_task(plan, each.task)]

    def _narrow_to_task(
        self,
        plan: SearchPlan,
        query: AskedVector,
        frequencies: Frequencies,
        threshold: RelevanceThreshold,
        scored: Sequence[ScoredCandidate],
    ) -> list[ScoredCandidate]:
        """Return candidates of the named task, found by a search of its own, and of no task."""
        tx = self._tx
        by_n = {each.n: each for each in scored if not is_of_another_task(plan, each.task)}
        if plan.tasks:
            own = replace(plan, filters=replace(plan.filters, tasks=plan.tasks))
            with search_vectors_beside(tx, own, query) as read_vectors:
                sources = gather(tx, own, query, read_vectors)
            depth = self._choose_depth(own)
            ranking = _rank_documents(tx, own, sources, frequencies, depth)
            found = fuse(own, sources, ranking, depth)
            of_task = score_candidates(tx, own, found, threshold)
            by_n.update((each.n, each) for each in of_task)
        return sorted(by_n.values(), key=lambda each: -each.score)

    def _choose_depth(self, plan: SearchPlan) -> int:
        """Return the number of ranked documents to read and score.

        The number does not depend on the limit: else a higher limit would change who comes first.
        """
        depth = plan.profile.reads
        if plan.tasks is not None:
            depth = max(depth, _READ_OF_A_TASK)
        if plan.as_of is not None:
            depth = max(depth, _READ_OF_THE_PAST)
        if self._is_reranked and plan.options.stages.rerank:
            depth = max(depth, RERANK_DEPTH)
        return depth


def join_found(
    plan: SearchPlan, searches: Sequence[ScoredSearch], opinion: RerankOpinion = NO_OPINION
) -> ScoredSearch:
    """Join the searches of a plan to one.

    Args:
        plan: the plan as it was asked.
        searches: the search of each wording.
        opinion: the reranker's scores of candidates.
    """
    first = searches[0]
    notes = dict.fromkeys(note for one in searches for note in one.plan.name_notes)
    rankings = [_rate_candidates(one, opinion) for one in searches]
    scored = join_searches(rankings)
    return replace(
        first,
        plan=replace(
            first.plan, max_tokens=plan.max_tokens, variants=plan.variants, name_notes=tuple(notes)
        ),
        sources=replace(first.sources, reports=(*first.sources.reports, *opinion.reports)),
        scored=scored,
        rest=_join_rest(searches, scored),
        asked=tuple(query for one in searches for query in one.asked),
        weights=merge_weights(each.weights for each in searches),
    )


def _join_rest(
    searches: Sequence[ScoredSearch], scored: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """Join what follows behind the candidates, once each."""
    further = [each for one in searches for each in one.rest]
    known = {each.identity for each in scored} if further else set[tuple[str, int]]()
    rest: dict[tuple[str, int], ScoredCandidate] = {}
    for each in further:
        if each.identity not in known:
            rest.setdefault(each.identity, each)
    return list(rest.values())


def _rate_candidates(found: ScoredSearch, opinion: RerankOpinion) -> Sequence[ScoredCandidate]:
    """Score candidates with the reranker; if a code is asked for, keep those that hold the code."""
    rated = apply_opinion(found.plan, found.scored, opinion, found.threshold)
    return keep_holding(found.plan.parsed, found.statistics, rated)


def _rank_documents(
    tx: Transaction, plan: SearchPlan, sources: SourceScores, frequencies: Frequencies, most: int
) -> Ranking:
    """Rank the documents by words and meaning: as many as it takes to fuse `most`."""
    if plan.parsed.is_time_only or not (sources.bm25 or sources.cosine):
        return Ranking()
    import numpy as np  # noqa: PLC0415  (who finds nothing does not wait for it)

    from memoria.retrieval.ranking.evidence.rank import rank_by_evidence  # noqa: PLC0415

    known = sources.expansion.scores
    query = EvidenceQuery(plan.parsed, plan.filters, frequencies)

    def lift(ns: "Integers") -> "Lift":
        graph = np.array([known.get(n, 0.0) for n in ns.tolist()])
        return lambda scores: add_graph_score(scores, graph)

    return rank_by_evidence(tx, query, sources, most, plan.options.stages, lift)
