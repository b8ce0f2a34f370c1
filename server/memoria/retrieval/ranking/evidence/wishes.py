"""Wishes: what a user wants of every answer to come, and what they prefer.

"Always name the version when I speak of a library" was said long ago and shares hardly a word with
the request that it is for. So where something new is asked for, a turn that states a standing wish
has better odds than its words and its meaning alone give it. It has to bear on the request all the
same: odds are multiplied, so what is far away stays far.
"""

from memoria.model import Role
from memoria.store.remark import Remark
from memoria.text.pattern import SmallPattern, has_any, small_letters

_STANDING = 3.0
_PREFERENCE = 1.5
"""What a wish does to the odds. BEAM's ten chats: recall@10 of instructions .30 to .60, of
preferences .88 to .93; what other questions find does not change, for theirs are as they were."""
_STANDING_SIGNS = (
    *("always", "never", "from now on", "going forward", "future", "whenever", "y time", "h time"),
    *("以后", "今后", "从现在", "往后", "每次", "每当", "永远", "一律", "务必", "总是要", "再"),
)
_STANDING_WISH = SmallPattern(
    r"(?:^|[.!?\n]\s*|[,;] (?:and |but |so )?)(?:please,? |also,? |and )?"
    r"(?:always|never|from now on|going forward|in (?:the )?future|whenever|every time|each time)\b"
    r"|(?:以后|今后|从现在(?:起|开始)|往后|每次|每当|永远|一律|务必|总是要|(?:别|不要)再)"
)
_PREFERENCE_SIGNS = ("prefer", "喜欢", "偏好", "倾向", "习惯")
_PREFERENCE_STATED = SmallPattern(
    r"\bi(?:['’]d| would)? (?:\w+ly |always |much )?prefer\b|\bmy preference\b"
    r"|我(?:更|比较|一向|还是)?(?:喜欢|偏好|倾向|习惯)"
)
"""Each is tried where a text has one of its signs, as few texts do."""


def may_wish(remark: Remark) -> bool:
    """Whether a turn is of one who has wishes: the user of an assistant."""
    return remark.role == Role.USER and not remark.speaker


def wish_gain(said: str) -> float:
    """What a user's turn's odds are multiplied with for a wish that it states; 1 for most."""
    small = small_letters(said)
    if has_any(small, _STANDING_SIGNS) and _STANDING_WISH.search(said):
        return _STANDING
    prefers = has_any(small, _PREFERENCE_SIGNS) and _PREFERENCE_STATED.search(said)
    return _PREFERENCE if prefers else 1.0


def highest_with_wish(score: float) -> float:
    """What the score of a user's turn is at most, whatever wish it states."""
    return multiply_odds(score, _STANDING)


def multiply_odds(score: float, gain: float) -> float:
    """The score, 0 to 1, with its odds multiplied."""
    return gain * score / (1 - score + gain * score)
