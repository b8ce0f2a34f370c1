"""Characters: their scripts, one form of each letter, and symbols as words.

People type what their keyboard has: Cinar for Çınar, Soren for Søren, يحيى for یحیی, 1404 for ۱۴۰۴,
hiragana for katakana. Only what is searched for is read so: names and what was forgotten are told
apart by these letters.

A symbol is found however it is drawn: with or without a variation selector, in any colour of skin.
What is joined of several (a woman at a computer) is found by each of them as well. Two regional
letters are one flag, and a digit in a key is one key. Punctuation, ASCII signs and what tables and
progress bars are drawn with are no symbols; enclosed letters (Ⓐ, ㎏) are the letters they enclose.
"""

import re
import unicodedata
from collections.abc import Iterator

from memoria.bare.lazy_regex import lazy_regex

CJK = (
    "\u3005-\u3007"  # 々〆〇
    "\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uac00-\ud7af"  # Hangul syllables
    "\U00020000-\U0003ffff"  # Han, the later planes
)
"""The scripts written without spaces, as the inside of a character class."""
_CJK = lazy_regex(r"[぀-ヿ㐀-鿿豈-﫿가-힯]+")
_ONE = lazy_regex(f"[{CJK}]")
_SIGN_ZH = lazy_regex("[\u3400-\u9fff]")
_ENOUGH_ZH = 4
_LETTERS = lazy_regex(r"[^\W\d_]+")
_SHARE = 0.3
"""Least share of the letters: a Chinese sentence may hold a good many English words."""


def is_cjk(text: str) -> bool:
    """Check whether a text is Chinese, Japanese or Korean rather than in an alphabet."""
    characters = 0 if text.isascii() else sum(map(len, _CJK.findall(text)))
    if characters == 0 or characters >= _SHARE * len(text):
        return characters > 0  # letters are counted only where that decides
    return characters >= _SHARE * sum(map(len, _LETTERS.findall(text)))


def is_cjk_character(term: str) -> bool:
    """Check for a single character of a script without spaces: part of a word, mostly."""
    return len(term) == 1 and _ONE.match(term) is not None


def reads_chinese(text: str) -> bool:
    """Check whether a text is to be read as Chinese, also with long addresses and names in it."""
    if text.isascii():
        return False
    return is_cjk(text) or len(_SIGN_ZH.findall(text)) >= _ENOUGH_ZH


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
    """Forms of letters, each found when the letter is first met."""

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
_REGIONAL = "\U0001f1e6-\U0001f1ff"
_SKIN = "\U0001f3fb-\U0001f3ff"
_TAGS = "\U000e0020-\U000e007f"
_DRAWN = "\ufe0e\ufe0f"
_JOINER = "\u200d"
_SIGNS = (
    "\u00a2-\u00a7\u00a9\u00ac\u00ae\u00b0\u00b1\u00b6\u00d7\u00f7"  # ¢ £ § © ° ± × ÷
    "\u058f\u060b\u09f2\u09f3\u0e3f\u17db\u20a0-\u20cf\uffe0\uffe1\uffe5\uffe6"  # currencies
    "\u2020\u2021\u2030\u2031\u203b\u203c\u2049"  # † ‡ ‰ ※ ‼ ⁉
    "\u2117\u2120\u2122\u2127\u2129\u212e\u2139\u213a\u214a\u214c\u214d\u214f"  # ℗ ™ ℮ ℹ
    "\u2190-\u2328\u232b-\u2426\u2440-\u244a\u24c2"  # arrows, mathematics, technical signs
    "\u25a0-\u2767\u2776-\u27c4\u27c7-\u27e5\u27f0-\u27ff\u2900-\u2982\u2999-\u29d7\u29dc-\u29fb\u29fe-\u2bff"
    "\u3004\u3012\u3013\u3020\u3030\u3036\u303d-\u303e\u3297\u3299"  # 〒 〓 ㊙
    "\U0001d100-\U0001d126\U0001f000-\U0001f0ff\U0001f170\U0001f171\U0001f17e\U0001f17f"
    f"\U0001f18e\U0001f191-\U0001f19a{_REGIONAL}\U0001f260-\U0001f265\U0001f300-\U0001faff"
)
"""Symbols as the inside of a character class, without Braille and box drawings."""
_PART = (
    rf"(?:[0-9#*][{_DRAWN}]?\u20e3|[{_REGIONAL}]{{2}}"
    rf"|[{_SIGNS}][{_DRAWN}]*[{_SKIN}]?[{_DRAWN}]*[{_TAGS}]*)"
)
_SYMBOL = lazy_regex(rf"{_PART}(?:{_JOINER}{_PART})*")
_UNTOLD = lazy_regex(rf"[{_DRAWN}]|(?<=.)[{_SKIN}]")
"""Matches the parts of a symbol that make no other symbol of it."""
_ONE_WAY = str.maketrans("#*￠￡￥￦", "＃＊¢£¥₩")
"""Preferred character for each; an index that splits at ASCII signs keeps these."""


def split_symbols(text: str) -> tuple[str, list[str]]:
    """Return the text without its symbols, and the words for the symbols in order.

    The digit of a key stays in the text as well.
    """
    found: list[str] = []

    def take(match: re.Match[str]) -> str:
        found.extend(_list_words(match[0]))
        return f" {match[0][0]} " if match[0][0].isdigit() else " "

    return _SYMBOL.sub(take, text), found


def _list_words(symbol: str) -> Iterator[str]:
    """Yield the words for a symbol: each part that it is joined of, and the whole."""
    parts = [_UNTOLD.sub("", part).translate(_ONE_WAY) for part in symbol.split(_JOINER)]
    yield from parts
    if len(parts) > 1:
        yield "".join(parts)
