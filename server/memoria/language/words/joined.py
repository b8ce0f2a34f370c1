"""Joined words: those with a sign or spaces within, as they are written without them.

ADR-0167 is found as adr0167, and 1,250,000 as 1250000, beside the words that the signs part. Where
groups of digits may as well be separate numbers (1.250 or 1 250), they are left alone.
"""

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.words.script import CJK

_DIGIT = lazy_regex("[0-9]")
_SPACE_IN_NUMBER = lazy_regex("(?<=[0-9])[\u00a0\u2007-\u200a\u202f](?=[0-9]{3}(?![0-9]))")
_BETWEEN = "'’_\u066c"


def _group(sign: str, groups: str) -> str:
    """Return the pattern of a number in groups of digits with a sign between them."""
    return rf"(?<![0-9])(?<![0-9]{sign})[0-9]{{1,3}}{groups}(?!{sign}?[0-9])"


_NUMBERS = (
    _group(",", "(?:,[0-9]{2,3}){0,5},[0-9]{3}"),
    _group(f"[{_BETWEEN}]", f"(?:[{_BETWEEN}][0-9]{{3}}){{1,6}}"),
    _group(r"\.", r"(?:\.[0-9]{3}){2,6}"),
    _group(" ", "(?: [0-9]{3}){2,6}"),
)
_LETTER = rf"[^\W\d_{CJK}]"
_CODE = rf"(?<![^\W_{CJK}]){_LETTER}++[-_\u2010-\u2013][0-9]++[a-z]*+(?![0-9a-z])"
_JOINED = lazy_regex("|".join((*_NUMBERS, _CODE)))
_SIGNS = lazy_regex(r"[\W_]+")


def mark_spaces(text: str) -> str:
    """Put a sign for each space within a number that no line breaks at."""
    return _SPACE_IN_NUMBER.sub("’", text)


def list_joined(folded: str) -> list[str]:
    """List the words that have signs within, without these.

    Args:
        folded: a text in small letters, with ASCII digits.
    """
    if _DIGIT.search(folded) is None:
        return []
    return [_SIGNS.sub("", found) for found in _JOINED.findall(folded)]
