"""Keys: one normal form for a subject or a property, in either language."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import NamedTuple

from memoria.language.names.kinship import chinese_words, english_words
from memoria.language.pattern import LazyPattern
from memoria.language.reading.statement import canonical_form
from memoria.language.remembered import remember_results
from memoria.language.word_table import read_rows
from memoria.language.words.analyser import query_terms

USER = "user"
ASSISTANT = "assistant"
_USER_WORDS = frozenset("i me my myself user 我 用户 本人 主人 自己".split())
_ASSISTANT_WORDS = frozenset("assistant agent 助手 助理".split())
_OF_THE_USER = LazyPattern(
    r"(?:the user's|user's|users|my|user) (?=\S)|(?:用户|本人|我)的?(?!们)(?=.)"
)
_KIN_OF_THE_USER = LazyPattern(r"(?:the )?(?P<kin>[a-z-]+) of (?:the user|user|mine)")
_ELDER = LazyPattern("^(?:(?P<elder>older|big)|little) (?=(?:brother|sister)$)")
_BETWEEN_CHINESE = LazyPattern("(?<=[一-鿿]) (?=[一-鿿])")
_APART = frozenset(
    """
    uncle aunt cousin nephew niece brother-in-law sister-in-law friend teacher student client
    """.split()
)
"""Relations with words that mean different people: 姑姑 and 婶婶 are two aunts."""


class _Property(NamedTuple):
    """A property, by its own name."""

    names: tuple[str, ...]
    """All its names, its own first."""
    has_one_value: bool


@cache
def _read_properties() -> Mapping[str, _Property]:
    """Map the properties of `properties.tsv`, by each of their names."""
    properties: dict[str, _Property] = {}
    for key, one_value, english, chinese in read_rows(__package__, "properties.tsv", 4):
        found = _Property((key, *english.split(), *chinese.split()), bool(one_value))
        properties |= dict.fromkeys(found.names, found)
    return properties


@cache
def people() -> dict[str, str]:
    """Map the words for people and pets that follow "my" to one word for both languages.

    Plural words are left out, because "my sons" are not "my son".
    """
    words = {**english_words(), **chinese_words()}
    return {
        word: _one_word(word, str(found.relation), found.relation.name)
        for word, found in words.items()
        if not _is_plural(word, words)
    }


def _one_word(word: str, relation: str, name: str) -> str:
    return word if name in _APART else relation


def _is_plural(word: str, words: Collection[str]) -> bool:
    is_regular = word.endswith("s") and word[:-1] in words
    return is_regular or word.endswith(("ves", "ies")) or word == "children"


def subject_key(subject: str) -> str:
    """Return the normal form of a subject; all words for the user have the same.

    Somebody of the user's has one as well.

    >>> subject_key("my mom"), subject_key("用户的母亲")
    ("user's mother", "user's mother")
    """
    return _subject_key(subject)


@remember_results(4096)
def _subject_key(subject: str) -> str:
    plain = _name_key(subject)
    if plain in _USER_WORDS or plain.replace("the ", "") in _USER_WORDS:
        return USER
    if plain.removeprefix("the ") in _ASSISTANT_WORDS:
        return ASSISTANT
    owner = _OF_THE_USER.regex.match(plain.removeprefix("the "))
    if owner is not None:
        rest = plain.removeprefix("the ")[owner.end() :]
        rest = _ELDER.regex.sub(lambda age: "elder " if age["elder"] else "younger ", rest)
        return f"{USER}'s {people().get(rest, rest)}"
    kin = _KIN_OF_THE_USER.regex.fullmatch(plain)
    if kin is not None:
        return f"{USER}'s {people().get(kin['kin'], kin['kin'])}"
    return plain


@remember_results(4096)
def predicate_key(predicate: str) -> str:
    """Return the normal form of a property; `Job title`, `occupation` and 职业 have the same."""
    plain = "_".join(_name_key(predicate.replace("_", " ")).split())
    found = _read_properties().get(plain)
    return plain if found is None else found.names[0]


def names_property(predicate: str, content: str) -> bool:
    """Return whether a statement has the words of a property: "six shops" has those of `shops`.

    Args:
        predicate: the property's normal form; an empty one is named by nothing.
        content: the statement.
    """
    if not predicate:
        return False
    said = frozenset(query_terms(content))
    found = _read_properties().get(predicate)
    words = (predicate,) if found is None else found.names
    terms = (frozenset(query_terms(word.replace("_", " "))) for word in words)
    return any(one and one <= said for one in terms)


def has_one_value(predicate: str) -> bool:
    """Check whether a property has only one value at a time, like a name or a home."""
    found = _read_properties().get(predicate)
    return found is not None and found.has_one_value


def _name_key(name: str) -> str:
    """Return the words of a name with single spaces; none between Chinese characters."""
    return _BETWEEN_CHINESE.regex.sub("", canonical_form(name))
