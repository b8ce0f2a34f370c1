"""Numerals: numbers in words, as digits.

"Forty-two", "a hundred and twenty" and 七百五十 are amounts like any other, and the same as 42, 120
and 750.
"""

from memoria.bare.lazy_regex import lazy_regex
from memoria.text.pattern import has_any

_SMALL = {
    word: n
    for n, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen".split(),
        start=2,
    )
}
_TENS = {
    word: n
    for n, word in zip(
        range(20, 100, 10),
        "twenty thirty forty fifty sixty seventy eighty ninety".split(),
        strict=True,
    )
}
_TIMES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000}
_BEGINNINGS = (*_SMALL, *_TENS, *_TIMES)
_WORD = lazy_regex("[a-z]+")

DIGITS_ZH = "一二两三四五六七八九"
_DIGITS_ZH = {"零": 0, "〇": 0, "两": 2} | {
    c: n for n, c in enumerate("一二三四五六七八九", start=1)
}
_TIMES_ZH = {"十": 10, "百": 100, "千": 1000}
_WAN = 10_000

_ONES = "|".join(_SMALL)
_TENFOLD = "|".join(_TENS)
_BELOW_HUNDRED = rf"(?:(?:{_TENFOLD})(?:[-\s](?:one|{_ONES}))?|{_ONES})"
NUMERAL = (
    rf"(?:(?:{_BELOW_HUNDRED}\s|a\s)?(?:dozen|hundred|thousand|million)"
    rf"(?:\s(?:and\s)?{_BELOW_HUNDRED})?|{_BELOW_HUNDRED})"
)
"""A number in English words, for a pattern that ignores case; "one" is mostly no number."""
NUMERAL_ZH = "[一二两三四五六七八九十百千万零〇]+"


def holds_numeral(text: str) -> bool:
    """Whether an English number word stands in a text in lower case, or within another word."""
    return has_any(text, _BEGINNINGS)


def read_numeral(text: str) -> str:
    """A number in words as digits; a text that is none as it is."""
    if any(char in _DIGITS_ZH or char in _TIMES_ZH or char == "万" for char in text):
        return _read_chinese(text)
    words = _WORD.findall(text.lower())
    if not any(word in _BEGINNINGS for word in words):
        return text
    total = below = 0
    for word in words:
        if word in _TIMES:
            below = max(below, 1) * _TIMES[word]
            if _TIMES[word] >= _TIMES["thousand"]:
                total, below = total + below, 0
        else:
            below += _SMALL.get(word) or _TENS.get(word) or int(word == "one")
    return str(total + below)


def _read_chinese(text: str) -> str:
    total = below = digit = 0
    for char in text:
        if char in _DIGITS_ZH:
            digit = _DIGITS_ZH[char]
        elif char in _TIMES_ZH:
            below, digit = below + max(digit, 1) * _TIMES_ZH[char], 0
        elif char == "万":
            total, below, digit = (total + below + digit) * _WAN, 0, 0
        else:
            return text
    return str(total + below + digit)
