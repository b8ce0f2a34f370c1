"""Priors: how likely a turn is to be an answer, whatever words it shares with the query.

Each is a factor of at most 1 with a reason of its own, and 1 where there is nothing to go by:

- who said it: where a query names one who speaks, what the others say counts for less;
- whose it is: between a user and an assistant a question wants one side's words (`roles`);
- what it does: a question is matched by the same question, but the answer is what is wanted. What
  a user asks an assistant tells of the user, so it counts in full;
- how much it says: "wow, thanks" answers nothing, whatever it stands beside (the document length
  prior of W. Kraaij, T. Westerveld, D. Hiemstra, "The importance of prior probabilities for entry
  page search", 2002, with an end: beyond a dozen words longer is not better);
- when it was said: where a query names a time, what was said outside it counts for less. What
  happens is mentioned soon after, so the time has three days more. A time in which nothing that was
  found was said is no help, and none is taken from it.
"""

import heapq
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Self

from memoria.bare.lazy_regex import lazy_regex
from memoria.model import Role
from memoria.retrieval.query.aim import Aim
from memoria.retrieval.query.options import Stages
from memoria.retrieval.ranking.evidence.roles import role_prior
from memoria.retrieval.ranking.evidence.wishes import (
    highest_with_wish,
    may_wish,
    multiply_odds,
    wish_gain,
)
from memoria.store.remark import Remark
from memoria.text.budget import estimate_tokens
from memoria.text.dates import Interval
from memoria.text.pattern import has_any

_OTHER_SPEAKER = 0.7
_QUESTION_PRIOR = 0.9
_FEW_WORDS = 3
_MEASURED_CHARS = 400
_OTHER_TIME = 0.8
_TOLD_WITHIN_MS = 3 * 24 * 60 * 60 * 1000
_WIDE_MARKS = "？؟"
_QUESTION = lazy_regex(r"\?(?=\s|$)")
"""It begins with one character, which is looked for at once; of several each place is tried."""


_KnownPriors = tuple[float, float, float]
"""By speaker, by role and by time."""
_NONE: _KnownPriors = (1.0, 1.0, 1.0)
Lift = Callable[[int, float], float]
"""What a document's score becomes by what else is known of it; never less for a higher score."""


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """What a query says of the turn that answers it."""

    speakers: Collection[str]
    """Those it names; empty where it names none."""
    time: Interval | None
    aim: Aim = Aim.FACT


def keep_score(_n: int, score: float) -> float:
    """The score itself, where nothing else is known."""
    return score


def rank_with_priors(
    scores: Mapping[int, float],
    remarks: Mapping[int, Remark],
    expected: ExpectedAnswer,
    most: int,
    stages: Stages,
    lift: Lift = keep_score,
) -> dict[int, float]:
    """The scores of the best with their priors.

    No prior is more than 1. So what was said is read from the best downwards, until those left
    can't come among the `most` best whatever they say. All are read where the
    answer lies in several sessions.

    Args:
        scores: what they would have if all priors were the same.
        remarks: those that are turns.
        expected: what is asked for.
        most: how many are wanted.
        stages: what to go by.
        lift: decides in the end who is among the best.
    """
    priors = Priors.among(remarks, expected, stages)
    known = {n: priors.find_known(n) for n in scores}
    reads_all = expected.aim is Aim.COURSE
    highest = {
        n: math.inf if reads_all else lift(n, priors.find_most(n, score, known[n]))
        for n, score in scores.items()
    }
    final: dict[int, float] = {}
    reached: list[float] = []
    for n in sorted(highest, key=lambda n: (-highest[n], n)):
        if len(reached) >= most and highest[n] < reached[0]:
            break
        final[n] = priors.apply(n, scores[n], known[n])
        heapq.heappush(reached, lift(n, final[n]))
        if len(reached) > most:
            heapq.heappop(reached)
    return final


@dataclass(frozen=True, slots=True)
class Priors:
    """The priors of what was found."""

    remarks: Mapping[int, Remark]
    """Those that are turns; whatever else was found has no priors."""
    expected: ExpectedAnswer
    stages: Stages
    in_time: Collection[int]
    """Those that time takes nothing from."""

    @classmethod
    def among(cls, remarks: Mapping[int, Remark], expected: ExpectedAnswer, stages: Stages) -> Self:
        """The priors of turns that were found together."""
        in_time = _select_in_time(remarks, expected.time) if stages.time else remarks.keys()
        return cls(remarks, expected, stages, in_time)

    def find_known(self, n: int) -> _KnownPriors:
        """What is known without what was said."""
        remark, expected = self.remarks.get(n), self.expected
        if remark is None:
            return _NONE
        is_another = expected.speakers and remark.speaker not in expected.speakers
        return (
            _OTHER_SPEAKER if is_another else 1.0,
            role_prior(remark, expected.aim) if self.stages.roles else 1.0,
            1.0 if n in self.in_time else _OTHER_TIME,
        )

    def find_most(self, n: int, score: float, known: _KnownPriors) -> float:
        """What a document's score is at most, whatever was said."""
        most = score * math.prod(known)
        return highest_with_wish(most) if self._counts_wishes(self.remarks.get(n)) else most

    def apply(self, n: int, score: float, known: _KnownPriors) -> float:
        """A document's score with its priors, those that are known and those of what was said."""
        remark = self.remarks.get(n)
        if remark is None:
            return score
        said = remark.content
        by_speaker, by_role, by_time = known
        asks = self.stages.asking and _asks_another_person(remark, said)
        by_deed = _QUESTION_PRIOR if asks else 1.0
        by_length = _length_prior(said) if self.stages.length else 1.0
        score *= by_speaker * by_deed * by_role * by_length * by_time
        gain = wish_gain(said) if self._counts_wishes(remark) else 1.0
        return multiply_odds(score, gain) if gain > 1 else score

    def _counts_wishes(self, remark: Remark | None) -> bool:
        if self.expected.aim is not Aim.HELP or not self.stages.wishes or remark is None:
            return False
        return may_wish(remark)


def _asks_another_person(remark: Remark, said: str) -> bool:
    is_for_assistant = remark.role == Role.USER and not remark.speaker
    if is_for_assistant:
        return False
    return has_any(said, _WIDE_MARKS) or _QUESTION.search(said) is not None


def _length_prior(said: str) -> float:
    if not said:
        return 1.0  # a tool call: what it did is not counted in words
    words = estimate_tokens(said[:_MEASURED_CHARS])
    return words / (words + _FEW_WORDS)


def _select_in_time(remarks: Mapping[int, Remark], time: Interval | None) -> Collection[int]:
    """Those said in a time; all where there is none, or nothing was said in it."""
    if time is None:
        return remarks.keys()
    in_time = {n for n, remark in remarks.items() if _falls_in(remark.at, time)}
    return in_time or remarks.keys()


def _falls_in(at: int, time: Interval) -> bool:
    has_begun = time.from_ms is None or at >= time.from_ms
    return has_begun and (time.until_ms is None or at < time.until_ms + _TOLD_WITHIN_MS)
