"""Gate: silence over noise.

An index always finds something. What speaks for a hit is its fit: the share of the question's words
it holds, the rare ones counting more (`familiar`), plus its cosine. The first level is strict with
every hit; the second shows the record for what it is, and only keeps silent when none of its best
hits fits. What nobody asked for (the injection package) has to fit better than what was searched.

How much is enough depends on what is asked:

- About somebody whom much of the record is about, something is always found: two texts about the
  same person have a cosine of 0.35 to 0.45 for the name alone. So the bar is high.
- About nobody in particular, texts that have nothing to do with each other mostly stay below 0.28.
- Where question and text are in different languages they share no word; their cosine is the fit.
- Where nothing that is named is on record, only a near paraphrase is an answer.

The bars of the record were calibrated on two of the shared LoCoMo conversations, on MemoryBank and
CMRC, between questions that can be answered there and questions about somebody else's conversation;
docs/benchmarks.md has the curve.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass

from memoria.retrieval.familiar import Familiarity
from memoria.store.values import Kind


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for a hit, each 0 to 1."""

    coverage: float
    """Share of the question's words the text holds, weighed by how much each tells."""
    cosine: float
    graph: float = 0.0
    across: bool = False
    """Whether it is in another language than the question."""


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

    def passed_by(self, support: Support, asked: Familiarity) -> bool:
        """Whether a hit fits well enough."""
        linked = 1 - _GRAPH_RELIEF * support.graph
        if asked.strange and not support.across:  # another script spells names its own way
            return support.cosine >= self.strange * linked
        bar = (self.named if asked.named else self.unnamed) * linked
        if not asked.vectors:
            return support.coverage >= bar * _WORDS_ALONE
        if support.across:
            return support.coverage + support.cosine >= min(self.across, bar) * linked
        return support.coverage + support.cosine >= bar


@dataclass(frozen=True, slots=True)
class Gate:
    """The bars of one kind of answer."""

    memory: Bar
    turn: Bar
    each: bool
    """Whether every hit has to pass, or the best of them for all."""

    def bar(self, kind: Kind) -> Bar:
        """The bar of a kind of hit."""
        return self.memory if kind == "memory" else self.turn

    def described(self, asked: Familiarity) -> str:
        """In a line, for a trace."""
        name = "strange" if asked.strange else "named" if asked.named else "unnamed"
        measure = "cosine" if asked.strange else "words + cosine" if asked.vectors else "words"
        least = 1.0 if asked.vectors or asked.strange else _WORDS_ALONE
        bars = (("memory", self.memory), ("turn", self.turn))
        shown = bars if self.each else bars[1:]
        told = ", ".join(f"{kind} {least * getattr(bar, name):g}" for kind, bar in shown)
        return f"{'each' if self.each else 'the best'} hit, {measure} of at least: {told} ({name})"


_GRAPH_RELIEF = 0.3
"""By how much the graph's best document may fall short of its bar."""
_WORDS_ALONE = 0.5
"""The share of the bar that words must reach where there is no cosine to add to them."""
RECORD = Gate(
    memory=Bar(named=0.68, unnamed=0.28, across=0.25, strange=0.60),
    turn=Bar(named=0.68, unnamed=0.28, across=0.25, strange=0.60),
    each=False,
)
"""The verbatim record."""
ANSWER = Gate(
    memory=Bar(named=0.50, unnamed=0.22, across=0.22, strange=0.50),
    turn=Bar(named=0.66, unnamed=0.45, across=0.35, strange=0.60),
    each=True,
)
"""Conclusions that were asked for. A memory is one sentence; a turn says more than one thing and
shares a name or a topic with much, so its bar is higher."""
UNASKED = Gate(
    memory=Bar(named=0.65, unnamed=0.42, across=0.32, strange=0.60),
    turn=Bar(named=0.80, unnamed=0.60, across=0.45, strange=0.70),
    each=True,
)
"""Conclusions that nobody asked for."""


def coverage(weights: Mapping[str, float], words: Set[str]) -> float:
    """The share of a question's terms among a text's tokens, each by its weight."""
    total = sum(weights.values())
    held = [weight for term, weight in weights.items() if term in words]
    return sum(held) / total if total else 0.0
