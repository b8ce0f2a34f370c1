"""Fuse: what the graph and the calendar know, joined to what text and meaning have found.

Text and meaning come joined already, in the context of their conversation (`evidence`). The graph
is one more independent witness (noisy-or, as there): alone it makes a weak hit, together with
words or meaning a surer one. This is the linear formula of the design, λ1·BM25 + λ2·vector +
λ3·graph, but for one thing: a source that is absent leaves the others' scores as they are, so that
every row of the degradation matrix is the same formula with a term less.
"""

from dataclasses import dataclass

from memoria.retrieval.candidates import Candidates
from memoria.retrieval.evidence.rank import Asked, rank
from memoria.retrieval.plan import Plan
from memoria.store.base import Transaction
from memoria.store.values import Frequencies

GRAPH_CEILING = 0.3
"""What the graph alone makes of its best document."""
_ALONE = 30
"""How many documents that only the graph has found are looked at."""


@dataclass(frozen=True, slots=True)
class Fused:
    """A document with what each source says for it, 0 to 1."""

    n: int
    score: float
    """Text and meaning in context, and the graph."""
    lexical: float = 0.0
    cosine: float = 0.0
    graph: float = 0.0
    context: float = 0.0
    """How much of the question's words stands in it and around it; a speaker's name is no word."""
    named: frozenset[str] = frozenset()
    """The names in the question of what it is linked with directly."""
    through: int | None = None
    """The document found that leads to it."""
    indexed: bool = True
    """Whether an index found it; else only the graph or the calendar knows of it."""
    words: str | None = None
    """Its tokens, where they were read."""


def fuse(
    tx: Transaction, plan: Plan, candidates: Candidates, frequencies: Frequencies, most: int
) -> list[Fused]:
    """The best candidates, `most` at most beside those only the graph knows, best first."""
    if plan.question.only_of_time:
        return [Fused(n, 1 / (1 + place), indexed=False)
                for place, n in enumerate(candidates.recent[:most])]  # fmt: skip
    walked = candidates.walked
    asked = Asked(plan.terms, plan.filters, frequencies, plan.question.when)
    found = rank(tx, asked, candidates, most, plan.way.stages)
    fused = [
        Fused(
            item.n,
            with_graph(item.score, walked.scores.get(item.n, 0.0)),
            item.lexical,
            item.cosine,
            walked.scores.get(item.n, 0.0),
            item.trust * item.lexical,
            walked.named.get(item.n, frozenset()),
            walked.through.get(item.n),
            words=item.indexed.words if item.indexed else None,
        )
        for item in found
    ]
    if not plan.filters.narrow:  # the graph knows no filters
        fused += _by_graph_alone(candidates, {item.n for item in found})
    return sorted(fused, key=lambda item: (-item.score, item.n))


def with_graph(score: float, graph: float) -> float:
    """The score with what the graph says for it."""
    return 1 - (1 - score) * (1 - GRAPH_CEILING * graph)


def _by_graph_alone(candidates: Candidates, known: set[int]) -> list[Fused]:
    walked = candidates.walked
    others = sorted(
        (n for n in walked.scores if n not in known), key=lambda n: (-walked.scores[n], n)
    )
    return [
        Fused(
            n,
            with_graph(0.0, walked.scores[n]),
            graph=walked.scores[n],
            named=walked.named.get(n, frozenset()),
            through=walked.through.get(n),
            cosine=candidates.cosine.get(n, 0.0),
            indexed=False,
        )
        for n in others[:_ALONE]
    ]
