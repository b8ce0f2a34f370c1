"""Scripts: whether a text is written in Chinese, Japanese or Korean, or in an alphabet."""

from memoria.bare.lazy_regex import lazy_regex

_CJK = lazy_regex(r"[぀-ヿ㐀-鿿豈-﫿가-힯]+")
_LETTERS = lazy_regex(r"[^\W\d_]+")
_SHARE = 0.3
"""Of the letters: a Chinese sentence may hold a good many English words."""


def is_cjk(text: str) -> bool:
    """Whether a text is Chinese, Japanese or Korean rather than in an alphabet."""
    characters = 0 if text.isascii() else sum(map(len, _CJK.findall(text)))
    if characters == 0 or characters >= _SHARE * len(text):
        return characters > 0  # letters are counted only where that decides
    return characters >= _SHARE * sum(map(len, _LETTERS.findall(text)))
