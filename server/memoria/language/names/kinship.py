"""Kinship: words for people whom somebody has, in both languages; all spellings, one relation.

`mother`, `mom`, 妈妈 and 母亲 are one relation. A relation may have a qualifier: 哥哥 is a brother
who is older, an `ex-wife` a wife who was. The words are in `kinship.tsv`.
"""

from functools import cache
from typing import NamedTuple

from memoria.language.word_table import read_rows


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
