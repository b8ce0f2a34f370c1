"""Threshold: no answer rather than noise.

An index always finds something. What speaks for a hit is its fit: the share of the query's words it
holds, the rare ones counting more (`statistics`), plus its cosine. A search of memories is strict
with every hit; one of the transcript shows the record for what it is, and is silent only where none
of its best hits fits (`query.profile`). How much is enough depends on what the query asks about,
and the figures are the embedder's (`Calibration`). Of a memory:

- About an entity that much of the record is about, something is always found: two texts about the
  same person are alike for the name alone. So the bound is high.
- About nobody in particular, texts that have nothing to do with each other mostly share little.
- Where query and text are in different languages they share no word; their cosine is the fit.
- Where nothing that is named is on record, only a near paraphrase is an answer.
- A question that says "the user" is alike to whatever is remembered of the user for that alone, and
  has to be more so.

Of the record all evidence is added up (`RecordBounds`): a turn's cosine, how much of the query's
words stands in or around it, whether rare ones meet in it, whether it was said on the day that the
query names or by the assistant whose words are asked for, and whether it is in another language,
against how much of what the query names is strange, how many words there are to share, how much
there is to find something in, and a number that is asked for and not there. Each speaks for or
against an answer whatever the others say, so one sum serves every query. A turn among memories may
pass by it, too, if amply.

A reranker (`rerank`) that was asked reads query and text together, so its word weighs more than
words and cosine: what it is sure of passes, what it finds beside the point does not. With two
exceptions, for it sees one text and not the record: it can't know that whom the query names stands
nowhere, so there its yes counts for nothing; and it may not know what a code or a name means here,
so its no counts for nothing against a text that holds every discriminative word.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from math import log1p
from typing import NamedTuple, Self

from memoria.inference.base import AnswerBounds, RecordBounds, RelevanceBounds
from memoria.retrieval.query.options import SearchProfile
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.statistics import RARE_TOGETHER, QueryStatistics
from memoria.store.values import DocumentKind

_GRAPH_RELIEF = 0.3
"""Share by which the best document of the graph may fall short of its bound."""
_WORDS_ONLY_SHARE = 0.5
"""Share of the bound that words alone must reach where there are no vectors."""
_RERANK_REJECTS = 0.1
"""Score of a reranker below which a hit fails, unless it holds every discriminative word."""
_MOST_DOCUMENTS = 10_000
"""Number of documents beyond which the demand does not rise."""
DECIDING_HITS = 10
"""Number of the best hits that decide whether the record answers."""


class RelevanceSignals(NamedTuple):
    """Signals that speak for a hit."""

    coverage: float
    """Share of the query's words that the text holds, weighted, 0 to 1."""
    cosine: float
    graph: float = 0.0
    context_coverage: float = 0.0
    """Share of the query's words in the text and around it, 0 to 1."""
    rare_words: int = 0
    """Number of rare words of the query that the text holds; a code counts as several."""
    is_cross_language: bool = False
    """True if the text is in another language than the query."""
    rerank_score: float | None = None
    """Score by a reranker; None if none was asked about the text."""
    is_of_named_day: bool = False
    """True if the text was said on the day that the query names."""
    is_reply: bool = False
    """True if the assistant said the text, and the query asks for the assistant's words."""
    is_by_rules: bool = False
    """True if the text is a memory that rules, and no model, made of a turn."""


@dataclass(frozen=True, slots=True)
class RecordThreshold:
    """Demand of a query on any turn of the record."""

    bounds: RecordBounds
    statistics: QueryStatistics
    by_size: float
    """Part of the demand that rises with the numbers of words and of documents."""
    by_names: float
    """Part of the demand for names in the query that are on record nowhere."""

    @classmethod
    def of_query(cls, bounds: RecordBounds, statistics: QueryStatistics) -> Self:
        """Build the demand of a query, by the embedder's bounds."""
        by_terms = bounds.term * log1p(statistics.telling_terms)
        by_documents = bounds.document * log1p(min(statistics.documents, _MOST_DOCUMENTS))
        return cls(
            bounds,
            statistics,
            max(bounds.base + by_terms + by_documents, bounds.least),
            bounds.strange_names * statistics.strange_share,
        )

    def margin(self, signals: RelevanceSignals) -> float:
        """Return the excess of a turn's signals over the demand."""
        bounds = self.bounds
        if not self.statistics.has_vectors:
            return self._margin_by_words(signals)
        margin = signals.cosine + bounds.words * max(signals.context_coverage, signals.coverage)
        margin += bounds.linked * signals.graph
        margin += bounds.named_day * signals.is_of_named_day + bounds.reply * signals.is_reply
        margin -= self.by_size
        if signals.is_cross_language:  # another script spells names its own way, and has few words
            return margin + bounds.cross_language
        if signals.rare_words > 1:
            margin += bounds.meeting * (min(signals.rare_words, RARE_TOGETHER) - 1)
        return margin - self.by_names

    def _margin_by_words(self, signals: RelevanceSignals) -> float:
        if self.statistics.unknown_entity:
            return -self.bounds.strange_names
        if self.statistics.frequent_entity:
            return signals.context_coverage - self.bounds.words_alone_of_name
        return signals.coverage - self.bounds.words_alone

    def __str__(self) -> str:
        """Describe the demand in a line, for an explanation."""
        if not self.statistics.has_vectors:
            name = self.statistics.frequent_entity
            least = self.bounds.words_alone_of_name if name else self.bounds.words_alone
            return f"the best hit, words of at least: turn {least:g}"
        words, least = self.bounds.words, self.by_size + self.by_names
        return f"the best hit, cosine + {words:g} of its words of at least: turn {least:.2f}"


@dataclass(frozen=True, slots=True)
class TextThreshold:
    """Demand of a query on a memory, or on a turn among memories."""

    statistics: QueryStatistics
    bound: float
    """Least sum of coverage and cosine."""
    cross_language: float
    unknown_entity: float
    """Least cosine where nothing that the query names is on record."""

    @classmethod
    def of_query(cls, bounds: RelevanceBounds, statistics: QueryStatistics) -> Self:
        """Build the demand of a query, by the embedder's bounds."""
        bound = bounds.frequent_entity if statistics.frequent_entity else bounds.no_entity
        return cls(statistics, bound, bounds.cross_language, bounds.unknown_entity)

    def least(self) -> float:
        """Return the bound that applies to this query."""
        if self.statistics.unknown_entity:
            return self.unknown_entity
        return self.bound * (1 if self.statistics.has_vectors else _WORDS_ONLY_SHARE)

    def raise_by(self, cosine: float) -> Self:
        """Return this demand raised by a cosine, where vectors exist."""
        if not (cosine and self.statistics.has_vectors):
            return self
        return replace(
            self,
            bound=self.bound + cosine,
            cross_language=self.cross_language + cosine,
            unknown_entity=self.unknown_entity + cosine,
        )

    def margin(self, signals: RelevanceSignals) -> float:
        """Return the excess of a text's words and cosine over the bound."""
        if self.statistics.unknown_entity and not signals.is_cross_language:
            # Another script spells names its own way. What is linked is linked with somebody else.
            return signals.cosine - self.unknown_entity
        relief = 1 - _GRAPH_RELIEF * signals.graph
        bound = self.bound * relief
        if not self.statistics.has_vectors:
            return signals.coverage - bound * _WORDS_ONLY_SHARE
        if signals.is_cross_language:
            bound = min(self.cross_language * relief, bound)
        return signals.coverage + signals.cosine - bound


@dataclass(frozen=True, slots=True)
class MemoriesThreshold:
    """Demand of a query in a search of memories."""

    bounds: AnswerBounds
    memory: TextThreshold
    turn: TextThreshold
    record: RecordThreshold
    """Demand that a turn may exceed amply instead of passing `turn`."""

    @classmethod
    def of_query(cls, bounds: AnswerBounds, record: RecordThreshold) -> Self:
        """Build the demand of a query, by the embedder's bounds."""
        memory, turn = (
            TextThreshold.of_query(each, record.statistics) for each in (bounds.memory, bounds.turn)
        )
        alike = bounds.alike if record.statistics.names_asker else 0.0
        return cls(bounds, memory.raise_by(alike), turn, record)

    def margin(self, kind: DocumentKind, signals: RelevanceSignals) -> float:
        """Return the excess of a memory, or of a turn among memories, over the demand."""
        bounds = self.bounds
        if kind == "memory":
            margin = self.memory.margin(signals)
            is_doubtful = signals.is_by_rules and _shares_no_word(signals, self.record.statistics)
            least = bounds.wordless * (1 - _GRAPH_RELIEF * signals.graph)
            return min(margin, signals.cosine - least) if is_doubtful else margin
        margin = self.turn.margin(signals)
        if bounds.ample is None:
            return margin
        ample = bounds.ample + bounds.ample_cross_language * signals.is_cross_language
        return max(margin, self.record.margin(signals) - ample)


@dataclass(frozen=True, slots=True)
class RelevanceThreshold:
    """Threshold that a hit must pass for a query in a kind of search."""

    profile: SearchProfile
    demand: MemoriesThreshold | RecordThreshold
    """Demand on memories and turns among them, or on turns of the record."""
    statistics: QueryStatistics

    @classmethod
    def for_query(cls, plan: SearchPlan, statistics: QueryStatistics) -> Self:
        """Build the threshold of a search, by the embedder's calibration."""
        calibration = plan.calibration
        record = RecordThreshold.of_query(calibration.transcript, statistics)
        demand: MemoriesThreshold | RecordThreshold
        match plan.profile.bounds:
            case "memories":
                demand = MemoriesThreshold.of_query(calibration.memories, record)
            case "context":
                demand = MemoriesThreshold.of_query(calibration.context, record)
            case "transcript":
                demand = record
        return cls(plan.profile, demand, statistics)

    def margin(self, kind: DocumentKind, signals: RelevanceSignals) -> float:
        """Return the excess of a hit over the demand; below 0 the hit does not pass."""
        demand = self.demand
        if isinstance(demand, RecordThreshold):
            margin = demand.margin(signals)
        else:
            margin = demand.margin(kind, signals)
        if signals.rerank_score is not None:
            margin = self._correct_by_reranker(margin, signals, signals.rerank_score)
        return margin - self.profile.least_margin

    def _correct_by_reranker(self, margin: float, signals: RelevanceSignals, score: float) -> float:
        """Return the margin, corrected by the score of a reranker."""
        accepts = self.profile.rerank_accepts
        unknown = self.statistics.unknown_entity and not signals.is_cross_language
        if score >= accepts and not unknown:
            return max(margin, score - accepts)
        if score < _RERANK_REJECTS and signals.coverage < 1:
            return min(margin, score - _RERANK_REJECTS)
        return margin

    def __str__(self) -> str:
        """Describe the demand in a line, for an explanation."""
        if isinstance(self.demand, RecordThreshold):
            return str(self.demand)
        known = self.statistics
        if known.unknown_entity:
            about, measure = "unknown_entity", "cosine"
        else:
            about = "frequent_entity" if known.frequent_entity else "no_entity"
            measure = "words + cosine" if known.has_vectors else "words"
        kinds = [("memory", self.demand.memory), ("turn", self.demand.turn)]
        least = ", ".join(f"{kind} {one.least():g}" for kind, one in kinds)
        return f"each hit, {measure} of at least: {least} ({about.replace('_', ' ')})"


class TermWeights:
    """Weights of a query's terms, as shares of 1."""

    __slots__ = ("_items", "_total")

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._items = tuple(weights.items())
        self._total = sum(weights.values())

    def coverage(self, words: Set[str]) -> float:
        """Return the share of the terms that a text's tokens hold, weighted."""
        covered = sum([weight for term, weight in self._items if term in words])
        return covered / self._total if self._total else 0.0


def _shares_no_word(signals: RelevanceSignals, statistics: QueryStatistics) -> bool:
    """Return whether a text in the query's language shares no word with the query."""
    return not (signals.coverage or signals.is_cross_language) and statistics.has_vectors
