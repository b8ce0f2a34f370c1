"""The pipeline: one search is one pass over one snapshot, run in one worker thread.

    query     what is asked, with its filters and its profile (`query.plan`)
    sources   text, vectors, graph and the newest, each asked by itself (`sources.gather`)
    ranking   evidence joined, candidates read and scored, threshold, repeats and diversity, and
              derived hits behind what they rest on
    answer    as many hits as the budget holds, cited, with a hint and an explanation

In a large tenant vectors are searched in a second thread meanwhile. Where a reranker is configured
there is a snapshot before that of the answer, which tells what to ask it about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memoria.errors import EmbedderError
from memoria.inference import LazyEmbedder, calibration_of
from memoria.inference.rerank.base import Reranker
from memoria.model import PartReport, SearchResult
from memoria.retrieval.answer.cite import cite_candidate
from memoria.retrieval.answer.contradictions import mark_hits
from memoria.retrieval.answer.elsewhere import find_elsewhere
from memoria.retrieval.answer.explain import build_explanation
from memoria.retrieval.answer.form import ID_CHARS, list_ids
from memoria.retrieval.answer.hint import find_hint
from memoria.retrieval.answer.nearest_topics import list_nearest_topics
from memoria.retrieval.answer.neighbours import read_neighbours
from memoria.retrieval.answer.notes import notes_cost
from memoria.retrieval.answer.outdated import mark_outdated
from memoria.retrieval.answer.pack import PackedHits, Packer
from memoria.retrieval.answer.rarity import merge_weights, weigh_terms
from memoria.retrieval.answer.superseded import mark_superseded
from memoria.retrieval.answer.updates import mark_updates
from memoria.retrieval.lookup.short_ids import count_id_chars
from memoria.retrieval.query.described import find_description
from memoria.retrieval.query.names import resolve_names
from memoria.retrieval.query.plan import SearchPlan, reword
from memoria.retrieval.query.task import is_of_another_task, resolve_task
from memoria.retrieval.query.terms import choose_terms
from memoria.retrieval.ranking.depth import choose_depth
from memoria.retrieval.ranking.derived import place_derived
from memoria.retrieval.ranking.described import find_described
from memoria.retrieval.ranking.fusion import fuse
from memoria.retrieval.ranking.people import apply_people
from memoria.retrieval.ranking.rerank import (
    NO_OPINION,
    SWITCHED_OFF,
    RerankOpinion,
    apply_opinion,
    ask_reranker,
    passages,
)
from memoria.retrieval.ranking.score import MemoryWording, ScoredCandidate, score_candidates
from memoria.retrieval.ranking.selection import Selection, select_hits
from memoria.retrieval.ranking.statistics import (
    QueryStatistics,
    build_statistics,
    count_frequencies,
)
from memoria.retrieval.ranking.successors import find_successors, list_superseded
from memoria.retrieval.ranking.threshold import RelevanceThreshold
from memoria.retrieval.ranking.updates import find_updates
from memoria.retrieval.ranking.variants import SEVERAL_DEPTH, join_searches
from memoria.retrieval.sources.gather import SourceScores, gather
from memoria.retrieval.sources.recent import fall_back_to_words
from memoria.retrieval.sources.report import OFF
from memoria.retrieval.sources.vectors import QueryVector
from memoria.store.base import Store, Transaction
from memoria.store.values import Frequencies

_LEAST_TOKENS = 50
_NOTES_SHARE = 0.3
"""Of the budget, what is said beside the hits may take so much where all of it has no room."""
_FEW_HITS = 8
"""Of fewer hits it is said how many matches other projects have."""


@dataclass(frozen=True, slots=True)
class _ScoredSearch:
    """What a snapshot has, before anything is chosen."""

    plan: SearchPlan
    sources: SourceScores
    statistics: QueryStatistics
    threshold: RelevanceThreshold
    scored: Sequence[ScoredCandidate]
    weights: Mapping[str, float]
    """What each term counts where an answer is cut."""


class Search:
    """Searches one tenant's memory."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        embedder: LazyEmbedder | None,
        wait_ms: int,
        reranker: Reranker | None = None,
        *,
        names_projects: bool = False,
    ) -> None:
        """Nothing is searched yet.

        Args:
            store: where to search.
            tenant: whose memory.
            embedder: gives the vectors of queries; None for none.
            wait_ms: how long to wait for an embedder that is loading.
            reranker: reads the best hits with the query; None for none.
            names_projects: whether an answer may name other projects that have a match.
        """
        self._store = store
        self._tenant = tenant
        self._embedder = embedder
        self._wait_ms = wait_ms
        self._reranker = reranker
        self._names_projects = names_projects

    def run(self, plan: SearchPlan) -> SearchResult:
        """Search. Never fails for want of a part: what was missing is said in `notes`."""
        queries = self._embed_queries(plan)
        opinion = self._ask_reranker(plan, queries)
        with self._store.read(self._tenant) as tx:
            return self._answer(tx, plan, queries, opinion)

    def run_for_context(
        self, memories: SearchPlan, evidence: SearchPlan, tokens: int, evidence_tokens: int
    ) -> tuple[SearchResult, SearchResult | None]:
        """Search for a context package.

        Evidence is looked up only where the query asks for the record, or where no memory fits and
        the record has something. A reranker is asked about memories alone: a prompt waits for it
        once.

        Args:
            memories: the search of memories.
            evidence: the same query as a search of the transcript.
            tokens: of the answer about memories, at most.
            evidence_tokens: of the answer about evidence, at most.
        """
        queries = self._embed_queries(memories)
        opinion = self._ask_reranker(memories, queries)
        with self._store.read(self._tenant) as tx:
            found = self._answer(tx, _limit_tokens(memories, tokens), queries, opinion)
            if found.hint is None or (found.hits and not memories.parsed.wants_record):
                return found, None
            return found, self._answer(tx, _limit_tokens(evidence, evidence_tokens), queries)

    def _embed_queries(self, plan: SearchPlan) -> list[QueryVector | str]:
        """The vector of each search of the plan, or why there is none."""
        return list(map(self._embed_query, plan.list_searches()))

    def _embed_query(self, plan: SearchPlan) -> QueryVector | str:
        """The query's vector, or why there is none. Needs no store."""
        if self._embedder is None or "vectors" in plan.options.without:
            return OFF
        try:
            vector = self._embedder.embed_query(plan.query, self._wait_ms)
        except EmbedderError as error:
            return str(error)
        if not vector.any():
            return f"{self._embedder.name} sees no meaning in the question"
        return QueryVector(self._embedder.name, vector)

    def _ask_reranker(
        self, plan: SearchPlan, queries: Sequence[QueryVector | str]
    ) -> RerankOpinion:
        """What the reranker says of the best candidates. Asks it while no snapshot is open."""
        if self._reranker is None:
            return NO_OPINION
        if not plan.options.stages.rerank:
            return SWITCHED_OFF
        with self._store.read(self._tenant) as tx:
            found = self._score_all(tx, plan, queries)
        return ask_reranker(self._reranker, plan.asked, passages(plan, _join(plan, found)))

    def _answer(
        self,
        tx: Transaction,
        plan: SearchPlan,
        queries: Sequence[QueryVector | str],
        opinion: RerankOpinion = NO_OPINION,
    ) -> SearchResult:
        """Search a snapshot."""
        searched = self._score_all(tx, plan, queries, opinion)
        found = searched[0]
        plan, statistics, threshold = found.plan, found.statistics, found.threshold
        sources = replace(found.sources, reports=(*found.sources.reports, *opinion.reports))
        scored = _join(plan, searched)
        scored, successors = find_successors(tx, plan, scored)
        updates = find_updates(plan, scored)
        selection = select_hits(plan, scored, successors, updates)
        selection = place_derived(tx, plan, selection)
        within_limit = selection.hits[: plan.limit]
        weights = merge_weights(one.weights for one in searched)
        cited = mark_superseded(
            [cite_candidate(plan, each, weights) for each in within_limit],
            within_limit,
            list_superseded(tx, plan, within_limit, successors),
        )
        cited = mark_updates(cited, within_limit, updates, successors)
        hits = mark_outdated(tx, plan, mark_hits(tx, cited, plan.filters))
        result = SearchResult(
            query=plan.asked,
            hits=hits,
            max_tokens=plan.max_tokens,
            omitted=len(hits),
            beyond_limit=len(selection.hits) - len(within_limit),
            hidden=_count_hidden(tx, plan),
            notes=_list_notes(plan, sources.reports),
            nearest_topics=_list_nearest(plan, selection),
            hint=find_hint(tx, plan, sources, statistics, selection)
            if plan.profile.hints_at_transcript
            else None,
            elsewhere=find_elsewhere(tx, plan, statistics, name_projects=self._names_projects)
            if plan.profile.counts_elsewhere and len(selection.hits) < min(plan.limit, _FEW_HITS)
            else None,
        )
        result = _fit(tx, plan, result, within_limit, weights)
        if not plan.options.explain:
            return result
        shown = {each.candidate.n for each in within_limit[: len(result.hits)]}
        explanation = build_explanation(plan, sources, threshold, selection, shown)
        return result.model_copy(update={"explanation": explanation})

    def _score_all(
        self,
        tx: Transaction,
        plan: SearchPlan,
        queries: Sequence[QueryVector | str],
        opinion: RerankOpinion = NO_OPINION,
    ) -> list[_ScoredSearch]:
        """What is found of each thing asked and by each variant, each by its own threshold."""
        least = SEVERAL_DEPTH if plan.parts or plan.variants else 0
        first, *others = (
            self._search(tx, search, query, least, opinion)
            for search, query in zip(plan.list_searches(), queries, strict=True)
        )
        notes = dict.fromkeys(note for one in (first, *others) for note in one.plan.name_notes)
        whole = replace(
            first.plan, parts=plan.parts, variants=plan.variants, name_notes=tuple(notes)
        )
        return [replace(first, plan=whole), *others]

    def _search(
        self,
        tx: Transaction,
        plan: SearchPlan,
        query: QueryVector | str,
        least: int,
        opinion: RerankOpinion,
    ) -> _ScoredSearch:
        """What is found of one thing; of somebody who is only described, under their name, too."""
        description = find_description(plan.query) if plan.options.stages.described else None
        if description is None:
            return _rate(tx, self._score(tx, plan, query, least), opinion)
        found = _rate(tx, self._score(tx, plan, query, SEVERAL_DEPTH), opinion)
        told = find_described(description, found.scored, found.statistics)
        if told is None:
            return found
        named = reword(plan, description.name(told.text))
        rest = _rate(tx, self._score(tx, named, self._embed_query(named), SEVERAL_DEPTH), opinion)
        scored = join_searches([found.scored, rest.scored], asked=2)
        return replace(found, scored=scored, weights=merge_weights([found.weights, rest.weights]))

    def _score(
        self, tx: Transaction, plan: SearchPlan, query: QueryVector | str, least: int
    ) -> _ScoredSearch:
        """Ask the sources, and read and score the best of what they find, `least` at least."""
        plan = replace(plan, calibration=calibration_of(self._embedder))
        plan = resolve_task(tx, plan) if plan.profile.follows_task else plan
        plan = choose_terms(tx, fall_back_to_words(tx, plan))
        frequencies = count_frequencies(tx, plan)
        known = resolve_names(tx, plan, frequencies)
        if known is not plan:
            plan = choose_terms(tx, known)
            frequencies = count_frequencies(tx, plan)
        sources = gather(tx, plan, query)
        statistics = build_statistics(plan, sources, frequencies)
        depth = max(self._choose_depth(plan), least)
        candidates = fuse(tx, plan, sources, frequencies, depth)
        scored = score_candidates(tx, plan, candidates, statistics)
        if plan.tasks is not None:
            scored = self._narrow_to_task(tx, plan, query, frequencies, statistics, scored)
        threshold = RelevanceThreshold.for_query(plan, statistics)
        weights = weigh_terms(plan, frequencies)
        return _ScoredSearch(plan, sources, statistics, threshold, scored, weights)

    def _narrow_to_task(
        self,
        tx: Transaction,
        plan: SearchPlan,
        query: QueryVector | str,
        frequencies: Frequencies,
        statistics: QueryStatistics,
        scored: Sequence[ScoredCandidate],
    ) -> list[ScoredCandidate]:
        """The candidates of the named task, however many others match better, and of none."""
        by_n = {each.candidate.n: each for each in scored if not _is_of_another_task(plan, each)}
        if plan.tasks:
            own = replace(plan, filters=replace(plan.filters, tasks=plan.tasks))
            found = fuse(tx, own, gather(tx, own, query), frequencies, self._choose_depth(own))
            of_task = score_candidates(tx, own, found, statistics)
            by_n.update((each.candidate.n, each) for each in of_task)
        return sorted(by_n.values(), key=lambda each: -each.score)

    def _choose_depth(self, plan: SearchPlan) -> int:
        return choose_depth(plan, is_reranked=self._reranker is not None)


def _join(plan: SearchPlan, searched: Sequence[_ScoredSearch]) -> list[ScoredCandidate]:
    return join_searches([one.scored for one in searched], asked=1 + len(plan.parts))


def _rate(tx: Transaction, found: _ScoredSearch, opinion: RerankOpinion) -> _ScoredSearch:
    """The candidates by the reranker and the people they speak of, with their margins."""
    plan, threshold = found.plan, found.threshold
    scored = apply_opinion(plan, found.scored, opinion)
    scored = apply_people(tx, plan, scored, threshold)
    return replace(
        found,
        scored=[replace(each, margin=threshold.margin(each.kind, each.signals)) for each in scored],
    )


def _is_of_another_task(plan: SearchPlan, each: ScoredCandidate) -> bool:
    document = each.document
    return isinstance(document, MemoryWording) and is_of_another_task(plan, document.memory.task)


def _limit_tokens(plan: SearchPlan, tokens: int) -> SearchPlan:
    return replace(plan, max_tokens=max(tokens, _LEAST_TOKENS))


def _fit(
    tx: Transaction,
    plan: SearchPlan,
    whole: SearchResult,
    found: Sequence[ScoredCandidate],
    weights: Mapping[str, float],
) -> SearchResult:
    """The answer with as much of its hits as the budget holds beside what is said of them.

    Args:
        tx: where the turns beside the hits are read.
        plan: the search.
        whole: the answer with every hit whole, and none of them counted as shown.
        found: the candidates that its hits were made of.
        weights: the terms asked for, and what each counts where a hit is cut.
    """
    room = plan.max_tokens - min(notes_cost(whole), round(_NOTES_SHARE * plan.max_tokens))
    focuses = [
        each.candidate.passage if hit.excerpt is None else None
        for each, hit in zip(found, whole.hits, strict=True)
    ]

    def pack(id_chars: int) -> PackedHits:
        packer = Packer(whole.hits, room, weights, focuses, id_chars)
        admitted = packer.admit()
        if plan.context:
            packer.add_neighbours(read_neighbours(tx, found[:admitted], plan.context))
        return packer.finish()

    packed = pack(ID_CHARS)
    id_chars = count_id_chars(tx, list_ids(packed.hits))
    if id_chars > ID_CHARS:
        packed = pack(id_chars)
    is_counted = plan.is_limited or plan.profile.every_hit_must_fit or not packed.hits
    return whole.model_copy(
        update={
            "hits": packed.hits,
            "tokens": packed.tokens,
            "id_chars": id_chars,
            "omitted": packed.omitted if is_counted else 0,
        }
    )


def _count_hidden(tx: Transaction, plan: SearchPlan) -> int:
    if plan.filters.include_history or "text" in plan.options.without:
        return 0
    return tx.documents.count_hidden(plan.kinds, plan.terms, plan.filters)


def _list_nearest(plan: SearchPlan, selection: Selection) -> tuple[str, ...]:
    if selection.hits:
        return ()
    return list_nearest_topics(selection.below_threshold, plan.terms, plan.max_tokens)


def _list_notes(plan: SearchPlan, reports: Sequence[PartReport]) -> tuple[str, ...]:
    task = () if plan.task_note is None else (plan.task_note,)
    lacking = (each for each in reports if each.state in ("missing", "off"))
    return (
        *task,
        *plan.name_notes,
        *(f"searched without {one.part}: {one.why}" for one in lacking),
    )
