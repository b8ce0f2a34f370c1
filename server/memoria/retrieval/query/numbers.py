"""Numbers: whether a question asks for one, and whether a text has one.

"How many came?" (有多少人来？) is answered by a text with a number. One that has none may be about
the same thing, and says nothing of how many. What is counted over the whole record (有几个人, "how
many of my friends") is another matter in Chinese, where the words tell the two apart.
"""

from memoria.bare.lazy_regex import lazy_regex

_ASKS = lazy_regex(
    r"""(?xi) 多少 | (?<!有)几(?!乎) | 电话 | 邮箱 | 号码 | 身高 | (?<!多)人数 | 规模 | 年龄
    | 多[大高长重远久] | 持续时间 | 价格
    | \bhow\s(?:many|much|old|long|far|tall|big|often)\b
    | \bwhat\s(?:percentage|price|amount|score|version|number)\b | \bphone\snumber | \be-?mail"""
)
_DIGIT = lazy_regex("[0-9@]")
"""Looked for first: most texts with a number have one in digits."""
_COUNT_ZH = lazy_regex(
    "[一二三四五六七八九十百千万两几半]"
    "[个位次岁天周月年小分米公点块元号场本口名种家只条人遍件篇倍成十百千万]"
)
_WORD = lazy_regex("[a-z]+")
_COUNTS = frozenset(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred"
    " thousand dozen couple several few once twice half second third year years month months week"
    " weeks day days hour hours minute minutes".split()
)


def asks_number(question: str) -> bool:
    """Whether a question asks for a number, an address made of signs, or how long something is."""
    return _ASKS.search(question) is not None


def holds_number(text: str) -> bool:
    """Whether a text has a number, in digits or in words."""
    if _DIGIT.search(text) or _COUNT_ZH.search(text):
        return True
    return not _COUNTS.isdisjoint(_WORD.findall(text.lower()))
