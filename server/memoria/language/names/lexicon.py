"""Word lists for rules about names: the commonest words, family relations, words of life and work.

The lists are short on purpose. Rules with few words find little and are seldom wrong. A model finds
what they miss, and search finds the text in any case. `mother`, `mom`, 妈妈 and 母亲 are one
relation, which may have a qualifier: 哥哥 is a brother who is older, an `ex-wife` a wife who was.
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from memoria.language.lazy import WordList, read_rows, read_word_lists


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


class Relation(NamedTuple):
    """One person's relation to another."""

    name: str
    which: str | None = None
    """Qualifier, where there is one: `elder`, `former`."""

    def __str__(self) -> str:
        return f"{self.which} {self.name}" if self.which else self.name


class RelationWord(NamedTuple):
    """A word for a relation."""

    relation: Relation
    needs_owner: bool
    """True if it counts only where the text says whose: 老师 alone is any teacher."""


@cache
def english_words() -> dict[str, RelationWord]:
    """Map English words, singular and plural in lower case, to their relations."""
    words: dict[str, RelationWord] = {}
    for _, name, english, _ in _rows():
        for spelling in english.split():
            word, found = _read_word(name, spelling)
            words |= dict.fromkeys({word, *_plurals(word)}, found)
    return words


@cache
def chinese_words() -> dict[str, RelationWord]:
    """Map Chinese words to their relations."""
    return {
        word: RelationWord(found.relation, found.needs_owner or kind != "kin")
        for kind, name, _, chinese in _rows()
        for word, found in (_read_word(name, spelling) for spelling in chinese.split())
    }


@cache
def _rows() -> tuple[list[str], ...]:
    """List kind, name, English words and Chinese words of each row of the table."""
    return tuple(read_rows(__package__, "kinship.tsv", 4))


@cache
def is_kin_or_pet(name: str) -> bool:
    """Check whether a relation is of the family or a pet, and no doctor, boss or friend."""
    return all(name != other for kind, other, *_ in _rows() if kind == "other")


def _read_word(name: str, spelling: str) -> tuple[str, RelationWord]:
    needs_owner = "!" in spelling
    word, _, which = spelling.replace("!", "").partition("/")
    return word, RelationWord(Relation(name, which or None), needs_owner)


def _plurals(word: str) -> set[str]:
    if word.endswith("in-law"):
        return {word.replace("-in-law", "s-in-law"), f"{word}s"}
    if word.endswith("wife"):
        return {f"{word[:-2]}ves"}
    if word.endswith("y") and word[-2] not in "aeiou":
        return {f"{word[:-1]}ies"}
    return {f"{word}s"}


PHRASES_WORK = (
    r"(?:pull|merge) requests?|code ?base|code review|(?:unit|integration|end-to-end|e2e) tests?"
    r"|data model|feature flags?|source code|stack trace|error codes?|rate limit|on[- ]call"
    r"|acceptance criteria|test suite|memory leak|dead ?lock|PRs?|MRs?|tech debt"
)
PHRASES_PERSONAL = (
    r"blood (?:test|type|pressure|sugar)|(?:eye|driving) test|(?:first|last|full|maiden) name"
    r"|my name|phone number|e-?mail address|time zone|days? off|half marathon|running shoes"
    r"|(?:go|going|went) (?:running|climbing|skiing)|\d+ ?mg|(?:years?|months?) old|car service"
    r"|(?:am|is|was|works? as|worked as) (?:an? |the )?(?:[\w-]+ ){0,3}?"
    r"(?:engineer|developer|programmer|designer|architect|teacher|student|manager|consultant)"
    r"|side effects?|(?:my|his|her) (?:left |right |lower )?"
    r"(?:leg|arm|back|foot|hand|knee|shoulder|tooth|teeth|eyes?|ears?|heart|skin|ankle|wrist)"
)


@cache
def find_list(name: str) -> WordList:
    """Return the words of a kind, such as `personal` or `work`."""
    return read_word_lists(__package__, "scope_words.tsv")[name]
