"""Turns of the record that fit a question put to memories.

No second search is made: what words find in the record has the cosines that the search of memories
has found. Most of it mostly falls short, and its words, which the ranking has read, tell so. Only
what may fit is read in full, and scored as a search of the record does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memoria.language.asking.aim import Aim
from memoria.language.words.script import is_cjk
from memoria.model import Role, StoredTurn
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.query.profile import TRANSCRIPT
from memoria.retrieval.ranking.documents import READ_CHARS
from memoria.retrieval.ranking.evidence.ranked import MOST_CHARS
from memoria.retrieval.ranking.fusion import FusedCandidate
from memoria.retrieval.ranking.score import (
    ScoredCandidate,
    find_named_day,
    list_tokens,
    score_candidates,
)
from memoria.retrieval.ranking.threshold import RelevanceSignals, RelevanceThreshold, TermWeights
from memoria.retrieval.snapshot import ScoredSearch
from memoria.store.index_tokens import IndexTokens, list_words
from memoria.store.rows.transaction import Transaction
from memoria.store.turn_metadata import TurnMetadata

COUNT_UP_TO = 10
"""Most turns: whether still more fit is not told."""


def list_fitting_turns(
    tx: Transaction, plan: SearchPlan, found: ScoredSearch
) -> list[ScoredCandidate]:
    """List the best turns of the record that a search of it would show.

    Args:
        tx: where they are read.
        plan: the search of memories.
        found: what it has found.
    """
    filters = replace(plan.filters, include_processed=True, types=())
    search = _RecordSearch(replace(plan, profile=TRANSCRIPT, filters=filters), found)
    candidates = search.list_candidates(tx)
    remarks = tx.conversations.remarks(candidates)
    indexed = tx.documents.index_tokens([*remarks], MOST_CHARS)
    promising = [n for n, remark in remarks.items() if search.may_fit(n, remark, indexed.get(n))]
    if not promising:
        return []
    return search.select_fitting(tx, promising, indexed)


class _RecordSearch:
    """A search of the record by what a search of memories has found."""

    def __init__(self, plan: SearchPlan, found: ScoredSearch) -> None:
        self._plan = plan
        self._found = found
        self._statistics = found.statistics
        self._terms = found.statistics.terms
        self._weights = TermWeights(found.statistics.weights)
        self._threshold = RelevanceThreshold.for_query(plan, found.statistics)
        self._cosine = found.sources.cosine
        self._nearest = max(0.0, *self._cosine.values()) if self._cosine else 0.0
        self._day = find_named_day(plan.parsed.time)

    def list_candidates(self, tx: Transaction) -> list[int]:
        """List the best by words, and the nearest of what has been found already."""
        plan, cosine, most = self._plan, self._cosine, 2 * COUNT_UP_TO
        by_words: list[int] = []
        if "text" not in plan.options.without:
            matches = tx.documents.match(plan.kinds, plan.terms, plan.filters, most)
            by_words = [match.n for match in matches]
        return list(dict.fromkeys([*by_words, *_list_nearest(cosine, most)]))

    def may_fit(self, n: int, remark: TurnMetadata, indexed: IndexTokens | None) -> bool:
        """Return whether a turn may fit: what is not looked at is taken to speak for it."""
        if indexed is None:
            return True
        words = list_words(indexed)
        is_ascii = all(map(str.isascii, words))
        if not (remark.is_whole or is_ascii):
            return True  # its script can't be told
        in_cjk = not is_ascii and is_cjk(remark.content[:READ_CHARS])
        statistics = self._statistics
        held = self._terms.intersection(words)
        if remark.speaker:
            held |= self._terms & list_tokens(remark.speaker)
        coverage = self._weights.coverage(held)
        signals = RelevanceSignals(
            coverage,
            self._estimate_cosine(n, coverage),
            rare_words=statistics.count_rare(held),
            is_cross_language=in_cjk != statistics.is_cjk,
            is_of_named_day=self._day is not None and remark.at in self._day,
            is_reply=self._plan.parsed.aim is Aim.REPLY and remark.role == Role.ASSISTANT,
        )
        return self._threshold.margin("turn", signals) >= 0

    def select_fitting(
        self, tx: Transaction, ns: Sequence[int], indexed: Mapping[int, IndexTokens]
    ) -> list[ScoredCandidate]:
        """Return the turns that fit."""
        documents = {each.candidate.n: each.document for each in self._found.scored}
        turns = {n: turn for n, turn in documents.items() if isinstance(turn, StoredTurn)}
        read = [self._as_candidate(n, indexed) for n in ns]
        scored = score_candidates(tx, self._plan, read, self._threshold, turns)
        return [each for each in map(self._rate, scored) if each.margin >= 0]

    def _as_candidate(self, n: int, indexed: Mapping[int, IndexTokens]) -> FusedCandidate:
        cosine = self._cosine.get(n, 0.0)
        return FusedCandidate(n, 0.0, cosine=cosine, indexed=indexed.get(n))

    def _rate(self, each: ScoredCandidate) -> ScoredCandidate:
        """Give a candidate its margin."""
        cosine = self._estimate_cosine(each.candidate.n, each.signals.coverage)
        signals = each.signals._replace(cosine=cosine)
        return each._replace(signals=signals).with_margin(self._threshold)

    def _estimate_cosine(self, n: int, coverage: float) -> float:
        """Return the known cosine, or estimate one by the coverage of the words."""
        known = self._cosine.get(n)
        return self._nearest * coverage if known is None else known


def _list_nearest(cosine: Mapping[int, float], most: int) -> list[int]:
    """List the nearest, best first."""
    if not cosine:
        return []
    from memoria.retrieval.ranking.evidence.columns import Scores  # noqa: PLC0415  (brings NumPy)

    return Scores.of_mapping(cosine).list_best(most)
