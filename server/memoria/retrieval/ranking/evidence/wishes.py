"""Wishes: a user's standing instructions and preferences for every answer to come.

"Always name the version when I speak of a library" was said long ago and shares hardly a word with
the request that it is for. So where something new is asked for, a turn that states a standing wish
has better odds than its words and its meaning alone give it. It has to bear on the request all the
same: odds are multiplied, so what is far away stays far.
"""

import numpy as np
from numpy.typing import NDArray

from memoria.language.reading.saying import NO_WISH, PREFERENCE, STANDING_WISH
from memoria.retrieval.ranking.evidence.words import Bits, Floats
from memoria.store.turn_metadata import TurnMetadataColumns

_STANDING = 3.0
_PREFERENCE = 1.5
"""Factors of the odds for a wish. BEAM's ten chats: recall@10 of instructions .30 to .60, of
preferences .88 to .93; what other questions find does not change, for theirs are as they were."""
_GAINS = np.ones(3)
_GAINS[[NO_WISH, PREFERENCE, STANDING_WISH]] = 1.0, _PREFERENCE, _STANDING


def may_wish(remarks: TurnMetadataColumns) -> Bits:
    """Mark the turns of one who has wishes: the user of an assistant."""
    own: Bits = remarks.is_user & (remarks.speakers == 0)
    return own


def add_wishes(scores: Floats, wishes: NDArray[np.int16]) -> Floats:
    """Raise the scores of users' turns by what they wish."""
    return np.where(wishes > NO_WISH, _multiply_odds(scores, _GAINS[wishes]), scores)


def highest_with_wish(scores: Floats) -> Floats:
    """Return the most that scores of users' turns can be, whatever wishes they state."""
    return _multiply_odds(scores, _STANDING)


def _multiply_odds(scores: Floats, gains: Floats | float) -> Floats:
    """Multiply the odds of scores, which are 0 to 1."""
    return gains * scores / (1 - scores + gains * scores)
