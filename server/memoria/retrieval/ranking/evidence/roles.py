"""Roles: the side whose words a question wants, in a record of a user and an assistant.

Such a record is searched for what the user has said, is and wants. The assistant's answers hold
every word of the question at length and are seldom what is asked for, unless the question says so.
Where turns have speakers, people talk to each other, and neither side's words are worth more.
"""

import numpy as np

from memoria.language.asking.aim import Aim
from memoria.retrieval.ranking.evidence.words import Floats
from memoria.store.turn_metadata import TurnMetadataColumns

_ASSISTANT = 0.7
"""Factor of an assistant's turn where its words are not asked for. On BEAM's ten chats it moves
recall@10 from .39 to .53; with 0.6 and 0.8 it is within a point."""
_USER_WHERE_REPLY = 0.8
"""Factor of a user's turn in questions for the assistant's words: .58 to .67 on those."""


def role_priors(remarks: TurnMetadataColumns, aim: Aim) -> Floats:
    """Return the factors of turns by their roles: 1 where a speaker is named."""
    if aim is Aim.SUMMARY:
        return np.ones(len(remarks.ats))
    is_other, prior = (
        (remarks.is_user, _USER_WHERE_REPLY)
        if aim is Aim.REPLY
        else (remarks.is_assistant, _ASSISTANT)
    )
    return np.where(is_other & (remarks.speakers == 0), prior, 1.0)
