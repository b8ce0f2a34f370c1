"""Rerank: what a model that reads question and text together says of the best hits. Optional.

Its word and ours are averaged. It knows what the words mean together; we know what it is not shown:
what was said around a text, who is meant, when, and what the graph has. Which of the two is right
more often depends on the model, and none could be measured here (none comes in a wheel), so they
count the same. What it was not asked about is taken to answer no better than the worst it was asked
about: otherwise whatever is out of its sight would overtake what it has seen and thought little of.

It is asked while no snapshot is open, because a network keeps its own time. So the hits are judged
twice: once to know what to ask about, and anew, as the home is by then, for the answer. Scores go
by the words they were given for. What was forgotten meanwhile is not there to be shown, and what
was said meanwhile has no score of another's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memoria.errors import RerankerError
from memoria.inference.rerank.base import Reranker, scores_of
from memoria.model import PartReport, StoredTurn
from memoria.retrieval.excerpt import excerpt
from memoria.retrieval.judge import Judged
from memoria.retrieval.plan import Plan
from memoria.retrieval.weigh import product

ASKED_ABOUT = 20
"""How many of the best hits the reranker is asked about."""
_CHARS = 1000
"""How much of each it is shown: of a long one, the part that answers."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the reranker said, and what became of asking it."""

    scores: Mapping[str, float] = field(default_factory=dict)
    """By the words that it was shown."""
    reports: tuple[PartReport, ...] = ()


NO_OPINION = Opinion()
"""There is no reranker."""
SWITCHED_OFF = Opinion(reports=(PartReport(part="rerank", state="off", why="switched off"),))


def passages(plan: Plan, judged: Sequence[Judged]) -> tuple[str, ...]:
    """What the reranker is to be shown: of the best hits, the words that answer."""
    if plan.question.only_of_time or not plan.terms:
        return ()
    shown = (_passage(plan, each) for each in judged[:ASKED_ABOUT])
    return tuple(dict.fromkeys(text for text in shown if text.strip()))


def ask(reranker: Reranker, query: str, texts: Sequence[str]) -> Opinion:
    """What the reranker says of these texts; that it says nothing is no reason to fail."""
    if not texts:
        why = "there is nothing to put in order"
        return Opinion(reports=(PartReport(part="rerank", state="idle", why=why),))
    try:
        scores = scores_of(reranker, query, texts)
    except RerankerError as error:
        return Opinion(reports=(PartReport(part="rerank", state="missing", why=str(error)),))
    used = PartReport(part="rerank", state="used", found=len(texts))
    return Opinion(dict(zip(texts, scores, strict=True)), (used,))


def reranked(plan: Plan, judged: Sequence[Judged], opinion: Opinion) -> list[Judged]:
    """The hits by our word and the reranker's, best first."""
    if not opinion.scores:
        return list(judged)
    worst = min(opinion.scores.values())
    scored = (_scored(each, opinion.scores.get(_passage(plan, each)), worst) for each in judged)
    return sorted(scored, key=lambda each: -each.score)


def _scored(each: Judged, score: float | None, otherwise: float) -> Judged:
    relevance = (each.relevance + (otherwise if score is None else score)) / 2
    return replace(
        each,
        support=replace(each.support, reranked=score),
        relevance=relevance,
        score=relevance * product(each.factors),
    )


def _passage(plan: Plan, each: Judged) -> str:
    """Who said it, for "I" says nothing to a stranger, and the part that answers."""
    document, text = each.document, each.text
    start, end = excerpt(text, plan.terms, _CHARS)
    speaker = document.speaker if isinstance(document, StoredTurn) else None
    return f"{speaker}: {text[start:end]}" if speaker else text[start:end]
