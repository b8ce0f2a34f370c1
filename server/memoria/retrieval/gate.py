"""Gate: silence over noise.

An index always finds something. A hit passes when it has the question's words or its meaning:
enough of the distinct terms, or a cosine that unrelated texts don't reach; what the graph links
with a name in the question needs less of either. The first level is strict with every hit. The
second level shows the record for what it is and only keeps silent when its best hits have neither.
What nobody asked for (the injection package) has to fit better than what was searched for.

With the bundled model unrelated sentences mostly lie below 0.2, a question and its answer from
0.22 to 0.6, whichever languages they are in. A memory is one sentence, so that is its bar. A turn
says more than one thing and shares a name or a topic with much, so its bar is higher.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from memoria.store.values import Kind


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for a hit, each 0 to 1."""

    coverage: float
    """Share of the question's terms the text holds."""
    cosine: float
    graph: float = 0.0


@dataclass(frozen=True, slots=True)
class Bar:
    """What one hit needs: enough of any."""

    coverage: float
    cosine: float

    def passed_by(self, support: Support) -> bool:
        """Whether a hit has enough."""
        linked = 1 - _GRAPH_RELIEF * support.graph
        return support.coverage >= self.coverage * linked or support.cosine >= self.cosine * linked


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

    def __str__(self) -> str:
        """In a line, for a trace."""
        whom = "each hit" if self.each else "the best hit"
        return f"{whom}: " + ", ".join(
            f"{kind} coverage ≥ {bar.coverage:g} or cosine ≥ {bar.cosine:g}"
            for kind, bar in (("memory", self.memory), ("turn", self.turn))
            if self.each or kind == "turn"
        )


_GRAPH_RELIEF = 0.3
"""By how much the graph's best document may fall short of its bar."""
ANSWER = Gate(Bar(0.5, 0.22), Bar(0.5, 0.40), each=True)
"""Conclusions that were asked for."""
RECORD = Gate(Bar(0.25, 0.25), Bar(0.25, 0.25), each=False)
"""The verbatim record."""
UNASKED = Gate(Bar(0.6, 0.32), Bar(0.7, 0.50), each=True)
"""Conclusions that nobody asked for."""


def coverage(terms: Sequence[str], words: Set[str]) -> float:
    """The share of a question's terms among a text's tokens.

    A CJK run is searched as characters and pairs; here only the pairs count, because single
    characters are found everywhere.
    """
    telling = [term for term in terms if term.isascii() or len(term) > 1] or list(terms)
    return sum(term in words for term in telling) / len(telling) if telling else 0.0
