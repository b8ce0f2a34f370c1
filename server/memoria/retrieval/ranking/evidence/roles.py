"""Roles: whose words a question asks for where a record is of a user and an assistant.

Such a record is searched for what the user has said, is and wants: the assistant's answers repeat
every word of the question at length and are seldom what is asked for. Unless the question says so:
"what did you suggest" wants the answer given then. "What would you suggest" wants a new one, which
rests on what the user has said.

Where turns have speakers, people talk to each other, and neither side's words are worth more.
"""

from memoria.bare.lazy_regex import lazy_regex
from memoria.model import Role
from memoria.store.values import Remark

_ANSWER = 0.7
"""An assistant's turn where nobody asks for one. BEAM, ten chats: recall@10 .39 -> .57."""
_ASKED_FOR_REPLY = 0.8
"""A user's turn where the question asks for the assistant's. BEAM: .58 -> .67 of what was given."""
_REPLY = lazy_regex(
    r"(?i)\b(?:did|have|had|were|was) you\b(?! (?:know|hear|see))"
    r"|\byou(?:['’](?:ve|d)| have| had)? (?:also |then |first |previously |earlier |just )?"
    r"(?:said|suggested|recommended|told|explained|gave|given|mentioned|provided|advised|listed"
    r"|outlined|described|proposed|showed|shown|helped|offered|wrote|written|walked|came up)\b"
    r"|\byour (?:suggestions?|recommendations?|advice|explanations?|answers?|responses?|reply"
    r"|replies|proposals?)\b"
    r"|你(?:[都给向为帮跟对我是还]*)"
    r"(?:建议|推荐|解释|说明|提到|介绍|列出|列举|描述|回答|提供|告诉|说|写|讲|教|给)[了过的]"
    r"|你(?:之前|上次|当时|那时|曾经?|先前|刚才|已经?)"
    r"|你(?:给我)?的(?:建议|推荐|解释|回答|答复|说明|方案)"
)


def asks_for_reply(question: str) -> bool:
    """Whether a question asks for what the assistant said or gave."""
    return _REPLY.search(question) is not None


def role_prior(remark: Remark, *, asks_for_reply: bool) -> float:
    """What a turn's role makes of it: 1 where a speaker is named."""
    if remark.speaker:
        return 1.0
    match remark.role:
        case Role.ASSISTANT:
            return 1.0 if asks_for_reply else _ANSWER
        case Role.USER:
            return _ASKED_FOR_REPLY if asks_for_reply else 1.0
        case _:
            return 1.0
