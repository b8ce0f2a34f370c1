"""Scores of candidates: relevance, boosts, and the signals by which a threshold is passed.

Boosts are factors that favour one of two hits that match about equally well: importance, use,
evidence, recency by type, feedback, task and trust. Each is near 1 and what is counted saturates
(the first uses say most). All boosts together are bounded: a memory that has everything in its
favour must not stand before one that answers, as without a bound it mostly did
(`bench.recall.weighted`). What holds whatever its age (preferences, rules, skills, who somebody is)
does not fade; what tells of a moment does, by e in τ, down to a floor.
"""

import math
from collections.abc import Mapping, Sequence, Set
from itertools import chain
from operator import attrgetter
from types import MappingProxyType

from memoria.inference import Calibration
from memoria.language.asking.aim import Aim
from memoria.language.dates import Interval
from memoria.language.lazy import remember_results
from memoria.language.names.keys import same_task
from memoria.language.words.analyser import tokens
from memoria.language.words.characters import is_cjk
from memoria.language.words.document import property_words
from memoria.model import (
    DAY_MS,
    InferredBy,
    Memory,
    MemoryType,
    MemoryVersion,
    Role,
    StoredTurn,
    Trust,
)
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import (
    READ_CHARS,
    FusedCandidate,
    LazyCandidates,
    MemoryWording,
    ScoredCandidate,
    add_graph_score,
    read_documents,
    read_text,
    read_words,
)
from memoria.retrieval.ranking.statistics import discriminative_terms
from memoria.retrieval.ranking.threshold import (
    DECIDING_HITS,
    RelevanceSignals,
    RelevanceThreshold,
    TermWeights,
)
from memoria.store.rows.transaction import Transaction

_CONCLUSION = 1.1
"""Factor of a memory beside a turn that says the same: somebody thought it worth keeping."""
_IMPORTANCE = 0.2
_PINNED = 1.15
_VERIFIED = 1.05
_VOTES = 0.1
_USE = 0.12
_HALF_USED = 8
"""Number of uses that earn half of the most that uses can."""
_EVIDENCE = 0.08
_HALF_PROVEN = 4
"""Number of further turns that earn half of the most that evidence can."""
_TRUST = {Trust.USER: 1.02, Trust.REPORTED: 1.0, Trust.TOOL: 0.9}
_TOOL_TRAFFIC = 0.6
"""Factor of a tool's output, which is seldom a conclusion and is vouched for by nobody."""
_CONFIDENCE = 0.2
_PLAIN_CONFIDENCE = 0.7
"""Confidence that neither raises nor lowers a score: that of a conclusion nobody has weighed."""
_FADES = 0.1
"""Greatest share of a score that age takes."""
_SAME_TASK = 1.15
_IN_TIME = 0.25
"""Gain of what was said in the time asked for."""
NO_BOOSTS: Mapping[str, float] = MappingProxyType({})
_BOUND = math.log(1.6) / 2
"""Bound of the logarithm of all boosts together: the highest product is 1.6 times the lowest."""


def turn_boosts(turn: StoredTurn, plan: SearchPlan) -> Mapping[str, float]:
    """Return the boosts of a turn among memories; most turns have none."""
    if plan.parsed.time is None and turn.role is not Role.TOOL:
        return NO_BOOSTS
    tool = _TOOL_TRAFFIC if turn.role is Role.TOOL else 1.0
    return _drop_neutral({"tool": tool, "time": _time_boost(plan.parsed.time, turn.at)})


def memory_boosts(memory: Memory, version: MemoryVersion, plan: SearchPlan) -> dict[str, float]:
    """Return the boosts of a memory in one of its wordings."""
    votes = math.tanh((memory.upvotes - memory.downvotes) / 2)
    at = version.event_at if version.event_at is not None else version.valid_from
    factors = _limit_product(
        {
            "importance": 1 + _IMPORTANCE * (memory.importance - 0.5),
            "pinned": _PINNED if memory.pinned else 1.0,
            "verified": _VERIFIED if memory.verified else 1.0,
            "votes": 1 + _VOTES * votes,
            "use": 1 + _USE * _saturate(memory.use_count, _HALF_USED),
            "evidence": 1 + _EVIDENCE * _saturate(_count_repeats(memory), _HALF_PROVEN),
            "confidence": 1 + _CONFIDENCE * (memory.confidence - _PLAIN_CONFIDENCE),
            "recency": 1.0 if memory.pinned else _recency_boost(memory.type, plan.now - at),
            "trust": _TRUST[version.provenance.trust],
            "task": _SAME_TASK if same_task(memory.task, plan.options.task) else 1.0,
            "time": _time_boost(plan.parsed.time, at),
        }
    )
    return _drop_neutral({"conclusion": _CONCLUSION, **factors})


def _limit_product(factors: Mapping[str, float]) -> dict[str, float]:
    """Add to factors the one that keeps their product within bounds, by tanh of its logarithm."""
    earned = math.log(math.prod(factors.values()))
    granted = _BOUND * math.tanh(earned / _BOUND)
    return {**factors, "bound": math.exp(granted - earned)}


def _count_repeats(memory: Memory) -> int:
    """Count how often a memory was said again; a derived memory was said by nobody."""
    return 0 if memory.type.is_derived else memory.evidence - 1


def _saturate(count: int, half: int) -> float:
    """Map a count to a share below 1, by BM25's curve of term frequency."""
    return max(count, 0) / (max(count, 0) + half)


def _recency_boost(kind: MemoryType, age_ms: int) -> float:
    tau = kind.row.recency_tau_days
    if tau is None:
        return 1.0
    return 1 - _FADES * (1 - math.exp(-max(age_ms, 0) / (tau * DAY_MS)))


def _time_boost(asked: Interval | None, at: int) -> float:
    if asked is None:
        return 1.0
    return 1 + _IN_TIME * math.exp(-_distance_ms(asked, at) / _span_ms(asked))


def _distance_ms(asked: Interval, at: int) -> int:
    """Return the milliseconds between a moment and the period asked for; 0 inside the period."""
    early = 0 if asked.from_ms is None else asked.from_ms - at
    late = 0 if asked.until_ms is None else at - asked.until_ms
    return max(early, late, 0)


def _span_ms(asked: Interval) -> int:
    """Return the length of the period asked for in milliseconds, at least a day."""
    if asked.from_ms is None or asked.until_ms is None:
        return DAY_MS
    return max(asked.until_ms - asked.from_ms, DAY_MS)


def _drop_neutral(factors: Mapping[str, float]) -> dict[str, float]:
    rounded = ((name, round(factor, 4)) for name, factor in factors.items() if factor != 1)
    return {name: factor for name, factor in rounded if factor != 1}


_WORDS_CEILING = 0.6
"""Highest score of a conclusion that shares words, but no meaning."""


def score_conclusion(
    lexical: float, coverage: float, cosine: float, calibration: Calibration
) -> float:
    """Return the score of a conclusion, 0 to 1.

    Among a handful of memories BM25's best may share nothing but a particle with the query,
    so a memory counts by the share of the query's terms it covers. A sentence's cosine says more
    than a turn's: it is stretched from where unrelated sentences end to where answers lie.
    """
    unrelated = calibration.unrelated
    meaning = (cosine - unrelated) / (calibration.certain - unrelated)
    by_words = _WORDS_CEILING * lexical * coverage
    return 1 - (1 - by_words) * (1 - min(max(meaning, 0.0), 0.95))


_LONGEST_DAY_MS = 25 * 3_600_000
"""Length of a day on which the clocks are put back."""
_NO_WORDS: frozenset[str] = frozenset()


def score_candidates(
    tx: Transaction,
    plan: SearchPlan,
    fused: Sequence[FusedCandidate],
    threshold: RelevanceThreshold,
    known: Mapping[int, StoredTurn] = MappingProxyType({}),
) -> Sequence[ScoredCandidate]:
    """Score the candidates that may be seen, best first; a memory in one wording.

    Args:
        tx: where documents are read.
        plan: the search.
        fused: the candidates, best first.
        threshold: what a hit has to pass, and what the record knows of the query.
        known: turns that were read already, by number.
    """
    scorer = _Scorer(plan, threshold)

    def score(items: Sequence[FusedCandidate]) -> list[ScoredCandidate]:
        documents = read_documents(tx, plan, items, known)
        visible = [item for item in items if item.n in documents]
        texts = {item.n: read_text(documents[item.n]) for item in visible}
        words = read_words(tx, plan, visible, texts)
        return [
            scorer.score(item, documents[item.n], texts[item.n], words[item.n]) for item in visible
        ]

    if plan.as_of is None and scorer.keeps_order:
        is_answered = any(map(scorer.promises, fused[:DECIDING_HITS]))
        return LazyCandidates(fused, score, len(fused) if is_answered else DECIDING_HITS)
    scored = sorted(score(fused), key=attrgetter("score"), reverse=True)  # equals as they stood
    return scored if plan.as_of is None else _list_once(scored)


def _list_once(scored: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """List each wording once: of a past moment several wordings may lead to the one that held."""
    first: dict[tuple[str, int], ScoredCandidate] = {}
    for each in scored:
        first.setdefault(each.identity, each)
    return list(first.values())


class _Scorer:
    """Scores documents by a question; what is the same for all documents is worked out once."""

    def __init__(self, plan: SearchPlan, threshold: RelevanceThreshold) -> None:
        statistics = threshold.statistics
        self._plan = plan
        self._threshold = threshold
        self._statistics = statistics
        self._weights = TermWeights(statistics.weights)
        self._terms = frozenset(discriminative_terms(plan))
        self._asked = self._terms | statistics.terms
        self._day = find_named_day(plan.parsed.time)
        self._asks_for_reply = plan.parsed.aim is Aim.REPLY
        # Of a time the newest come first, whatever favours them.
        is_ranked = not plan.parsed.is_time_only
        self._uses_boosts = is_ranked and plan.profile.uses_boosts and plan.options.stages.boosts
        self._scores_conclusions = is_ranked and plan.profile.scores_conclusions
        self.keeps_order = not (self._uses_boosts or self._scores_conclusions)
        """True if reading a document does not change its score."""

    def promises(self, item: FusedCandidate) -> bool:
        """Return whether an unread turn passes the threshold by its cosine, graph and context."""
        known = RelevanceSignals(0.0, item.cosine, item.graph, item.context)
        return self._threshold.margin("turn", known) >= 0

    def score(
        self,
        item: FusedCandidate,
        document: StoredTurn | MemoryWording,
        text: str,
        words: frozenset[str],
    ) -> ScoredCandidate:
        """Score a candidate.

        Args:
            item: the candidate as the sources found it.
            document: its document.
            text: all words of the document.
            words: the document's tokens.
        """
        statistics, asked = self._statistics, self._asked
        in_cjk = not text.isascii() and is_cjk(text[:READ_CHARS])
        is_cross_language = in_cjk != statistics.is_cjk
        held = asked & words
        if item.entity_names:
            held |= self._find_names(item)
        if isinstance(document, MemoryWording):
            return self._score_memory(
                item, document, words, held, is_cross_language=is_cross_language
            )
        if document.speaker:  # who said it counts as held
            held |= asked & list_tokens(document.speaker)
        signals = RelevanceSignals(
            self._weights.coverage(held),
            item.cosine,
            item.graph,
            item.context,
            statistics.count_rare(held) if statistics.rare_terms else 0,
            is_cross_language,
            is_of_named_day=self._day is not None and document.at in self._day,
            is_reply=self._asks_for_reply and document.role is Role.ASSISTANT,
        )
        boosts = turn_boosts(document, self._plan) if self._uses_boosts else NO_BOOSTS
        score = item.score * math.prod(boosts.values()) if boosts else item.score
        margin = self._threshold.margin("turn", signals)
        return ScoredCandidate(document, item, signals, item.score, boosts, score, words, margin)

    def _score_memory(
        self,
        item: FusedCandidate,
        wording: MemoryWording,
        words: frozenset[str],
        held: frozenset[str],
        *,
        is_cross_language: bool,
    ) -> ScoredCandidate:
        held |= self._asked & _list_property_tokens(wording)
        signals = RelevanceSignals(
            self._weights.coverage(held),
            item.cosine,
            item.graph,
            item.context,
            self._statistics.count_rare(held),
            is_cross_language,
            is_by_rules=wording.version.inferred_by is InferredBy.RULES,
        )
        relevance = self._rate_conclusion(item, held) if self._scores_conclusions else item.score
        is_boosted, plan = self._uses_boosts, self._plan
        boosts = memory_boosts(wording.memory, wording.version, plan) if is_boosted else NO_BOOSTS
        score = relevance * math.prod(boosts.values())
        margin = self._threshold.margin("memory", signals)
        return ScoredCandidate(wording, item, signals, relevance, boosts, score, words, margin)

    def _find_names(self, item: FusedCandidate) -> frozenset[str]:
        """Return the tokens of the names asked about that the graph links with a candidate."""
        names = map(list_tokens, item.entity_names)
        return self._asked.intersection(chain.from_iterable(names))

    def _rate_conclusion(self, item: FusedCandidate, held: Set[str]) -> float:
        """Return the relevance of a memory, as one sentence by itself."""
        covered = len(self._terms & held) / len(self._terms) if self._terms else 0.0
        score = score_conclusion(item.lexical, covered, item.cosine, self._plan.calibration)
        return item.phrase * add_graph_score(score, item.graph)


def find_named_day(time: Interval | None) -> range | None:
    """Return the period asked for in milliseconds, if that is at most a day; else None."""
    if time is None or time.from_ms is None or time.until_ms is None:
        return None
    is_day = time.until_ms - time.from_ms <= _LONGEST_DAY_MS
    return range(time.from_ms, time.until_ms) if is_day else None


@remember_results(256)
def list_tokens(name: str) -> frozenset[str]:
    """Return a name's tokens. Cached, as the same few speakers recur."""
    return frozenset(tokens(name))


def _list_property_tokens(wording: MemoryWording) -> frozenset[str]:
    """Return the tokens of a memory's property: "works at Northwind" tells the employer."""
    is_present = wording.version.n == wording.memory.current.n
    return list_tokens(property_words(wording.memory.predicate)) if is_present else _NO_WORDS
