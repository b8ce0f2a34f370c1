"""Other times: a request about what is said now, or a standing order about other turns.

"From now on don't save it" speaks of other turns. "From now on call me Robin, but that stays
between us" asks for what is beside it: there, the request is a clause of its own.
"""

import re

from memoria.language.pattern import LazyPattern

REACH = 500
"""Number of characters before a request that are read; it bounds the cost of many requests."""
_STANDING = r"\b(?:from\snow\son|always|in\s(?:the\s)?future)\b|以后|今后|从现在|从今|每次"
_STANDS = LazyPattern(_STANDING, re.IGNORECASE)
_STANDS_ALONE = LazyPattern(rf"(?:{_STANDING})(?:\s?(?:on|起|开始))?\W*", re.IGNORECASE)
_CLAUSES = LazyPattern(r"(?i)[,，、:：—–(（]|\s-\s|\b(?:and|but|so)\b|但是?|不过|而且")
_OF_A_THING = LazyPattern(
    r"""(?xi)\b(?:it|these|those)(?:\sdown)?\W*$
    | \b(?:it|these|those)\s(?:\w{1,12}\s)?(?:secret|private|quiet|confidential)\b
    | 它 | ^[^这那此我记]*[存留][^这那此我记]*$"""
)
"""Speaks perhaps of a thing in the order: "Always generate a key, and keep it secret"."""


def is_for_other_times(sentence: str, found: re.Match[str]) -> bool:
    """Return whether a request in a sentence belongs to a standing order that begins before it."""
    asked = found.group().lstrip(" \t,，、:：—–-(（")
    start = found.end() - len(asked)
    before = sentence[max(0, start - REACH) : start]
    if not _STANDS.regex.search(before):
        return False
    clauses = _CLAUSES.regex.split(before)
    ahead = [one for one in clauses[:-1] if one and one.strip()]
    is_own = not _STANDS.regex.search(clauses[-1])
    is_told = bool(ahead) and not _STANDS_ALONE.regex.fullmatch(ahead[-1].strip())
    return not (is_own and is_told) or _OF_A_THING.regex.search(asked) is not None
