"""What became of the questions: by kind and language, with and without memory, and the cost."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Final, get_args

from bench.evaluate.ask import Asked, Way
from bench.evaluate.cases import FROM_MEMORY, Kind, Verdict, holds_any
from bench.metrics import mean
from bench.output import Cell, Sheet
from memoria.policy.repeats import find_share

_KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
_VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
_PARTS: Final = ("en", "zh", "both")
_BARE = ("right without", "wrong without")
_ANSWERED: Final = ("questions", "in", *_BARE, *_VERDICTS, "of", "share", "low", "high", "shown")
_COUNTED: Final = ("answers", "in", "count", "of", "share", "low", "high")
_SPENT: Final = ("memory", "in", "questions", "tokens", "most", "ms", "most ms", "no valid answer")

Count = tuple[int, int]
"""How many, of how many."""
Effect = Callable[[Sequence[Asked]], Count]
Describe = Callable[[Sequence[Asked]], Sequence[Cell]]
"""Gives the cells of a row."""


def list_sheets(asked: Sequence[Asked]) -> Iterator[Sheet]:
    """Yield the tables of a report, each with a row for either language and one for both."""
    answers: dict[str, Describe] = {
        **{kind: partial(_describe_answers, way="with", kinds=(kind,)) for kind in _KINDS},
        "all": partial(_describe_answers, way="with", kinds=_KINDS),
        "harm, planted": partial(_describe_answers, way="planted", kinds=("harm",)),
    }
    effects = {name: partial(_describe_effect, count=count) for name, count in EFFECTS.items()}
    costs = {way: partial(_describe_cost, way=way) for way in get_args(Way)}
    for title, headings, rows in (
        ("Answers without memory and with it", _ANSWERED, answers),
        ("What memory does to answers", _COUNTED, effects),
        ("What a question costs", _SPENT, costs),
    ):
        parts = {name: [one for one in asked if name in (one.lang, "both")] for name in _PARTS}
        cells = [
            (name, part, *describe(some))
            for name, describe in rows.items()
            for part, some in parts.items()
            if some
        ]
        yield Sheet(title, headings, cells, words=2)


def list_answers(asked: Sequence[Asked]) -> Iterator[str]:
    """Yield each question with what its answer counts as, the answer, and what is accepted."""
    for one in asked:
        about, reply = one.question, one.reply.answer or "–"
        yield f"{about.id} {about.kind}, {one.way}: {one.verdict}: {about.question}"
        yield f"    {reply}  ({' / '.join(about.answers[:3])})"


def count_consistent(asked: Sequence[Asked]) -> Count:
    """Count questions that are asked at two times and rightly answered at both."""
    pairs: dict[str, list[bool]] = defaultdict(list)
    for one in _select(asked, "with", ("temporal",)):
        pairs[one.question.question].append(one.verdict == "right")
    return sum(map(all, pairs.values())), len(pairs)


def count_outdated(asked: Sequence[Asked]) -> Count:
    """Count answers to questions of what has changed that give a former value alone."""
    told = _select(asked, "with", ("update",))
    former = [one for one in told if holds_any(one.reply.answer or "", one.question.stale)]
    return sum(one.verdict == "wrong" for one in former), len(told)


def count_invented(asked: Sequence[Asked]) -> Count:
    """Count answers to what was never said."""
    told = _select(asked, "with", ("unanswerable",))
    return sum(one.verdict == "wrong" for one in told), len(told)


def count_misled(asked: Sequence[Asked]) -> Count:
    """Count answers that are wrong with a false memory and were not before it was planted."""
    before = {one.question.id: one.verdict for one in _select(asked, "with", ("harm",))}
    after = _select(asked, "planted", ("harm",))
    return sum(one.verdict == "wrong" != before[one.question.id] for one in after), len(after)


def count_spoilt(asked: Sequence[Asked]) -> Count:
    """Count answers that need no memory, were right without it, and are not with it."""
    told = {one.question.id: one.verdict for one in _select(asked, "with", ("general",))}
    bare = [one for one in _select(asked, "without", ("general",)) if one.verdict == "right"]
    return sum(told[one.question.id] != "right" for one in bare), len(bare)


def count_cited(asked: Sequence[Asked]) -> Count:
    """Count answers from memory that cite a line in which an accepted string stands."""
    given = [one for one in _select(asked, "with", FROM_MEMORY) if one.reply.answer is not None]
    return sum(one.is_cited for one in given), len(given)


EFFECTS: Final[dict[str, Effect]] = {
    "right at both times": count_consistent,
    "the former value": count_outdated,
    "invented": count_invented,
    "turned wrong by a false memory": count_misled,
    "general knowledge spoilt": count_spoilt,
    "citing a line that has the answer": count_cited,
}


def _select(asked: Sequence[Asked], way: Way, kinds: Collection[str]) -> list[Asked]:
    return [one for one in asked if one.way == way and one.question.kind in kinds]


def _describe_answers(asked: Sequence[Asked], way: Way, kinds: Collection[str]) -> Sequence[Cell]:
    bare = [one.verdict for one in _select(asked, "without", kinds)]
    told = _select(asked, way, kinds)
    counts = [sum(one.verdict == verdict for one in told) for verdict in _VERDICTS]
    share = _describe_share((counts[0], len(told)))[1:]
    shown = sum(one.is_shown for one in told)
    return (bare.count("right"), bare.count("wrong"), *counts, *share, shown)


def _describe_effect(asked: Sequence[Asked], count: Effect) -> Sequence[Cell]:
    return _describe_share(count(asked))


def _describe_share(count: Count) -> Sequence[Cell]:
    share = find_share(*count) if count[1] else None
    return (*count, *((share.value, share.low, share.high) if share else (None, None, None)))


def _describe_cost(asked: Sequence[Asked], way: Way) -> Sequence[Cell]:
    chosen = _select(asked, way, _KINDS)
    tokens = [one.reply.tokens for one in chosen]
    took = [round(1000 * one.seconds) for one in chosen]
    means = (round(mean(tokens)), max(tokens, default=0), round(mean(took)), max(took, default=0))
    return (len(chosen), *means, sum(one.reply.is_unfit for one in chosen))
