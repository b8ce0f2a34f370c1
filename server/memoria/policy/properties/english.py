"""Reads English clauses: what property of what subject they tell."""

from dataclasses import replace

from memoria.policy.properties import english_words as vocabulary
from memoria.policy.properties.base import Property, place_movers
from memoria.policy.properties.english_head import Parse, find_subject, parse_head, read_ends
from memoria.policy.properties.english_predicates import read_predicate, split_owner
from memoria.policy.properties.keys import USER, people
from memoria.text.pattern import LazyPattern

_CLAUSES = LazyPattern(
    r"""(?xi)(?=[\s,;!?.])(?:\s*[;!?]\s+
    |(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bProf)(?<!\bSt)(?<!\bvs)(?<!\s[a-z])\s*[.]\s+
    |\s*,?\s(?:and|but)\s(?=(?:now|no\slonger|only|then|is|has|does|lives|works|likes|takes|uses
        |drives|the\suser|(?:\w+ly\s)?\w+s\s(?:a|an|the|in|at|on|with)\s)\b)
    |\s(?:and|but)\s(?=(?:[\w']+\s){1,3}(?:is|are|has|lives|works|likes)\s)
    |,\s(?=(?:it\sis|the\suser)\s)|\s[-–—]+\s)"""
)
_OF_THE_USER = LazyPattern(r"(?i)(?:the )?user(?!')\b")


def split_clauses(text: str) -> list[str]:
    """The clauses of a statement; a list of things is one clause."""
    return [part for part in map(str.strip, _CLAUSES.regex.split(text)) if part]


def read_clause(text: str, previous: tuple[Property, ...] = ()) -> tuple[Property, ...]:
    """The properties that an English clause tells; empty if no rule reads it.

    Args:
        text: the clause, in the third person.
        previous: the properties of the clause before; "it" and a missing subject take theirs.
    """
    parse = parse_head(_plain(text), previous)
    if parse is None or not _resolve_subject(parse, previous):
        return ()
    read_ends(parse)
    found = list(read_predicate(parse, previous))
    for old in parse.denied:
        denied = replace(parse, rest=old, affirmed=not parse.affirmed, denied=[])
        found += read_predicate(denied, previous)
    hearsay = vocabulary.HEARSAY.regex.search(text) or vocabulary.CONDITION.regex.search(text)
    return tuple(
        replace(
            one,
            is_change=parse.is_change or bool(parse.denied),
            is_past=parse.is_past,
            is_tentative=parse.is_tentative or bool(hearsay),
        )
        for one in place_movers(found, previous)
    )


def list_subjects(text: str, before: frozenset[str] | None) -> frozenset[str]:
    """Of whom or what a clause may tell, where a rule reads it: of a thing, or of its owner.

    Args:
        text: the clause, in the third person.
        before: of whom or what the clause before may tell; None where there is none.
    """
    subject = find_subject(_plain(text), has_previous=before is not None)
    if subject is None:
        return frozenset()
    is_of_before = subject == "" or subject in vocabulary.POINTING
    found = (before or frozenset()) if is_of_before else frozenset((subject,))
    found |= {split_owner(one)[0] for one in found}
    return found | {USER} if "user's" in text.lower() else found


def _plain(text: str) -> str:
    return vocabulary.rephrase(text).strip(' .!?;,"“”')


def _resolve_subject(parse: Parse, previous: tuple[Property, ...]) -> bool:
    """Put what "it" or "she" stands for in its place. False where nothing tells."""
    if parse.subject not in vocabulary.POINTING:
        return True
    is_known = bool(previous and previous[-1].subject)
    if parse.subject == "it" and parse.verb == "be":
        return is_known  # its property is the one spoken of before
    is_ambiguous = previous[-1:] and previous[-1].subject == USER and _names_person(previous[-1])
    if is_known and not is_ambiguous:
        parse.subject = previous[-1].subject
        return True
    return False


def _names_person(one: Property) -> bool:
    """Whether a property tells of somebody else, who may be meant by "she"."""
    return any(word in people() for word in one.value.split())


def subject_of(text: str) -> str:
    """The subject of a clause that no rule reads, where it is plain."""
    return USER if _OF_THE_USER.regex.match(text) else ""


def times_of(text: str) -> tuple[bool, bool, bool]:
    """Whether a clause tells of a change, of the past, of something that may be."""
    change = vocabulary.CHANGED.regex.search(text)
    past = vocabulary.PAST_TIME.regex.search(text)
    tentative = vocabulary.HEARSAY.regex.search(text) or vocabulary.CONDITION.regex.search(text)
    return bool(change), bool(past), bool(tentative)
