"""Worth: what a turn is worth as an answer, beside how well it matches.

Each is a factor of at most 1 with a reason of its own, and 1 where there is nothing to go by:

- who said it: where a question names one who speaks, what the others say counts for less;
- what it does: a question is matched by the same question, but the answer is what is wanted;
- how much it says: "wow, thanks" answers nothing, whatever it stands beside (the document length
  prior of W. Kraaij, T. Westerveld, D. Hiemstra, "The importance of prior probabilities for entry
  page search", 2002, with an end: beyond a dozen words longer is not better);
- when it was said: where a question names a time, what was said outside it counts for less. What
  happens is told soon after, so the time has three days more. A time in which nothing that was
  found was said is no help, and none is taken from it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoria.retrieval.stages import Stages
from memoria.store.values import Remark
from memoria.text.budget import estimate_tokens
from memoria.text.dates import Interval

_ANOTHER = 0.7
_ASKS = 0.9
_FEW_WORDS = 3
_MEASURED_CHARS = 400
_ANOTHER_TIME = 0.8
_TOLD_WITHIN_MS = 3 * 24 * 60 * 60 * 1000
_QUESTION = re.compile(r"\?(?=\s|$)|[？؟]")


Read = Callable[[Sequence[int]], Mapping[int, Remark]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question says of the turn that answers it."""

    speakers: Collection[str]
    """Those it names; empty where it names none."""
    time: Interval | None


def weighed_best(
    scores: Mapping[int, float], read: Read, wanted: Wanted, most: int, stages: Stages
) -> dict[int, float]:
    """The scores of the best by what they are worth.

    Nothing is worth more than 1. So they are read from the best downwards, until those left can't
    come among the `most` best whatever they say; all, where a time is asked for: whether anything
    was said in it shows only then.

    Args:
        scores: what they would have if all were worth the same, best first.
        read: gives those that are turns.
        wanted: what is asked for.
        most: how many are wanted.
        stages: what to go by.
    """
    left, final = list(scores), dict[int, float]()
    step = len(left) if wanted.time else 2 * most
    while left and (len(final) < most or scores[left[0]] >= _nth(final.values(), most)):
        ns, left = left[:step], left[step:]
        worths = worth(read(ns), wanted, stages)
        final |= {n: scores[n] * worths.get(n, 1.0) for n in ns}
    return final


def _nth(scores: Iterable[float], n: int) -> float:
    return sorted(scores, reverse=True)[n - 1]


def worth(remarks: Mapping[int, Remark], wanted: Wanted, stages: Stages) -> dict[int, float]:
    """A factor for each turn.

    Args:
        remarks: what the turns are.
        wanted: what is asked for.
        stages: what to go by.
    """
    in_time = _in_time(remarks, wanted.time) if stages.time else remarks.keys()
    return {
        n: _by_speaker(remark, wanted)
        * (_ASKS if stages.asking and _asks(remark) else 1.0)
        * (_by_length(remark) if stages.length else 1.0)
        * (1.0 if n in in_time else _ANOTHER_TIME)
        for n, remark in remarks.items()
    }


def _by_speaker(remark: Remark, wanted: Wanted) -> float:
    return _ANOTHER if wanted.speakers and remark.speaker not in wanted.speakers else 1.0


def _asks(remark: Remark) -> bool:
    return _QUESTION.search(remark.content) is not None


def _by_length(remark: Remark) -> float:
    if not remark.content:
        return 1.0  # a tool call: what it did is not counted in words
    words = estimate_tokens(remark.content[:_MEASURED_CHARS])
    return words / (words + _FEW_WORDS)


def _in_time(remarks: Mapping[int, Remark], time: Interval | None) -> Collection[int]:
    """Those said in a time; all where there is none, or nothing was said in it."""
    if time is None:
        return remarks.keys()
    said = {n for n, remark in remarks.items() if _told_of(remark.at, time)}
    return said or remarks.keys()


def _told_of(at: int, time: Interval) -> bool:
    begun = time.from_ms is None or at >= time.from_ms
    return begun and (time.until_ms is None or at < time.until_ms + _TOLD_WITHIN_MS)
