"""Asking a ranker every question, and what comes of it in figures."""

import time
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from bench.data import Key, Question
from bench.metrics import (
    all_found_at,
    any_hit_at,
    mean,
    ndcg_at,
    percentile,
    recall_at,
    reciprocal_rank,
)

LIMIT = 20
"""Turns asked for with every question."""
DEPTHS = (1, 5, 10, 20)
NDCG_DEPTH = 10

_Pair = tuple[Sequence[Key], frozenset[Key]]
_Measure = Callable[[int, Sequence[Key], frozenset[Key]], float]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a ranker gives back."""

    ranking: tuple[Key, ...]
    """Best first, `LIMIT` at most."""
    tokens: int
    """Estimated tokens a model would read."""
    pairs: frozenset[frozenset[Key]] = frozenset()
    """Turns that the answer calls two states of one thing, or irreconcilable."""


class Ranker(Protocol):
    """Whatever can rank the turns of one conversation."""

    async def rank(self, question: str) -> Answer:
        """The turns that answer the question, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question asked."""

    question: Question
    answer: Answer
    took_ms: float

    @property
    def ranking(self) -> tuple[Key, ...]:
        """What was found, best first, in the terms of the question's gold."""
        return self.question.credited(self.answer.ranking)


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over questions, each 0 to 1: over all for silence, else over those with gold."""

    questions: int
    answerable: int
    """Those with gold."""
    silent: float
    """The share that got no hit at all."""
    recall: dict[int, float]
    any_hit: dict[int, float]
    all_evidence: dict[int, float]
    """These three are by depth."""
    mrr: float
    ndcg_at_10: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What an answer costs: time of one search, mean tokens and turns of its answer."""

    p50_ms: float
    p95_ms: float
    tokens: float
    hits: float


@dataclass(frozen=True, slots=True)
class Figures:
    """All there is to say about one ranker."""

    quality: dict[str, Quality]
    """By slice."""
    cost: Cost


async def ask(
    ranker: Ranker, questions: Iterable[Question], done: Callable[[], None]
) -> list[Outcome]:
    """Ask one question after the other; `done` is called after each."""
    outcomes = []
    for question in questions:
        started = time.perf_counter()
        answer = await ranker.rank(question.text)
        outcomes.append(Outcome(question, answer, (time.perf_counter() - started) * 1000))
        done()
    return outcomes


def figures(outcomes: Sequence[Outcome], slices: Mapping[str, Collection[Hashable]]) -> Figures:
    """The outcomes in figures, by slice: a slice has some of the questions' categories."""
    sliced = {
        name: _quality([o for o in outcomes if o.question.category in categories])
        for name, categories in slices.items()
    }
    return Figures(sliced, _cost(outcomes))


def _quality(outcomes: Sequence[Outcome]) -> Quality:
    pairs = [(o.ranking, o.question.gold) for o in outcomes if o.question.gold]
    return Quality(
        questions=len(outcomes),
        answerable=len(pairs),
        silent=mean([not o.answer.ranking for o in outcomes]),
        recall=_by_depth(recall_at, pairs),
        any_hit=_by_depth(any_hit_at, pairs),
        all_evidence=_by_depth(all_found_at, pairs),
        mrr=mean([reciprocal_rank(ranking, gold) for ranking, gold in pairs]),
        ndcg_at_10=mean([ndcg_at(NDCG_DEPTH, ranking, gold) for ranking, gold in pairs]),
    )


def _by_depth(measure: _Measure, pairs: Sequence[_Pair]) -> dict[int, float]:
    return {k: mean([measure(k, ranking, gold) for ranking, gold in pairs]) for k in DEPTHS}


def _cost(outcomes: Sequence[Outcome]) -> Cost:
    took = [o.took_ms for o in outcomes]
    return Cost(
        p50_ms=percentile(50, took),
        p95_ms=percentile(95, took),
        tokens=mean([o.answer.tokens for o in outcomes]),
        hits=mean([len(o.answer.ranking) for o in outcomes]),
    )
