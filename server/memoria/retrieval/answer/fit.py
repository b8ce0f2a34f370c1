"""Fit: whether anything that was found is an answer, and if not, where else there is more.

An index always finds something, and an asked search shows it. How well the best hit fits tells an
answer from what merely comes nearest: how near the hit lies to the question, by what an embedder
has learnt of answers, and its share of the question's words, the rare ones counting more, less what
the question names and no record knows. Without a cosine, in a search of the record, and where a
reranker has read both, the threshold decides.

The transcript is looked at for the caller only where evidence is asked for, or where nothing that
was found answers; and then those of its turns that hold words of the question are counted, not
shown. No second search is made: what words find in the record has the cosines that the search of
memories has found. Only what may fit is read in full, and scored as a search of the record does.

Of other projects nothing is shown, only that they have something: whoever wants it asks all
projects. A match holds the words that tell the question apart: whom the question names, and enough
of the rest. One bounded query of the full text finds the matches, and only their words are read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from memoria.language.asking.aim import Aim
from memoria.language.words.analyser import tokens
from memoria.language.words.characters import is_cjk
from memoria.model import Role, StoredTurn, Vector
from memoria.model.search import OtherProjects
from memoria.retrieval.answer.lines import ToldConditions
from memoria.retrieval.answer.notes import FOR_AGENTS, MOST_COUNTED
from memoria.retrieval.query.options import TRANSCRIPT
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import (
    MOST_CHARS,
    READ_CHARS,
    FusedCandidate,
    ScoredCandidate,
)
from memoria.retrieval.ranking.score import find_named_day, list_tokens, score_candidates
from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.retrieval.ranking.threshold import (
    DECIDING_HITS,
    RelevanceSignals,
    RelevanceThreshold,
    TermWeights,
)
from memoria.retrieval.snapshot import ScoredSearch
from memoria.retrieval.sources.vectors import AskedVector, QueryVector, list_query_vectors
from memoria.store.features import IndexTokens, TurnMetadata, list_words
from memoria.store.rows.transaction import Transaction

_WORDS = 0.33
"""Weight of the coverage of the question's words, beside a cosine."""
_STRANGE = 0.72
"""Weight of the share of names that are not on record."""
_FEW_WORDS = 2
"""Number of words up to which a question is bare: a hit that shares none has to be near."""


def is_answered(tx: Transaction, found: ScoredSearch, shown: Sequence[ScoredCandidate]) -> bool:
    """Return whether the best of what is shown fits well enough to be an answer.

    Args:
        tx: where vectors are read.
        found: what was found.
        shown: the candidates that are shown, best first.
    """
    plan, statistics = found.plan, found.statistics
    if plan.parsed.is_time_only or not plan.profile.is_asked:
        return bool(shown)
    is_of_record = not plan.profile.every_hit_must_fit
    shown = shown[:DECIDING_HITS] if is_of_record else shown
    deciding = [each for each in shown if each.signals.rerank_score is not None] or shown
    if is_of_record or not statistics.has_vectors or deciding is not shown:
        relief = _find_relief(plan, statistics, deciding) if is_of_record else 0.0
        return any(each.margin >= relief * each.signals.is_cross_language for each in deciding)
    nearness = _measure_nearness(tx, plan, found.asked, shown)
    fits = (
        near + _measure_words(statistics, each) for near, each in zip(nearness, shown, strict=True)
    )
    return any(fit >= plan.calibration.answers for fit in fits)


def _find_relief(
    plan: SearchPlan, statistics: QueryStatistics, shown: Sequence[ScoredCandidate]
) -> float:
    """Return the bonus that hits in another language lose, if a bare question shares no word."""
    is_shared = any(
        one.coverage or one.context_coverage or one.rerank_score is not None
        for one in (each.signals for each in shown)
    )
    is_bare = statistics.telling_terms <= _FEW_WORDS and statistics.has_vectors
    return plan.calibration.transcript.cross_language if is_bare and not is_shared else 0.0


def _measure_nearness(
    tx: Transaction,
    plan: SearchPlan,
    asked: Sequence[AskedVector],
    shown: Sequence[ScoredCandidate],
) -> list[float]:
    """Return each candidate's nearness, as an answer, to the nearest wording."""
    cosines = [each.signals.cosine for each in shown]
    read = plan.calibration.read_answering
    wordings = [] if read is None else list_query_vectors(asked)
    if read is None or not wordings:
        return cosines
    vectors = tx.documents.vectors([each.n for each in shown], wordings[0].model)
    beyond = read() - 1
    return [
        cosine + (_add_beyond(beyond, wordings, vectors[n]) if n in vectors else 0.0)
        for cosine, n in zip(cosines, (each.n for each in shown), strict=True)
    ]


def _add_beyond(beyond: Vector, wordings: Sequence[QueryVector], text: Vector) -> float:
    """Return what the weights of answers add to the cosine of a text and the nearest wording."""
    nearest = max((each.vector for each in wordings), key=lambda vector: float(vector @ text))
    return float((beyond * nearest) @ text)


def _measure_words(statistics: QueryStatistics, each: ScoredCandidate) -> float:
    """Return the weight of a question's words and names for a candidate."""
    return _WORDS * each.signals.coverage - _STRANGE * statistics.strange_share


_MOST_TURNS = 10
"""Most turns that are counted."""


def list_fitting_turns(
    tx: Transaction, plan: SearchPlan, found: ScoredSearch
) -> list[ScoredCandidate]:
    """List the best turns of the record that fit a question.

    Args:
        tx: where turns are read.
        plan: the search of memories.
        found: what that search has found.
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
    """Search of the record by what a search of memories has found."""

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
        """List the best documents by words, and the nearest that have been found already."""
        plan, cosine, most = self._plan, self._cosine, 2 * _MOST_TURNS
        by_words: list[int] = []
        if "text" not in plan.options.without:
            matches = tx.documents.match(plan.kinds, plan.terms, plan.filters, most)
            by_words = [match.n for match in matches]
        return list(dict.fromkeys([*by_words, *_list_nearest(cosine, most)]))

    def may_fit(self, n: int, remark: TurnMetadata, indexed: IndexTokens | None) -> bool:
        """Return whether a turn may fit, by its words alone."""
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
        documents = {each.n: each.document for each in self._found.scored}
        turns = {n: turn for n, turn in documents.items() if isinstance(turn, StoredTurn)}
        read = [self._as_candidate(n, indexed) for n in ns]
        scored = score_candidates(tx, self._plan, read, self._threshold, turns)
        return [each for each in map(self._rate, scored) if each.margin >= 0]

    def _as_candidate(self, n: int, indexed: Mapping[int, IndexTokens]) -> FusedCandidate:
        cosine = self._cosine.get(n, 0.0)
        return FusedCandidate(n, 0.0, cosine=cosine, indexed=indexed.get(n))

    def _rate(self, each: ScoredCandidate) -> ScoredCandidate:
        """Give a candidate its margin."""
        cosine = self._estimate_cosine(each.n, each.signals.coverage)
        signals = each.signals._replace(cosine=cosine)
        return each._replace(signals=signals).with_margin(self._threshold)

    def _estimate_cosine(self, n: int, coverage: float) -> float:
        """Return the known cosine, or an estimate by the coverage of the words."""
        known = self._cosine.get(n)
        return self._nearest * coverage if known is None else known


def _list_nearest(cosine: Mapping[int, float], most: int) -> list[int]:
    """List the nearest, best first."""
    if not cosine:
        return []
    from memoria.retrieval.ranking.evidence.columns import Scores  # noqa: PLC0415  (brings NumPy)

    return Scores.of_mapping(cosine).list_best(most)


def find_hint(
    tx: Transaction,
    found: ScoredSearch,
    shown: Sequence[ScoredCandidate],
    told: ToldConditions,
    *,
    is_answered: bool,
) -> str | None:
    """Return a sentence on the turns that the transcript has; None for no reason to look.

    Args:
        tx: where to look.
        found: what a search of memories has found.
        shown: the candidates that are shown.
        told: reads the conditions under which candidates were told.
        is_answered: whether anything shown is an answer.
    """
    plan = found.plan
    reason = _find_reason(plan, is_answered=is_answered)
    if plan.parsed.is_time_only:
        return _phrase_hint(reason, len(found.sources.recent))
    if reason is None and not plan.parsed.literals:
        return None
    fitting = list_fitting_turns(tx, plan, found)
    turns = [one for one, _ in told.take(fitting, len(fitting)) if one.signals.coverage > 0]
    literal = [each for each in turns if plan.parsed.occurs_in(each.text)]
    if literal and not plan.parsed.wants_record:
        return _phrase_hint(
            "Codes, paths and addresses stand in the record as they were written", len(literal)
        )
    known = {each.n for each in shown if not plan.parsed.wants_record}
    return _phrase_hint(reason, sum(each.n not in known for each in turns))


def _phrase_hint(reason: str | None, count: int) -> str | None:
    if reason is None or not count:
        return None
    many = f"{_MOST_TURNS} or more turns" if count >= _MOST_TURNS else f"{count} turns"
    match = "1 turn matches" if count == 1 else f"{many} match"
    return f"{reason}: {match}; {FOR_AGENTS.record}."


def _find_reason(plan: SearchPlan, *, is_answered: bool) -> str | None:
    if plan.parsed.wants_record:
        return "The exact words are in the record"
    return None if is_answered else "No sure match here"


_MOST_LOOKED_AT = 3 * MOST_COUNTED
_MOST_TERMS = 8
_LEAST_COVERAGE = 0.5
"""Least coverage of a match."""
_LEAST_COVERAGE_CJK = 0.33
"""Least coverage for Chinese: some pairs of a question's characters are no words."""
_NAMES_SHOWN = 3


def find_elsewhere(
    tx: Transaction, plan: SearchPlan, statistics: QueryStatistics, *, name_projects: bool
) -> OtherProjects | None:
    """Return the matches that only other projects see; None for no match.

    Args:
        tx: where to look.
        plan: the search that found less than was asked for.
        statistics: what the record knows of the query.
        name_projects: whether the user allows projects to be named.
    """
    if plan.filters.everywhere or plan.as_of is not None or "text" in plan.options.without:
        return None
    names = frozenset(token for name in plan.parsed.proper_names for token in tokens(name))
    groups = list(_term_groups(statistics, sorted(names)))
    found = tx.documents.list_elsewhere(plan.kinds, groups, plan.filters, _MOST_LOOKED_AT)
    words = tx.documents.distinct_words(list(found)) if found else {}
    least = _LEAST_COVERAGE_CJK if statistics.is_cjk else _LEAST_COVERAGE
    weights = TermWeights(statistics.weights)
    fitting = [n for n in found if weights.coverage(words[n]) >= least]
    if not fitting:
        return None
    holders = tuple(dict.fromkeys(found[n] for n in fitting))
    return OtherProjects(
        matches=min(len(fitting), MOST_COUNTED + 1),
        projects=holders[:_NAMES_SHOWN] if name_projects else (),
        holders=holders,
    )


def _term_groups(statistics: QueryStatistics, names: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield the groups of terms by which matches are found: a name and a term, or two terms."""
    weights = statistics.weights
    terms = sorted(weights, key=lambda term: (-weights[term], term))[:_MOST_TERMS]
    if names:
        others = [term for term in terms if term not in names]
        yield from ((name, term) for name in names for term in others)
        if not others:
            yield from ((name,) for name in names)
    elif len(terms) == 1:
        yield (terms[0],)
    else:
        yield from combinations(terms, 2)
