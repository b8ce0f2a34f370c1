"""Values: the canonical form of what is said of a subject, and what kind of thing it is."""

from memoria.policy.properties import english_words as words
from memoria.text.analyser import tokens
from memoria.text.pattern import LazyPattern
from memoria.text.remembered import remember_results
from memoria.text.statement import canonical_form

_ARTICLE = LazyPattern(r"(?i)^(?:the|an?|his|her|their|its|the user's|some|any)\s+")
_NAME = LazyPattern(
    r"^(?:[A-Z][\w'’.&+#-]*|[a-z]+[A-Z]\w*)(?:\s(?:[A-Z0-9][\w'’.&+#-]*|of|de|van|von|the|&))*$"
)
_WORD = LazyPattern(r"[\w'’+#./:@-]+")
_QUANTITY_ZH = LazyPattern(
    r"\d|[一二三四五六七八九十百千万两半]+[月日号点岁个只元块年周]|周[一二三四五六日天]|星期[一二三四五六日天]|[上下]午|中午|晚上|凌晨"
)

_QUANTITY_SIGN = LazyPattern("[一二三四五六七八九十百千万两半月日号点分周年星期天上下午:.%-]$")
_NUMBERS = "two three four five six seven eight nine ten eleven twelve".split()
COUNTS = {word: str(n) for n, word in enumerate(_NUMBERS, 2)}
"""Small numbers in words, as digits."""


@remember_results(16_384)
def stem(word: str) -> str:
    """The stem of a word. Cached: a few thousand words are most of what is said."""
    found = tokens(word)
    return found[0] if found else word.casefold()


def canonical_value(text: str) -> str:
    """A value without article and punctuation, in one letter case."""
    return canonical_form(_ARTICLE.regex.sub("", text.strip(" .,;!?\"“”'")))


def stems_of(text: str) -> str:
    """The stems of its words without articles: `cats` and `cat` are one."""
    return " ".join(stem(word) for word in canonical_value(text).split())


def is_name(text: str) -> bool:
    """Whether it reads like a name: `Anna`, `VS Code`, `eBay`."""
    return bool(_NAME.regex.match(text.strip(" .,;!?\"“”'")))


def is_quantity(text: str) -> bool:
    """Whether it has a number, a date or a time of day."""
    return bool(words.NUMBER.regex.search(text) or _QUANTITY_ZH.regex.search(text))


def is_bare_quantity(word: str) -> bool:
    """Whether a word or a Chinese character is nothing but a part of a number or a date."""
    return bool(words.NUMBER.regex.match(word) or _QUANTITY_SIGN.regex.match(word))
