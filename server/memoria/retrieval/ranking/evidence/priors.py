"""Priors: the odds of a turn to be an answer, whatever words it shares with the query.

Each is a factor of at most 1 with a reason of its own, and 1 where there is nothing to go by:

- who said it: "What did Caroline research?" wants what Caroline said, while her name stands mostly
  in what others say to her. So a speaker's name is taken out of the words searched for, and what
  the others say counts for less;
- whose it is: a record of a user and an assistant is searched for what the user has said, is and
  wants. The assistant's answers hold every word of the question at length and are seldom what is
  asked for, unless the question says so. Where turns have speakers, neither side counts for more;
- what it does: a question is matched by the same question, but the answer is what is wanted. What
  a user asks an assistant tells of the user, so it counts in full;
- how much it says: "wow, thanks" answers nothing, whatever it stands beside (the document length
  prior of W. Kraaij, T. Westerveld, D. Hiemstra, "The importance of prior probabilities for entry
  page search", 2002, with an end: beyond a dozen words longer is not better);
- when it was said: where a query names a time, what was said outside it counts for less. What
  happens is mentioned soon after, so the time has three days more. A time in which nothing that was
  found was said is no help, and none is taken from it.

A wish is the exception: "Always name the version when I speak of a library" was said long ago and
shares hardly a word with the request that it is for. So where something new is asked for, the odds
of a turn that states a standing wish are raised. What is far away stays far.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from memoria.language.asking.aim import NO_WISH, PREFERENCE, STANDING_WISH, Aim
from memoria.language.dates import Interval
from memoria.language.words.analyser import tokens
from memoria.retrieval.query.options import Stages
from memoria.retrieval.ranking.evidence.columns import Bits, Floats, Integers, rank_rows
from memoria.store.features import UNHEARD, TextFeatureColumns, TurnMetadataColumns


def find_named_speakers(
    terms: Sequence[str], speakers: Iterable[str | None]
) -> dict[str, frozenset[str]]:
    """Map the speakers that a query names to the tokens of their first names.

    The result is empty where all who speak are named, or the query is nothing but a name.
    """
    present = sorted({speaker for speaker in speakers if speaker})
    asked = frozenset(terms)
    found = {one: name for one in present if (name := _first_name(one)) and name <= asked}
    others = asked.difference(*found.values())
    return found if others and len(found) < len(present) else {}


def _first_name(speaker: str) -> frozenset[str]:
    words = speaker.split()
    return frozenset(tokens(words[0])) if words else frozenset()


_ASSISTANT = 0.7
"""Factor of an assistant's turn where the assistant's words are not asked for."""
_USER_WHERE_REPLY = 0.8
"""Factor of a user's turn where the assistant's words are asked for."""


def role_priors(remarks: TurnMetadataColumns, aim: Aim) -> Floats:
    """Return the factors of turns by their roles; 1 for turns with a speaker's name."""
    if aim is Aim.SUMMARY:
        return np.ones(len(remarks.ats))
    is_other, prior = (
        (remarks.is_user, _USER_WHERE_REPLY)
        if aim is Aim.REPLY
        else (remarks.is_assistant, _ASSISTANT)
    )
    return np.where(is_other & (remarks.speakers == 0), prior, 1.0)


_STANDING = 3.0
_PREFERENCE = 1.5
"""Factor of the odds of a turn that states a preference; `_STANDING` is that of an instruction."""
_GAINS = np.ones(3)
_GAINS[[NO_WISH, PREFERENCE, STANDING_WISH]] = 1.0, _PREFERENCE, _STANDING


def may_wish(remarks: TurnMetadataColumns) -> Bits:
    """Mark the turns of the user of an assistant, whose wishes count."""
    own: Bits = remarks.is_user & (remarks.speakers == 0)
    return own


def add_wishes(scores: Floats, wishes: NDArray[np.int16]) -> Floats:
    """Raise the scores of turns that state a wish."""
    return np.where(wishes > NO_WISH, _multiply_odds(scores, _GAINS[wishes]), scores)


def highest_with_wish(scores: Floats) -> Floats:
    """Return the highest scores that turns could have if they stated a wish."""
    return _multiply_odds(scores, _STANDING)


def _multiply_odds(scores: Floats, gains: Floats | float) -> Floats:
    """Multiply the odds of scores, which are 0 to 1."""
    return gains * scores / (1 - scores + gains * scores)


_OTHER_SPEAKER = 0.7
_QUESTION_PRIOR = 0.9
_FEW_WORDS = 3
_OTHER_TIME = 0.8
_TOLD_WITHIN_MS = 3 * 24 * 60 * 60 * 1000
Hear = Callable[[Integers, bool], TextFeatureColumns]
"""Function that reads what was said in some rows, and on demand whether that states a wish."""
Lift = Callable[[Floats], Floats]
"""Function that raises scores by the graph, and keeps their order where nothing is known."""


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """Description of the turn that would answer a query."""

    speakers: Collection[str]
    """Speakers that the query names; empty for none."""
    time: Interval | None
    aim: Aim = Aim.FACT


class FinalScores(NamedTuple):
    """Scores with the priors applied."""

    values: Floats
    may_be_best: Bits
    """Marks of documents that may be among the best; only their scores are exact."""


def keep_scores(scores: Floats) -> Floats:
    """Return scores unchanged: the default `Lift`."""
    return scores


def rank_with_priors(
    scores: Floats,
    remarks: TurnMetadataColumns,
    hear: Hear,
    expected: ExpectedAnswer,
    most: int,
    stages: Stages,
    lift: Lift = keep_scores,
) -> FinalScores:
    """Apply the priors to scores, exactly for all documents that may come among the best.

    No prior is more than 1, but for wishes, whose greatest factor is known. So turns are read by
    their highest possible scores, until no unread turn can come among the `most` best. All turns
    are read where the answer lies in several sessions.

    Args:
        scores: the documents' scores without priors.
        remarks: what is known of the documents that are turns.
        hear: reads what was said.
        expected: the turn that would answer.
        most: the number of documents that are wanted.
        stages: switches of the priors.
        lift: raises the scores by which the best are chosen.
    """
    most = len(scores) if expected.aim is Aim.COURSE else most
    priors = Priors.among(remarks, expected, stages)
    highest, said = priors.find_most(scores), remarks.said
    while True:
        is_heard = (said.words != UNHEARD) & ~(priors.wishes & (said.wishes == UNHEARD))
        values = np.where(is_heard, priors.apply(scores, said), highest)
        lifted = lift(values)
        may_be_best = lifted >= _find_least(lifted[is_heard], most)
        (unheard,) = (may_be_best & ~is_heard).nonzero()
        if not len(unheard):
            return FinalScores(values, may_be_best)
        next_best = unheard[rank_rows(lifted[unheard], most)]
        said = said.with_rows(next_best, hear(next_best, bool(priors.wishes.any())))


def _find_least(reached: Floats, most: int) -> float:
    """Return the `most`-th highest of the scores; minus infinity if there are fewer."""
    return float(np.sort(reached)[-most]) if 0 < most <= len(reached) else -np.inf


@dataclass(frozen=True, slots=True)
class Priors:
    """Priors of found documents: factors of turns, and 1 for a memory."""

    is_of_assistants_user: Bits
    by_speaker: Floats
    by_role: Floats
    by_time: Floats
    wishes: Bits
    """Marks of turns whose wishes count."""
    stages: Stages

    @classmethod
    def among(cls, remarks: TurnMetadataColumns, expected: ExpectedAnswer, stages: Stages) -> Self:
        """Build the priors of turns that are known before the turns are read."""
        is_another = _are_of_others(remarks, expected.speakers)
        is_late = _are_outside(remarks, expected.time if stages.time else None)
        own = may_wish(remarks)
        return cls(
            own,
            np.where(is_another, _OTHER_SPEAKER, 1.0),
            role_priors(remarks, expected.aim) if stages.roles else np.ones(len(own)),
            np.where(is_late, _OTHER_TIME, 1.0),
            own & (stages.wishes and expected.aim is Aim.HELP),
            stages,
        )

    def find_most(self, scores: Floats) -> Floats:
        """Return the highest scores that documents can have, whatever they say."""
        most = scores * (self.by_speaker * self.by_role * self.by_time)
        return np.where(self.wishes, highest_with_wish(most), most)

    def apply(self, scores: Floats, said: TextFeatureColumns) -> Floats:
        """Apply all priors to scores, also those by what was said."""
        asks = said.asks & ~self.is_of_assistants_user & self.stages.asking
        by_deed = np.where(asks, _QUESTION_PRIOR, 1.0)
        by_length = _length_priors(said) if self.stages.length else 1.0
        scores = scores * (self.by_speaker * by_deed * self.by_role * by_length * self.by_time)
        return np.where(self.wishes, add_wishes(scores, said.wishes), scores)


def _are_of_others(remarks: TurnMetadataColumns, speakers: Collection[str]) -> Bits:
    """Mark the turns that are not of the named speakers; no turn if nobody is named."""
    if not speakers:
        return np.zeros_like(remarks.is_turn)
    is_other = np.array([name not in speakers for name in remarks.names])
    others: Bits = remarks.is_turn & is_other[remarks.speakers]
    return others


def _length_priors(said: TextFeatureColumns) -> Floats:
    words = said.words.astype(np.float64)
    # A tool call has none: what it did is not counted in words.
    return np.where(words > 0, words / (words + _FEW_WORDS), 1.0)


def _are_outside(remarks: TurnMetadataColumns, time: Interval | None) -> Bits:
    """Mark the turns outside the period asked for; no turn if none was said inside."""
    none = np.zeros_like(remarks.is_turn)
    if time is None:
        return none
    has_begun = none | (time.from_ms is None or remarks.ats >= time.from_ms)
    is_told = time.until_ms is None or remarks.ats < time.until_ms + _TOLD_WITHIN_MS
    is_inside = has_begun & is_told & remarks.is_turn
    return remarks.is_turn & ~is_inside if is_inside.any() else none
