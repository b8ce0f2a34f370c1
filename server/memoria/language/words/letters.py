"""Letters: one form of those that another keyboard, script or print writes otherwise.

People type what their keyboard has: Cinar for Çınar, Soren for Søren, يحيى for یحیی, 1404 for ۱۴۰۴,
hiragana for katakana. Accents are gone before that (`language/words/analyser.fold`). Only what is
searched for is read so: names and what was forgotten are told apart by these letters.
"""

import unicodedata

from memoria.bare.lazy_regex import lazy_regex

_WRITTEN = {
    "i": "ı", "j": "ȷ", "k": "ĸ", "ae": "æ", "oe": "œ", "ss": "ß", "th": "þ", "d": "ð", "n": "ŋ",
    "e": "ə",
    "ا": "أإآٱ", "و": "ؤ", "ي": "ئىیېےۓ", "ك": "کڪ", "ه": "ةۀەہۂۃھ",
    "": "ـ",  # only makes a word longer
}  # fmt: skip
_SAME = {ord(letter): form for form, letters in _WRITTEN.items() for letter in letters}
_CHANGED_LATIN = lazy_regex("LATIN SMALL LETTER ([A-Z]) WITH ")
_POINTED = lazy_regex("[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]")
"""Hebrew and Arabic, where vowels are mostly left out."""
_HIRAGANA = lazy_regex("[\u3041-\u3096\u309d\u309e]")
_TO_KATAKANA = 0x60


def unify_letters(folded: str) -> str:
    """Return a folded text with one form of each letter and digit."""
    return folded.translate(_TABLE)


class _Letters(dict[int, str]):
    """The form of each letter, found when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = form = _find_form(chr(code))
        return form


def _find_form(char: str) -> str:
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    if _HIRAGANA.match(char):
        return chr(ord(char) + _TO_KATAKANA)
    if unicodedata.category(char) == "Mn" and _POINTED.match(char):
        return ""
    latin = _CHANGED_LATIN.match(unicodedata.name(char, ""))
    return latin[1].lower() if latin else char


_TABLE = _Letters(_SAME)
