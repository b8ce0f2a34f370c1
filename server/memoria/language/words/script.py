"""Scripts: Chinese, Japanese or Korean writing, and alphabets."""

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
    """Check whether a text is to be read as Chinese, whatever long addresses and names it holds."""
    if text.isascii():
        return False
    return is_cjk(text) or len(_SIGN_ZH.findall(text)) >= _ENOUGH_ZH
