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

from memoria.retrieval.familiar import Familiarity
from memoria.store.values import Kind


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for a hit, each 0 to 1."""

    coverage: float
    """Share of the question's words the text holds, weighed by how much each tells."""
    cosine: float
    graph: float = 0.0
    context: float = 0.0
    """Share of the question's words that stands in the text and around it."""
    across: bool = False
    """Whether it is in another language than the question."""
    reranked: float | None = None
    """How well it answers, says a reranker that was asked."""


@dataclass(frozen=True, slots=True)
class Bar:
    """How well a hit has to fit, by what is asked."""

    named: float
    """About somebody whom much of the record is about."""
    unnamed: float
    across: float
    """From another language: a cosine."""
    strange: float
    """About nobody on record: a cosine."""

    def margin(self, support: Support, asked: Familiarity) -> float:
        """By how much a hit fits better than it has to."""
        linked = 1 - _GRAPH_RELIEF * support.graph
        if asked.strange and not support.across:  # another script spells names its own way
            return support.cosine - self.strange  # what is linked is linked with somebody else
        bar = (self.named if asked.named else self.unnamed) * linked
        if not asked.vectors:
            return support.coverage - bar * _WORDS_ALONE
        if support.across:
            bar = min(self.across * linked, bar)
        return support.coverage + support.cosine - bar


@dataclass(frozen=True, slots=True)
class Gate:
    """The bars of one kind of answer."""

    memory: Bar
    turn: Bar
    each: bool
    """Whether every hit has to pass, or the best of them for all."""
    in_context: bool = False
    """Whether the words around a hit count, where somebody well known is asked about."""
    sure: float = 0.5
    """A reranker's score that lets a hit pass whatever its words."""

    def before(self, asked: Familiarity) -> "Threshold":
        """The gate as a question meets it."""
        return Threshold(self, asked)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A gate and what is known of the question before it."""

    gate: Gate
    asked: Familiarity

    def margin(self, kind: Kind, support: Support) -> float:
        """By how much a hit fits better than it has to; one below 0 is turned away."""
        bar = self.gate.memory if kind == "memory" else self.gate.turn
        around = self.gate.in_context and self.asked.named
        heard = replace(support, coverage=support.context) if around else support
        margin = bar.margin(heard, self.asked)
        return margin if support.reranked is None else self._corrected(margin, support)

    def _corrected(self, margin: float, support: Support) -> float:
        """The margin, where a reranker knows better."""
        score = support.reranked or 0.0
        strange = self.asked.strange and not support.across
        if score >= self.gate.sure and not strange:
            return max(margin, score - self.gate.sure)
        if score < _BESIDE_THE_POINT and support.coverage < 1:
            return min(margin, score - _BESIDE_THE_POINT)
        return margin

    def __str__(self) -> str:
        """In a line, for a trace."""
        asked = self.asked
        name = "strange" if asked.strange else "named" if asked.named else "unnamed"
        measure = "cosine" if asked.strange else "words + cosine" if asked.vectors else "words"
        least = 1.0 if asked.vectors or asked.strange else _WORDS_ALONE
        bars = (("memory", self.gate.memory), ("turn", self.gate.turn))
        shown = bars if self.gate.each else bars[1:]
        told = ", ".join(f"{kind} {least * getattr(bar, name):g}" for kind, bar in shown)
        whom = "each" if self.gate.each else "the best"
        return f"{whom} hit, {measure} of at least: {told} ({name})"


_GRAPH_RELIEF = 0.3
"""By how much the graph's best document may fall short of its bar."""
_WORDS_ALONE = 0.5
"""The share of the bar that words must reach where there is no cosine to add to them."""
_BESIDE_THE_POINT = 0.1
"""A reranker's score that turns a hit away, unless it holds every word that tells."""
RECORD = Gate(
    memory=Bar(named=0.66, unnamed=0.28, across=0.25, strange=0.60),
    turn=Bar(named=0.66, unnamed=0.28, across=0.25, strange=0.60),
    each=False,
    in_context=True,
)
"""The verbatim record."""
ANSWER = Gate(
    memory=Bar(named=0.42, unnamed=0.22, across=0.22, strange=0.50),
    turn=Bar(named=0.66, unnamed=0.45, across=0.35, strange=0.60),
    each=True,
)
"""Conclusions that were asked for. A memory is one sentence; a turn says more than one thing and
shares a name or a topic with much, so its bar is higher."""
UNASKED = Gate(
    memory=Bar(named=0.65, unnamed=0.42, across=0.32, strange=0.60),
    turn=Bar(named=0.80, unnamed=0.60, across=0.45, strange=0.70),
    each=True,
    sure=0.8,
)
"""Conclusions that nobody asked for."""


def coverage(weights: Mapping[str, float], words: Set[str]) -> float:
    """The share of a question's terms among a text's tokens, each by its weight."""
    total = sum(weights.values())
    held = [weight for term, weight in weights.items() if term in words]
    return sum(held) / total if total else 0.0
