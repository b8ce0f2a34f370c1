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

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.model import Role
from memoria.retrieval.query.aim import Aim
from memoria.retrieval.query.options import Stages
from memoria.retrieval.ranking.evidence.roles import role_prior
from memoria.retrieval.ranking.evidence.wishes import multiply_odds, wish_gain
from memoria.store.values import Remark
from memoria.text.budget import estimate_tokens
from memoria.text.dates import Interval

_OTHER_SPEAKER = 0.7
_QUESTION_PRIOR = 0.9
_FEW_WORDS = 3
_MEASURED_CHARS = 400
_OTHER_TIME = 0.8
_TOLD_WITHIN_MS = 3 * 24 * 60 * 60 * 1000
_WIDE_MARKS = "？؟"
_QUESTION = lazy_regex(r"\?(?=\s|$)")
"""It begins with one character, which is looked for at once; of several each place is tried."""
_STEPS = 3
"""In so many steps as many more are read as are wanted."""


ReadRemarks = Callable[[Sequence[int]], Mapping[int, Remark]]
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
    read: ReadRemarks,
    expected: ExpectedAnswer,
    most: int,
    stages: Stages,
    lift: Lift = keep_score,
) -> dict[int, float]:
    """The scores of the best with their priors.

    No prior is more than 1. So they are read from the best downwards, until those left can't
    come among the `most` best whatever they say. All are read where that is not known before: where
    a time is asked for, whether anything was said in it; where wishes count, who has one; and where
    the answer lies in several sessions.

    Args:
        scores: what they would have if all priors were the same, best first.
        read: gives those that are turns.
        expected: what is asked for.
        most: how many are wanted.
        stages: what to go by.
        lift: decides in the end who is among the best.
    """
    highest = {n: lift(n, score) for n, score in scores.items()}
    left = sorted(scores, key=lambda n: (-highest[n], n))
    final: dict[int, float] = {}
    reached: list[float] = []
    reads_all = expected.time or expected.aim in (Aim.COURSE, Aim.HELP)
    step = len(left) if reads_all else most
    while left and (len(final) < most or highest[left[0]] >= reached[most - 1]):
        ns, left = left[:step], left[step:]
        remarks = read(ns)
        priors = answer_priors(remarks, expected, stages)
        final |= {n: scores[n] * priors.get(n, 1.0) for n in ns}
        if stages.wishes and expected.aim is Aim.HELP:
            gains = {n: wish_gain(remark) for n, remark in remarks.items()}
            final |= {n: multiply_odds(final[n], gain) for n, gain in gains.items() if gain > 1}
        reached = sorted((lift(n, score) for n, score in final.items()), reverse=True)
        step = max(most // _STEPS, 1)
    return final


def answer_priors(
    remarks: Mapping[int, Remark], expected: ExpectedAnswer, stages: Stages
) -> dict[int, float]:
    """A factor for each turn.

    Args:
        remarks: what the turns are.
        expected: what is asked for.
        stages: what to go by.
    """
    in_time = _select_in_time(remarks, expected.time) if stages.time else remarks.keys()
    return {
        n: _speaker_prior(remark, expected)
        * (_QUESTION_PRIOR if stages.asking and _asks_another_person(remark) else 1.0)
        * (role_prior(remark, expected.aim) if stages.roles else 1.0)
        * (_length_prior(remark) if stages.length else 1.0)
        * (1.0 if n in in_time else _OTHER_TIME)
        for n, remark in remarks.items()
    }


def _speaker_prior(remark: Remark, expected: ExpectedAnswer) -> float:
    return _OTHER_SPEAKER if expected.speakers and remark.speaker not in expected.speakers else 1.0


def _asks_another_person(remark: Remark) -> bool:
    is_for_assistant = remark.role == Role.USER and not remark.speaker
    if is_for_assistant:
        return False
    said = remark.content
    return any(mark in said for mark in _WIDE_MARKS) or _QUESTION.search(said) is not None


def _length_prior(remark: Remark) -> float:
    if not remark.content:
        return 1.0  # a tool call: what it did is not counted in words
    words = estimate_tokens(remark.content[:_MEASURED_CHARS])
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
