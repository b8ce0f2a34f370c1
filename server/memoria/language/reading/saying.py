"""Saying: signals that a text gives by itself, independent of any question.

It is found in the text alone, and in small numbers: so it can be kept where the text is not.
"""

from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.budget import estimate_tokens
from memoria.language.pattern import SmallPattern, has_any, small_letters

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
    """Read the signals of a text."""
    asks = has_any(text, _WIDE_MARKS) or _QUESTION.search(text) is not None
    return Saying(estimate_tokens(text[:_MEASURED_CHARS]), asks)


def find_wish(text: str) -> int:
    """Return the author's wish for later answers: `STANDING_WISH`, `PREFERENCE` or `NO_WISH`."""
    small = small_letters(text)
    if has_any(small, _STANDING_SIGNS) and _STANDING_WISH.search(text):
        return STANDING_WISH
    prefers = has_any(small, _PREFERENCE_SIGNS) and _PREFERENCE_STATED.search(text)
    return PREFERENCE if prefers else NO_WISH
