"""Gate: silence over noise.

An index always finds something. What speaks for a hit is its fit: the share of the question's words
it holds, the rare ones counting more (`familiar`), plus its cosine. The first level is strict with
every hit; the second shows the record for what it is, and only keeps silent when none of its best
hits fits. What nobody asked for (the injection package) has to fit better than what was searched.

How much is enough depends on what is asked:

- About somebody whom much of the record is about, something is always found: two texts about the
  same person have a cosine of 0.35 to 0.45 for the name alone. So the bar is high. In the record
  the words around a turn count as well: on LoCoMo that is worth half of what silence costs.
- About nobody in particular, texts that have nothing to do with each other mostly stay below 0.28.
- Where question and text are in different languages they share no word; their cosine is the fit.
- Where nothing that is named is on record, only a near paraphrase is an answer.

A reranker (`rerank`) that was asked reads question and text together, so its word weighs more than
words and cosine: what it is sure of passes, what it finds beside the point does not. With two
exceptions, for it sees one text and not the record: it can't know that whom the question names
stands nowhere, so there its yes counts for nothing; and it may not know what a code or a name means
here, so its no counts for nothing against a text that holds every word that tells.

The bars of the record were calibrated on two of the shared LoCoMo conversations, on MemoryBank and
CMRC, between questions that can be answered there and questions about somebody else's conversation;
docs/benchmarks.md has the curve.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.store.values import DocumentKind


@dataclass(frozen=True, slots=True)
class RelevanceSignals:
    """What speaks for a hit, each 0 to 1."""

    coverage: float
    """Share of the question's words the text holds, weighed by how much each tells."""
    cosine: float
    graph: float = 0.0
    context_coverage: float = 0.0
    """Share of the question's words that stands in the text and around it."""
    is_cross_language: bool = False
    """Whether it is in another language than the question."""
    rerank_score: float | None = None
    """How well it answers, says a reranker that was asked."""


@dataclass(frozen=True, slots=True)
class RelevanceBounds:
    """How well a hit has to fit, by what is asked."""

    frequent_entity: float
    """About somebody whom much of the record is about."""
    no_entity: float
    cross_language: float
    """From another language: a cosine."""
    unknown_entity: float
    """About nobody on record: a cosine."""

    def margin(self, support: RelevanceSignals, statistics: QueryStatistics) -> float:
        """By how much a hit fits better than it has to."""
        linked = 1 - _GRAPH_RELIEF * support.graph
        if (
            statistics.unknown_entity and not support.is_cross_language
        ):  # another script spells names its own way
            return (
                support.cosine - self.unknown_entity
            )  # what is linked is linked with somebody else
        bar = (self.frequent_entity if statistics.frequent_entity else self.no_entity) * linked
        if not statistics.has_vectors:
            return support.coverage - bar * _WORDS_ONLY_SHARE
        if support.is_cross_language:
            bar = min(self.cross_language * linked, bar)
        return support.coverage + support.cosine - bar


@dataclass(frozen=True, slots=True)
class ThresholdPolicy:
    """The bars of one kind of answer."""

    memory: RelevanceBounds
    turn: RelevanceBounds
    applies_to_each: bool
    """Whether every hit has to pass, or the best of them for all."""
    counts_context: bool = False
    """Whether the words around a hit count, where somebody well known is asked about."""
    rerank_accepts: float = 0.5
    """A reranker's score that lets a hit pass whatever its words."""

    def for_query(self, statistics: QueryStatistics) -> "RelevanceThreshold":
        """The gate as a question meets it."""
        return RelevanceThreshold(self, statistics)


@dataclass(frozen=True, slots=True)
class RelevanceThreshold:
    """A gate and what is known of the question before it."""

    policy: ThresholdPolicy
    statistics: QueryStatistics

    def margin(self, kind: DocumentKind, support: RelevanceSignals) -> float:
        """By how much a hit fits better than it has to; one below 0 is turned away."""
        bar = self.policy.memory if kind == "memory" else self.policy.turn
        around = self.policy.counts_context and self.statistics.frequent_entity
        heard = replace(support, coverage=support.context_coverage) if around else support
        margin = bar.margin(heard, self.statistics)
        return (
            margin if support.rerank_score is None else self._correct_by_reranker(margin, support)
        )

    def _correct_by_reranker(self, margin: float, support: RelevanceSignals) -> float:
        """The margin, where a reranker knows better."""
        score = support.rerank_score or 0.0
        strange = self.statistics.unknown_entity and not support.is_cross_language
        if score >= self.policy.rerank_accepts and not strange:
            return max(margin, score - self.policy.rerank_accepts)
        if score < _RERANK_REJECTS and support.coverage < 1:
            return min(margin, score - _RERANK_REJECTS)
        return margin

    def __str__(self) -> str:
        """In a line, for a trace."""
        asked = self.statistics
        field = (
            "unknown_entity"
            if asked.unknown_entity
            else "frequent_entity"
            if asked.frequent_entity
            else "no_entity"
        )
        measure = (
            "cosine" if asked.unknown_entity else "words + cosine" if asked.has_vectors else "words"
        )
        least = 1.0 if asked.has_vectors or asked.unknown_entity else _WORDS_ONLY_SHARE
        bars = (("memory", self.policy.memory), ("turn", self.policy.turn))
        shown = bars if self.policy.applies_to_each else bars[1:]
        told = ", ".join(f"{kind} {least * getattr(bar, field):g}" for kind, bar in shown)
        whom = "each" if self.policy.applies_to_each else "the best"
        return f"{whom} hit, {measure} of at least: {told} ({field})"


_GRAPH_RELIEF = 0.3
"""By how much the graph's best document may fall short of its bar."""
_WORDS_ONLY_SHARE = 0.5
"""The share of the bar that words must reach where there is no cosine to add to them."""
_RERANK_REJECTS = 0.1
"""A reranker's score that turns a hit away, unless it holds every word that tells."""
TRANSCRIPT_THRESHOLDS = ThresholdPolicy(
    memory=RelevanceBounds(
        frequent_entity=0.66, no_entity=0.28, cross_language=0.25, unknown_entity=0.60
    ),
    turn=RelevanceBounds(
        frequent_entity=0.66, no_entity=0.28, cross_language=0.25, unknown_entity=0.60
    ),
    applies_to_each=False,
    counts_context=True,
)
"""The verbatim record."""
MEMORY_THRESHOLDS = ThresholdPolicy(
    memory=RelevanceBounds(
        frequent_entity=0.42, no_entity=0.22, cross_language=0.22, unknown_entity=0.50
    ),
    turn=RelevanceBounds(
        frequent_entity=0.66, no_entity=0.45, cross_language=0.35, unknown_entity=0.60
    ),
    applies_to_each=True,
)
"""Conclusions that were asked for. A memory is one sentence; a turn says more than one thing and
shares a name or a topic with much, so its bar is higher."""
CONTEXT_THRESHOLDS = ThresholdPolicy(
    memory=RelevanceBounds(
        frequent_entity=0.65, no_entity=0.42, cross_language=0.32, unknown_entity=0.60
    ),
    turn=RelevanceBounds(
        frequent_entity=0.80, no_entity=0.60, cross_language=0.45, unknown_entity=0.70
    ),
    applies_to_each=True,
    rerank_accepts=0.8,
)
"""Conclusions that nobody asked for."""


def term_coverage(weights: Mapping[str, float], words: Set[str]) -> float:
    """The share of a question's terms among a text's tokens, each by its weight."""
    total = sum(weights.values())
    held = [weight for term, weight in weights.items() if term in words]
    return sum(held) / total if total else 0.0
