"""What is shown of a set beside its figures: differences to the floor, sides, halves."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence

from bench.ask import Outcome
from bench.data import Conversation
from bench.metrics import bootstrap_interval, mean, recall_at
from bench.output import Cell, Sheet
from bench.sides import (
    are_both_marked,
    are_both_shown,
    has_two_sides,
    is_newer_above,
    is_newer_first,
)

Asked = Mapping[str, Sequence[Outcome]]
"""By system."""
Slices = Mapping[str, Collection[Hashable]]

_DEPTH = 10


def compare_systems(
    conversations: Sequence[Conversation],
    asked: Asked,
    *,
    slices: Slices,
    ours: str = "memoria",
    beside: str = "fts5",
) -> Iterator[Sheet]:
    """Recall@10 of one beside another's, with the interval of the paired differences."""
    del conversations
    rows = []
    for name, categories in slices.items():
        own, other = (
            [_recall(each) for each in asked[system] if _is_scored(each, categories)]
            for system in (ours, beside)
        )
        if own:
            differences = [a - b for a, b in zip(own, other, strict=True)]
            low, high = bootstrap_interval(differences)
            verdict = "below" if high < 0 else "above" if low > 0 else ""
            cells = (mean(own), mean(other), mean(differences), low, high)
            rows.append((name, verdict, len(own), *cells))
    headings = ("questions", "significantly", "n", ours, beside, "difference", "from", "to")
    title = f"R@10 beside {beside}; 95 % of 4,000 paired bootstrap samples"
    yield Sheet(title, headings, rows, 2)


def tell_sides(conversations: Sequence[Conversation], asked: Asked) -> Iterator[Sheet]:
    """What comes of updates, contradictions and questions without an answer; hits in an answer."""
    del conversations
    headings = ("what is asked for", "n", *asked)
    rows: list[tuple[Cell, ...]] = []
    for name, kind, judge in (
        ("knowledge update: newer above older", "knowledge_update", is_newer_above),
        ("knowledge update: newer at first place", "knowledge_update", is_newer_first),
        ("contradiction: both among ten", "contradiction_resolution", are_both_shown),
        ("contradiction: both among ten and marked", "contradiction_resolution", are_both_marked),
        ("abstention: silence", "abstention", _is_silent),
        ("answerable: no silence", None, lambda each: not _is_silent(each)),
        ("answerable: ten hits or more", None, _has_ten),
    ):
        rows.append((name, *_share_of(asked, kind, judge)))
    yield Sheet("Updates, contradictions, silence", headings, rows)


def compare_halves(
    conversations: Sequence[Conversation], asked: Asked, *, slices: Slices
) -> Iterator[Sheet]:
    """Recall@10 by halves: what is chosen on one is reported on the other."""
    is_odd = [n % 2 == 0 for n, each in enumerate(conversations) for _ in each.questions]
    rows: list[tuple[Cell, ...]] = []
    for name, categories in slices.items():
        for half, wanted in (("1st, 3rd…", True), ("2nd, 4th…", False)):
            scores = [
                [
                    _recall(each)
                    for each, is_in_odd in zip(outcomes, is_odd, strict=True)
                    if is_in_odd is wanted and _is_scored(each, categories)
                ]
                for outcomes in asked.values()
            ]
            if scores[0]:
                rows.append((name, half, len(scores[0]), *map(mean, scores)))
    headings = ("questions", "conversations", "n", *asked)
    yield Sheet("R@10 by halves of the conversations", headings, rows, 2)


def _share_of(asked: Asked, kind: str | None, judge: Callable[[Outcome], bool]) -> Iterator[Cell]:
    """Of how many questions, and by system for which share of them it is so."""
    chosen = {
        system: [each for each in outcomes if _is_of(each, kind)]
        for system, outcomes in asked.items()
    }
    yield len(next(iter(chosen.values())))
    yield from (mean([float(judge(each)) for each in outcomes]) for outcomes in chosen.values())


def _is_of(outcome: Outcome, kind: str | None) -> bool:
    question = outcome.question
    if kind is None:
        return bool(question.gold)
    return question.category == kind and (not question.gold or has_two_sides(outcome))


def _is_scored(outcome: Outcome, categories: Collection[Hashable]) -> bool:
    return bool(outcome.question.gold) and outcome.question.category in categories


def _recall(outcome: Outcome) -> float:
    return recall_at(_DEPTH, outcome.ranking, outcome.question.gold)


def _is_silent(outcome: Outcome) -> bool:
    return not outcome.answer.ranking


def _has_ten(outcome: Outcome) -> bool:
    return len(outcome.answer.ranking) >= _DEPTH
