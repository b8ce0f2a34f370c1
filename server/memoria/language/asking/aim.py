"""Aim: the kind of answer a question wants, and what a text by itself asks or wishes.

On the record of a user and an assistant the aim decides whose turns answer. Most questions want
what the user has said. "What did you suggest?" wants what the assistant gave, and a summary both
sides. "How should I write it?" wants a new answer, to which the user's standing wishes belong,
though they share hardly a word with the request. What went on "over time" or "across our talks", or
how often, is told in several sessions.
"""

from enum import Enum, auto
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.budget import estimate_tokens
from memoria.language.lazy import SmallPattern, has_any, small_letters


class Aim(Enum):
    """Kinds of answer that a question may want."""

    FACT = auto()
    """Statement of what somebody has said, is or has; whatever is none of the others."""
    REPLY = auto()
    """Words or work of the assistant."""
    SUMMARY = auto()
    """Words of both sides about something."""
    COURSE = auto()
    """Words of several sessions: an order of events, a development, a count."""
    HELP = auto()
    """A new answer or piece of work."""


_REPLY = SmallPattern(
    r"\b(?:did|have|had|were|was) you\b(?! (?:know|hear|see))"
    r"|\byou(?:['’](?:ve|d)| have| had)? (?:also |then |first |previously |earlier |just )?"
    r"(?:said|suggested|recommended|told|explained|gave|given|mentioned|provided|advised|listed"
    r"|outlined|described|proposed|showed|shown|helped|offered|wrote|written|walked|came up)\b"
    r"|\byour (?:suggestions?|recommendations?|advice|explanations?|answers?|responses?|reply"
    r"|replies|proposals?)\b"
    r"|\b(?:the|an?|what|which|how did) (?:assistant|ai|chatbot)\b"
    r"|你(?:[都给向为帮跟对我是还]*)"
    r"(?:建议|推荐|解释|说明|提到|介绍|列出|列举|描述|回答|提供|告诉|说|写|讲|教|给)[了过的]"
    r"|你(?:之前|上次|当时|那时|曾经?|先前|刚才|已经?)"
    r"|你(?:给我)?的(?:建议|推荐|解释|回答|答复|说明|方案)|助手"
)
_SUMMARY = SmallPattern(r"\b(?:summar(?:y|i[sz]e)|overview|recap)\b|总结|概括|概述|回顾|梳理")
_COURSE = SmallPattern(
    r"\border (?:in which|of)\b|\bin order\b(?! to)|\b(?:across|throughout) (?:all )?(?:of )?"
    r"(?:our|my|these|the) \w+|\bover time\b|\bhow many (?:different|total|times)\b"
    r"|\bin (?:total|all)\b|\baltogether\b|\b(?:evolved?|developed|progressed|changed over)\b"
    r"|\b(?:considering|given) my [^?]*,"
    r"|先后|顺序|依次|历次|几次|多少次|发展过程|变化过程|这段时间以?来"
)
_HELP = SmallPattern(
    r"\b(?:can|could|would|will) you (?:please )?"
    r"(?!please|tell|remind|list|find|look|recall|remember|check)"
    r"|\bhow (?:should|can|could|do|would) (?:i|we|one|you)\b"
    r"|\b(?:what|which)\b[^?]{0,80}\b(?:should (?:i|we)|would you|do you)\b|\bdo you think\b"
    r"|\bany (?:advice|tips|suggestions|ideas)\b|\bsome (?:good|common)\b|\bhelp me\b"
    r"|\b(?:different|best|good) ways? (?:to|of)\b"
    r"|\bi['’]m (?:planning|about to|working|looking|applying|updating|trying)\b"
    r"|帮我|请(?:你)?(?:写|做|给|列|推荐|解释)|(?:怎么|如何|怎样)(?:才能|去|写|做|办|安排|处理|设计|实现|选|学)"
    r"|应该(?:怎么|如何|怎样)|(?:什么|哪些)(?:好)?(?:办法|方法)|有(?:什么|哪些)建议|推荐(?:一|几|些)|你(?:觉得|认为)"
)
_BY_AIM = (
    (Aim.REPLY, _REPLY), (Aim.SUMMARY, _SUMMARY), (Aim.COURSE, _COURSE), (Aim.HELP, _HELP),
)  # fmt: skip
_OF_TALKS = r"(?:conversation|chat|discussion|session|question|request|message|talk)s?"
_REQUEST = lazy_regex(
    r"(?i)\b(?:can|could|would|will) you (?:please )?"
    r"(?:list|walk me through|give me|provide|summari[sz]e|tell me|show me)\b"
    r"|\b(?:an? |the )?(?:comprehensive |complete |clear |detailed |brief |short |full )?"
    r"(?:summary|overview|recap) of\b"
    r"|\b(?:the )?order in which\b|,? ?\bin order\b|\bI (?:first )?(?:brought up|talked about)\b"
    r"|\bdifferent (?:aspects|concepts|ways|things|parts|topics) (?:of|related to)\b"
    rf"|,? ?\b(?:across|throughout|over) (?:all )?(?:of )?(?:our|my|the) {_OF_TALKS}\b"
    r"|\b(?:mention|list|name)(?: (?:only|and))+ \w+ items?\b|\bover time\b|\bso far\b"
    r"|\bhow (?:my|I)\b|\bha(?:s|ve) (?:developed|progressed|evolved)\b"
    r"|\bwe['’]ve (?:covered|discussed)\b"
    r"|(?:请|帮我|给我)*(?:总结|概括|概述|回顾|梳理)(?:一下)?|按(?:时间)?顺序|依次|先后|我们(?:聊|谈|讨论)过的?"
)


def find_aim(question: str) -> Aim:
    """Return the aim of a question; of several aims, the one that tells best whose turns answer."""
    return next((aim for aim, pattern in _BY_AIM if pattern.search(question)), Aim.FACT)


def find_subject(question: str, aim: Aim) -> str:
    """Remove from a question the words that ask for a summary or a course of events.

    "Walk me through the order in which I brought up …" is long, and what follows may be one word.
    """
    if aim not in (Aim.SUMMARY, Aim.COURSE):
        return question
    return _REQUEST.sub(" ", question)


NO_WISH = 0
PREFERENCE = 1
STANDING_WISH = 2
_MEASURED_CHARS = 400
_WIDE_MARKS = "？؟"
_QUESTION = lazy_regex(r"\?(?=\s|$)")
"""Begins with one character, which is looked for at once; of several each place is tried."""
_STANDING_SIGNS = (
    *("always", "never", "from now on", "going forward", "future", "whenever", "y time", "h time"),
    *("以后", "今后", "从现在", "往后", "每次", "每当", "永远", "一律", "务必", "总是要", "再"),
)
_STANDING_WISH = SmallPattern(
    r"(?:^|[.!?\n][^\S\n]*+|[,;] (?:and |but |so )?)(?:please,? |also,? |and )?"
    r"(?:always|never|from now on|going forward|in (?:the )?future|whenever|every time|each time)\b"
    r"|(?:以后|今后|从现在(?:起|开始)|往后|每次|每当|永远|一律|务必|总是要|(?:别|不要)再)"
)
_PREFERENCE_SIGNS = ("prefer", "喜欢", "偏好", "倾向", "习惯")
_PREFERENCE_STATED = SmallPattern(
    r"\bi(?:['’]d| would)? (?:\w+ly |always |much )?prefer\b|\bmy preference\b"
    r"|我(?:更|比较|一向|还是)?(?:喜欢|偏好|倾向|习惯)"
)
"""Tried, like the pattern above, where a text has one of its signs, as few texts do."""


class Saying(NamedTuple):
    """Signals that a text gives."""

    words: int
    """Number of tokens, roughly, of a long text only of its beginning; 0 for an empty one."""
    asks: bool
    """True if it asks something."""


def read_saying(text: str) -> Saying:
    """Return the signals of a text: its length, and whether it asks."""
    asks = has_any(text, _WIDE_MARKS) or _QUESTION.search(text) is not None
    return Saying(estimate_tokens(text[:_MEASURED_CHARS]), asks)


def find_wish(text: str) -> int:
    """Return the author's wish for later answers: `STANDING_WISH`, `PREFERENCE` or `NO_WISH`."""
    small = small_letters(text)
    if has_any(small, _STANDING_SIGNS) and _STANDING_WISH.search(text):
        return STANDING_WISH
    prefers = has_any(small, _PREFERENCE_SIGNS) and _PREFERENCE_STATED.search(text)
    return PREFERENCE if prefers else NO_WISH
