"""Scoring: candidates are read, and get a relevance, their boosts and relevance signals."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple, Self, overload

from memoria.inference import Calibration
from memoria.language.asking.aim import Aim
from memoria.language.dates import Interval
from memoria.language.lazy import remember_results
from memoria.language.words.analyser import tokens
from memoria.language.words.characters import is_cjk
from memoria.language.words.document import property_words
from memoria.model import InferredBy, Role, StoredTurn
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.boosts import NO_BOOSTS, combine_boosts, memory_boosts, turn_boosts
from memoria.retrieval.ranking.candidates import (
    READ_CHARS,
    FusedCandidate,
    MemoryWording,
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
from memoria.store.values import DocumentKind

_WORDS_CEILING = 0.6
"""Most that words alone make of the best of them."""


def score_conclusion(
    lexical: float, coverage: float, cosine: float, calibration: Calibration
) -> float:
    """Return the score of a conclusion, 0 to 1.

    Among a handful of memories BM25's best may share nothing but a particle with the query,
    so it counts by the share of the query's terms it covers. A sentence's cosine says more
    than a turn's: it is stretched from where unrelated sentences end to where answers lie.
    """
    unrelated = calibration.unrelated
    meaning = (cosine - unrelated) / (calibration.certain - unrelated)
    by_words = _WORDS_CEILING * lexical * coverage
    return 1 - (1 - by_words) * (1 - min(max(meaning, 0.0), 0.95))


_LONGEST_DAY_MS = 25 * 3_600_000
"""Length of a day on which the clocks are put back."""
_NO_WORDS: frozenset[str] = frozenset()


class ScoredCandidate(NamedTuple):
    """A document with what speaks for it. Higher scores are better, within one search."""

    document: StoredTurn | MemoryWording
    candidate: FusedCandidate
    signals: RelevanceSignals
    relevance: float
    """Match with the query, 0 to 1."""
    boosts: Mapping[str, float]
    score: float
    words: frozenset[str]
    margin: float
    """Excess over what the relevance threshold demands; below 0 it is no hit."""

    @property
    def kind(self) -> DocumentKind:
        """Kind of document."""
        return "turn" if isinstance(self.document, StoredTurn) else "memory"

    @property
    def id(self) -> str:
        """Id of the memory or turn."""
        document = self.document
        return document.id if isinstance(document, StoredTurn) else document.memory.id

    @property
    def task(self) -> str | None:
        """Task that a memory belongs to; None for one of no task, and for a turn."""
        document = self.document
        return None if isinstance(document, StoredTurn) else document.memory.task

    @property
    def identity(self) -> tuple[str, int]:
        """Key of a version of a message, or of a wording of a memory."""
        document = self.document
        return (document.id, document.n) if isinstance(document, StoredTurn) else (
            document.memory.id, document.version.n)  # fmt: skip

    def with_margin(self, threshold: RelevanceThreshold) -> Self:
        """Return the same with the margin of its signals, where these have changed."""
        return self._replace(margin=threshold.margin(self.kind, self.signals))

    @property
    def text(self) -> str:
        """All words of the document."""
        return read_text(self.document)


class LazyCandidates(Sequence[ScoredCandidate]):
    """Candidates that are read as far as somebody looks: where none of the first fits, no further.

    That is for searches in which what a candidate says does not change its place.
    """

    def __init__(
        self,
        fused: Sequence[FusedCandidate],
        score: Callable[[Sequence[FusedCandidate]], list[ScoredCandidate]],
        first: int,
    ) -> None:
        """Create the sequence without reading any.

        Args:
            fused: the candidates, best first.
            score: reads some of them while the transaction lasts, and keeps their order.
            first: how many are read together when somebody looks at the first.
        """
        self._unread = fused
        self._score = score
        self._first = first
        self._read: list[ScoredCandidate] = []

    def __len__(self) -> int:
        return len(self._read_until(None))

    def __bool__(self) -> bool:
        return bool(self[:1])

    def __iter__(self) -> Iterator[ScoredCandidate]:
        yield from self[: self._first]
        yield from self[self._first :]

    @overload
    def __getitem__(self, at: int) -> ScoredCandidate: ...
    @overload
    def __getitem__(self, at: slice) -> list[ScoredCandidate]: ...
    def __getitem__(self, at: int | slice) -> ScoredCandidate | list[ScoredCandidate]:
        part = at if isinstance(at, slice) else slice(at, at + 1)
        ends = part.start or 0, part.stop, part.step or 1
        is_counted_from_first = part.stop is not None and min(ends) >= 0
        return self._read_until(part.stop if is_counted_from_first else None)[at]

    def _read_until(self, most: int | None) -> list[ScoredCandidate]:
        """Read the first `most` that may be seen, or all."""
        most = len(self._unread) + len(self._read) if most is None else max(most, self._first)
        while self._unread and len(self._read) < most:
            many = most - len(self._read)
            part, self._unread = self._unread[:many], self._unread[many:]
            self._read += self._score(part)
        return self._read


def score_candidates(
    tx: Transaction,
    plan: SearchPlan,
    fused: Sequence[FusedCandidate],
    threshold: RelevanceThreshold,
    known: Mapping[int, StoredTurn] = MappingProxyType({}),
) -> Sequence[ScoredCandidate]:
    """Score the documents that may be seen, best first; of a memory one wording.

    Args:
        tx: where they are read.
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
    """List each wording where it is first: several of a memory may lead to the one that held."""
    first: dict[tuple[str, int], ScoredCandidate] = {}
    for each in scored:
        first.setdefault(each.identity, each)
    return list(first.values())


class _Scorer:
    """Scores documents by a question. What is the same for all of them is worked out once."""

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
        """True if a document counts as much as it did before it was read."""

    def promises(self, item: FusedCandidate) -> bool:
        """Return whether an unread turn passes by what is known of it: others are shown with it."""
        known = RelevanceSignals(0.0, item.cosine, item.graph, item.context)
        return self._threshold.margin("turn", known) >= 0

    def score(
        self,
        item: FusedCandidate,
        document: StoredTurn | MemoryWording,
        text: str,
        words: frozenset[str],
    ) -> ScoredCandidate:
        """Score a candidate by what speaks for it.

        Args:
            item: as the sources found it.
            document: what it is.
            text: all that it says.
            words: its tokens.
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
        score = item.score * combine_boosts(boosts) if boosts else item.score
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
        score = relevance * combine_boosts(boosts)
        margin = self._threshold.margin("memory", signals)
        return ScoredCandidate(wording, item, signals, relevance, boosts, score, words, margin)

    def _find_names(self, item: FusedCandidate) -> frozenset[str]:
        """Return the words of the names asked about that it is linked with."""
        names = map(list_tokens, item.entity_names)
        return self._asked.intersection(chain.from_iterable(names))

    def _rate_conclusion(self, item: FusedCandidate, held: Set[str]) -> float:
        """Return the match of a memory, as one sentence by itself."""
        covered = len(self._terms & held) / len(self._terms) if self._terms else 0.0
        score = score_conclusion(item.lexical, covered, item.cosine, self._plan.calibration)
        return item.phrase * add_graph_score(score, item.graph)


def find_named_day(time: Interval | None) -> range | None:
    """Return the time asked about in milliseconds, if it is at most a day; else None."""
    if time is None or time.from_ms is None or time.until_ms is None:
        return None
    is_day = time.until_ms - time.from_ms <= _LONGEST_DAY_MS
    return range(time.from_ms, time.until_ms) if is_day else None


@remember_results(256)
def list_tokens(name: str) -> frozenset[str]:
    """Return a name's tokens; remembered, for most documents have one of few speakers."""
    return frozenset(tokens(name))


def _list_property_tokens(wording: MemoryWording) -> frozenset[str]:
    """Return tokens of a memory's property: "works at Northwind" tells the employer."""
    is_present = wording.version.n == wording.memory.current.n
    return list_tokens(property_words(wording.memory.predicate)) if is_present else _NO_WORDS
