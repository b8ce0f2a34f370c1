"""Keys: one normal form for a subject, a property, a name with its qualifier, or a task.

`Anna (sister)`, `Anna, my sister`, `Anna from work`, 小李（同事）: a name and its qualifier.
Brackets with text in another script repeat the name and hold no qualifier: 林岚 (Lin Lan).

A task's name that shares half of its distinguishing words with another is the same task; a name
without such a word ("fix it") is no task. The tasks themselves come from a model, an agent or a
person.
"""

from collections.abc import Collection, Mapping
from functools import cache
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.lazy import read_rows, remember_results
from memoria.language.names.lexicon import chinese_words, english_words
from memoria.language.reading.statement import canonical_form
from memoria.language.words.analyser import list_stop_words, query_terms

USER = "user"
ASSISTANT = "assistant"
_USER_WORDS = frozenset("i me my myself user 我 用户 本人 主人 自己".split())
_ASSISTANT_WORDS = frozenset("assistant agent 助手 助理".split())
_OF_THE_USER = lazy_regex(
    r"(?:the user's|user's|users|my|user) (?=\S)|(?:用户|本人|我)的?(?!们)(?=.)"
)
_KIN_OF_THE_USER = lazy_regex(r"(?:the )?(?P<kin>[a-z-]+) of (?:the user|user|mine)")
_ELDER = lazy_regex("^(?:(?P<elder>older|big)|little) (?=(?:brother|sister)$)")
_BETWEEN_CHINESE = lazy_regex("(?<=[一-鿿]) (?=[一-鿿])")
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


@remember_results(4096)
def subject_key(subject: str) -> str:
    """Return the normal form of a subject; all words for the user have the same.

    Somebody of the user's has one as well.

    >>> subject_key("my mom"), subject_key("用户的母亲")
    ("user's mother", "user's mother")
    """
    plain = _name_key(subject)
    if plain in _USER_WORDS or plain.replace("the ", "") in _USER_WORDS:
        return USER
    if plain.removeprefix("the ") in _ASSISTANT_WORDS:
        return ASSISTANT
    owner = _OF_THE_USER.match(plain.removeprefix("the "))
    if owner is not None:
        rest = plain.removeprefix("the ")[owner.end() :]
        rest = _ELDER.sub(lambda age: "elder " if age["elder"] else "younger ", rest)
        return f"{USER}'s {people().get(rest, rest)}"
    kin = _KIN_OF_THE_USER.fullmatch(plain)
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
    return _BETWEEN_CHINESE.sub("", canonical_form(name))


_BRACKETED = lazy_regex(r"(?P<name>[^()（）]+?)\s*[(（](?P<which>[^()（）]+)[)）]")
_WORDS = r"[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’.-]*){0,3}"
_FROM = lazy_regex(rf"(?P<name>{_WORDS}) (?:from|at) (?P<which>\w[\w '’-]*)")
_APPOSITION = lazy_regex(rf"(?P<name>{_WORDS}), (?P<which>(?:my|our|the|his|her|their) [\w '’-]+)")
_OWNERS = lazy_regex(
    r"(?i:(?:the user['’]s|user['’]s|my|our|the|an?|his|her|their)\s+)|(?:我们?|用户)的?"
)
_CHINESE = lazy_regex("[一-鿿]")


class QualifiedName(NamedTuple):
    """A name, and the qualifier that tells it from namesakes, if there is one."""

    name: str
    qualifier: str | None


def split_qualifier(name: str) -> QualifiedName:
    """Split a name into the plain name and its qualifier, None where it has none.

    >>> split_qualifier("Anna, my sister")
    QualifiedName(name='Anna', qualifier='sister')
    """
    for form in (_BRACKETED, _FROM, _APPOSITION):
        found = form.fullmatch(name.strip())
        if found is not None and _in_one_script(found["name"], found["which"]):
            which = found["which"].strip()
            return QualifiedName(
                found["name"].strip(), which.removeprefix(_owner(which)).strip() or which
            )
    return QualifiedName(name, None)


def _in_one_script(name: str, which: str) -> bool:
    return bool(_CHINESE.search(name)) == bool(_CHINESE.search(which))


def _owner(which: str) -> str:
    """Return the possessive at the beginning (`my`, `the`, 我的), which distinguishes nobody."""
    found = _OWNERS.match(which)
    return found[0] if found else ""


LONGEST_TASK = 120
_SAME_TASK = 0.5
_REDACTED = "[redacted:"
_LETTER = lazy_regex(r"[^\W\d_]")
_COMMON = lazy_regex(
    r"""(?xi)\b(?:work|start|fix|mend|solve|write|add|make|build|refactor|codes?|bugs?|errors?
      |functions?|files?|problems?|issues?|tests?|help|new|next|\d+)\b
    |修复|修改|重构|实现|编写|开发|添加|做|写|改|一下|一个|问题|东西|代码|函数|文件|测试|错误|事情?|[的了把在和与]|\d+"""
)
"""Words that distinguish no task."""

_GOING_ON = lazy_regex(
    r"""(?xi)\b(?:continue|resume|carry\s+on|go(?:ing)?\s+on|pick\s+up|left\s+off|where\s+w(?:e|as|ere))\b
    |继续|接着|上次"""
)
"""Words by which somebody goes on with a task in hand, without naming it."""
_LEAST_WORDS, _HARDLY_SHARED = 3, 0.25


def is_about_another(opening: str, task: str) -> bool:
    """Check whether the first prompt of a session is about something else than a task.

    A prompt of hardly any words, or that goes on with the task in hand, is about nothing else.
    """
    said, named = list_telling_words(opening), list_telling_words(task)
    if not named or len(said) < _LEAST_WORDS or _GOING_ON.search(opening):
        return False
    return len(said & named) < _HARDLY_SHARED * min(len(said), len(named))


def same_task(one: str | None, other: str | None) -> bool:
    """Check whether two names mean the same task by their words; an empty name means none."""
    if not one or not other:
        return False
    a, b = list_telling_words(one), list_telling_words(other)
    return bool(a and b) and len(a & b) >= _SAME_TASK * min(len(a), len(b))


def list_telling_words(name: str) -> frozenset[str]:
    """Return the words of a task's name that distinguish it from other tasks."""
    return frozenset(filter(_is_telling, query_terms(_COMMON.sub(" ", name))))


def names_a_task(task: str) -> bool:
    """Check whether a name has a word that distinguishes the task; "fix it" has none."""
    return bool(list_telling_words(task)) and _REDACTED not in task


def shorten_task(task: str) -> str:
    """Return a task's name in one line, cut between words if it is too long."""
    task = " ".join(task.split())
    if len(task) <= LONGEST_TASK:
        return task
    cut = task[: LONGEST_TASK - 1]
    return f"{(cut.rsplit(' ', 1)[0] if ' ' in cut else cut).rstrip(' ,，')}…"


def _is_telling(term: str) -> bool:
    return len(term) > 1 and term not in list_stop_words() and bool(_LETTER.search(term))
