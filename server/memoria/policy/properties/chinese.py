"""Reads Chinese clauses: what property of what subject they tell."""

from collections.abc import Sequence
from dataclasses import replace

from memoria.policy.properties import chinese_words as vocabulary
from memoria.policy.properties.base import Property, place_movers
from memoria.policy.properties.chinese_rules import KIN, RULES, USER_SIGN
from memoria.policy.properties.keys import USER, subject_key
from memoria.text.pattern import LazyPattern, has_any


def split_clauses(text: str) -> list[str]:
    """The clauses of a statement."""
    return [part for part in map(str.strip, vocabulary.CLAUSES.regex.split(text)) if part]


def read_clause(text: str, previous: tuple[Property, ...] = ()) -> tuple[Property, ...]:
    """The properties that a Chinese clause tells; empty if no rule reads it.

    Args:
        text: the clause, in the third person.
        previous: the properties of the clause before; a missing subject is theirs.
    """
    plain = text.strip(' 。.!?,;“”"').replace("用户", USER_SIGN)
    found: list[Property] = []
    for rule in RULES:
        match = rule.pattern.regex.match(plain) if has_any(plain, rule.signs) else None
        if match:
            found = rule.read(match, _subject(match["subject"], previous))
        if found:
            break
    change, past, tentative = times_of(plain)
    return tuple(
        replace(one, is_change=change, is_past=past, is_tentative=tentative)
        for one in place_movers(found, previous)
    )


def plain_words(text: str) -> tuple[str, ...]:
    """The characters of a clause without fillers and without what denies or changes it."""
    plain = vocabulary.FILLERS.regex.sub("", text.replace("用户", USER_SIGN))
    return tuple(vocabulary.MARKERS.regex.sub("", plain).replace(" ", ""))


def is_denied(text: str) -> bool:
    """Whether a clause denies what it speaks of."""
    return bool(vocabulary.DENIED.regex.search(text))


def times_of(text: str) -> tuple[bool, bool, bool]:
    """Whether a clause tells of a change, of the past, of something that may be."""
    return (
        bool(vocabulary.CHANGE.regex.search(text)),
        bool(vocabulary.PAST.regex.search(text)),
        bool(vocabulary.TENTATIVE.regex.search(text)),
    )


def _subject(text: str | None, previous: Sequence[Property]) -> str:
    """Whose property it is: the subject named, or that of the clause before."""
    is_pronoun = text is not None and vocabulary.PRONOUN.regex.fullmatch(text)
    if previous and is_pronoun and previous[-1].is_unread:
        return previous[-1].value
    if not text or is_pronoun:
        return (previous[-1].subject or previous[-1].value) if previous else USER
    return subject_key(text.replace(USER_SIGN, "用户"))


def subject_of(text: str) -> str:
    """The subject of a clause that no rule reads, where it is plain."""
    match = _PLAIN_SUBJECT.regex.match(text)
    return subject_key(match[0]) if match else ""


_PLAIN_SUBJECT = LazyPattern(f"用户(?:的?(?:{KIN}))?")
