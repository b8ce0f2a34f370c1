"""Pipeline of a search: one pass over one snapshot, run in one worker thread.

    plan      what is asked, with its filters and its profile (`query.plan`)
    score     each wording by itself: its sources (`sources.gather`), its candidates read and
              scored, then all wordings as one ranking (`snapshot`)
    choose    threshold, repeats and diversity, what has been replaced (`ranking.selection`)
    answer    as many hits as the budget holds, cited, with a hint and an explanation
              (`answer.build`)

In a large tenant vectors are searched in a second thread meanwhile. A reranker is asked while no
snapshot is open; if the store has changed by then, the candidates are scored anew.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from memoria.bare.collector import pause_collector
from memoria.bare.spans import spans
from memoria.inference import LazyEmbedder
from memoria.inference.reranker import Reranker
from memoria.model import SearchResult
from memoria.retrieval.answer.build import build_answer
from memoria.retrieval.answer.grounds import ReadGrounds
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.query.wording import add_other_names
from memoria.retrieval.ranking.rerank import (
    NO_OPINION,
    SWITCHED_OFF,
    RerankOpinion,
    ask_reranker,
    passages,
)
from memoria.retrieval.ranking.selection import choose_hits
from memoria.retrieval.snapshot import ScoredSearch, SnapshotSearch, join_found
from memoria.retrieval.sources.vectors import AskedVector, QueryEmbedder
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

_T = TypeVar("_T")

_LEAST_TOKENS = 50


@dataclass(frozen=True, slots=True)
class _Review:
    """Scores of a reranker, and the searches that the reranker was asked about."""

    opinion: RerankOpinion
    searches: tuple[ScoredSearch, ...] = ()
    snapshot: object = None
    """Snapshot of the searches; None if nothing was searched."""


_NO_REVIEW = _Review(NO_OPINION)


class Search:
    """Searches one tenant's memory."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        embedder: LazyEmbedder | None,
        wait_ms: int,
        reranker: Reranker | None = None,
        read_grounds: ReadGrounds | None = None,
        *,
        names_projects: bool = False,
    ) -> None:
        """Create a search of one tenant's memory.

        Args:
            store: where to search.
            tenant: whose memory.
            embedder: gives the vectors of queries; None for none.
            wait_ms: how long to wait for an embedder that is loading.
            reranker: reads the best hits with the query; None for none.
            read_grounds: reads how the files stand that carry memories; None for none.
            names_projects: whether an answer may name other projects that have a match.
        """
        self._store = store
        self._tenant = tenant
        self._embedder = QueryEmbedder(embedder, wait_ms)
        self._reranker = reranker
        self._read_grounds = read_grounds
        self._names_projects = names_projects

    def run(self, plan: SearchPlan) -> SearchResult:
        """Search, if need be without parts that fail: the answer's `notes` name these."""
        (named,) = self._add_other_names(plan)
        queries = self._embedder.ask_all(named)
        review = self._ask_reranker(named, queries)
        return self._read_snapshot(lambda tx: self._answer(tx, named, queries, review))

    def run_for_context(
        self, memories: SearchPlan, evidence: SearchPlan, tokens: int, evidence_tokens: int
    ) -> tuple[SearchResult, SearchResult | None]:
        """Search for a context package.

        Evidence is searched for only if the query asks for the record, or if no memory fits and the
        record has something. A reranker is asked about memories alone: a prompt waits only once.

        Args:
            memories: the search of memories.
            evidence: the same query as a search of the transcript.
            tokens: the most tokens of the answer with memories.
            evidence_tokens: the most tokens of the answer with evidence.
        """

        def answer_both(tx: Transaction) -> tuple[SearchResult, SearchResult | None]:
            found = self._answer(tx, _limit_tokens(memories, tokens), queries, review)
            if found.hint is None or (found.hits and not memories.parsed.wants_record):
                return found, None
            return found, self._answer(tx, _limit_tokens(evidence, evidence_tokens), queries)

        with spans.time("search"):
            memories, evidence = self._add_other_names(memories, evidence)
            queries = self._embedder.ask_all(memories)
            review = self._ask_reranker(memories, queries)
            return self._read_snapshot(answer_both)

    def _add_other_names(self, *plans: SearchPlan) -> list[SearchPlan]:
        """Add other names of people to plans, before any vector is made."""
        with self._store.read(self._tenant) as tx:
            return [add_other_names(tx, plan) for plan in plans]

    @pause_collector()
    def _read_snapshot(self, work: Callable[[Transaction], _T]) -> _T:
        """Run work on a snapshot and return its result.

        The garbage collector is paused until all that was read is released: a search leaves no
        garbage, and a collection would look through everything that was read.
        """
        with self._store.read(self._tenant) as tx:
            return work(tx)

    def _ask_reranker(self, plan: SearchPlan, queries: Sequence[AskedVector]) -> _Review:
        """Ask the reranker about the best candidates, while no snapshot is open."""
        if self._reranker is None:
            return _NO_REVIEW
        if not plan.options.stages.rerank:
            return _Review(SWITCHED_OFF)

        def score(tx: Transaction) -> tuple[tuple[ScoredSearch, ...], object, tuple[str, ...]]:
            searches = self._score(tx, plan, queries)
            return searches, tx.snapshot, passages(plan, join_found(plan, searches).scored)

        searches, snapshot, texts = self._read_snapshot(score)
        return _Review(ask_reranker(self._reranker, plan.asked, texts), searches, snapshot)

    def _answer(
        self,
        tx: Transaction,
        plan: SearchPlan,
        queries: Sequence[AskedVector],
        review: _Review = _NO_REVIEW,
    ) -> SearchResult:
        """Answer a search; if the store is unchanged, take the scored searches from `review`."""
        is_known = review.snapshot is not None and review.snapshot == tx.snapshot
        searches = review.searches if is_known else self._score(tx, plan, queries)
        found = join_found(plan, searches, review.opinion)
        chosen = choose_hits(tx, found.plan, found.scored, found.rest, found.weights)
        return build_answer(
            tx, found, chosen, self._read_grounds, names_projects=self._names_projects
        )

    def _score(
        self, tx: Transaction, plan: SearchPlan, queries: Sequence[AskedVector]
    ) -> tuple[ScoredSearch, ...]:
        snapshot = SnapshotSearch(tx, self._embedder, is_reranked=self._reranker is not None)
        return snapshot.score_all(plan, queries)


def _limit_tokens(plan: SearchPlan, tokens: int) -> SearchPlan:
    return replace(plan, max_tokens=max(tokens, _LEAST_TOKENS))
