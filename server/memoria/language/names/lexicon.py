"""Words for the rules that find names and roles: the commonest ones, listed in `lexicon.tsv`.

The lists are short on purpose. Rules with few words find little and are seldom wrong. A model finds
what they miss, and search finds the text in any case.
"""

from collections.abc import Mapping
from functools import cache

from memoria.language.word_table import WordList, read_word_lists


@cache
def english(*names: str) -> frozenset[str]:
    """Return the English words of some lists."""
    return frozenset[str]().union(*(_read_lists()[name].english for name in names))


@cache
def chinese(name: str) -> frozenset[str]:
    """Return the Chinese words of a list."""
    return _read_lists()[name].chinese


def any_english(name: str) -> str:
    """Return an expression that matches any English word of a list."""
    return "|".join(sorted(english(name)))


def any_chinese(name: str) -> str:
    """Return an expression that matches any Chinese word of a list, the longest first."""
    words = sorted(chinese(name), key=lambda word: (-len(word), word))
    longer = [one for one in words if len(one) > 1]
    characters = "".join(words[len(longer) :])
    return "|".join([*longer, f"[{characters}]"] if characters else longer)


@cache
def verb_forms() -> Mapping[str, str]:
    """Map forms of English verbs that take an object to what they are forms of."""
    regular = {
        base + end: base
        for base in english("verbs")
        for end in ("", "s", "d" if base.endswith("e") else "ed")
    }
    return {**regular, **dict(pair.split(":") for pair in english("verb_forms"))}


@cache
def _read_lists() -> Mapping[str, WordList]:
    return read_word_lists(__package__, "lexicon.tsv")
