"""Relates two statements by rule."""

from collections.abc import Sequence
from typing import Literal

from memoria.model.ruling import Relation
from memoria.policy.properties.base import Property
from memoria.policy.properties.clause import Clause
from memoria.policy.properties.keys import may_be_several
from memoria.policy.properties.read import read_statement
from memoria.policy.properties.statement import Statement
from memoria.policy.properties.transitions import tells_transition
from memoria.policy.properties.values import is_bare_quantity

_Match = Literal["restated", "replaced", "disputed"]
_BY_WEIGHT: tuple[_Match, ...] = ("restated", "replaced", "disputed")
_NEAR = 2
_LEAST_PREFIX = 2
_LONGEST_VALUE = 4
_MOST_WORDS = 0.7
_LEAST_FRAME = 3
"""Words that two rules have in common before the place in which they differ."""
_CONNECTING = frozenset("and name call which who with as in at from for since because".split())


def compare_statements(new: str, known: str) -> Relation | None:
    """What a new statement is to a known one; None where no rule tells."""
    said, before = read_statement(new), read_statement(known)
    if said.key == before.key:
        return "same"
    if not (said.properties and before.properties):
        return None
    by_frame = _compare_frames(said, before)
    if by_frame and (said.is_correction or said.denied):
        return by_frame
    found = _compare_properties(said, before) or by_frame
    if found not in ("replaces", "contradicts") and _may_change(said, before):
        found = "replaces" if tells_transition(said.text, before.text) else found
    return found or ("different" if said.is_read and before.is_read else None)


def list_related(known: str, others: Sequence[str]) -> list[str]:
    """Which other statements may have to do with a known one, as far as a first look tells.

    They tell of the same, begin with the same words, or say that something has changed.
    """
    before = read_statement(known)
    return [text for text in others if before.parts and _may_concern(read_statement(text), before)]


def _may_concern(said: Statement, before: Statement) -> bool:
    if not said.parts:
        return False
    beginning = before.words[:_LEAST_PREFIX]
    is_alike = said.words[: len(beginning)] == beginning or said.may_tell_of_what(before)
    return is_alike or said.tells_transition


def tells_present_of(new: str, known: str) -> bool:
    """Whether a statement tells how things are of which a known one tells how they were."""
    return not read_statement(new).current.isdisjoint(read_statement(known).former)


def tells_of_the_same(new: str, known: str) -> bool:
    """Whether a statement tells how things are of which a known one tells, now or then."""
    return not read_statement(new).current.isdisjoint(read_statement(known).topics)


def _may_change(said: Statement, before: Statement) -> bool:
    """Whether a statement may be news about what a known one tells of the present."""
    is_planned = said.is_tentative or before.is_tentative
    return not is_planned and not all(one.is_past for one in before.properties)


def _compare_properties(said: Statement, before: Statement) -> Relation | None:
    """The relation by what both tell of the present; None if they tell different properties."""
    present = said.present
    if not present or not before.present:
        return "different"
    found: list[_Match | None] = []
    for clause in before.clauses:
        known = [one for one in clause.properties if not one.is_past]
        if any(_is_turned(new, clause) for new in said.clauses):
            found += ["replaced"] * len(known)
        else:
            found += [_match(one, present) if one.holds_now else None for one in known]
    if any(found):
        return _conclude(said, before, found)
    return "replaces" if _is_refined(said, before) else None


def _is_turned(new: Clause, known: Clause) -> bool:
    """Whether two clauses have the same words, one stated and the other denied."""
    is_turned = new.words == known.words and new.is_affirmed != known.is_affirmed
    return bool(new.words) and is_turned and new.holds_now and known.holds_now


def _conclude(said: Statement, before: Statement, found: Sequence[_Match | None]) -> Relation:
    """The relation, once each known property is compared with what is said now."""
    if "disputed" in found:
        return "contradicts"
    if "replaced" in found:
        return "replaces" if all(found) else "contradicts"
    says_more = len(said.words) > len(before.words) and _contains_in_order(said, before)
    return "replaces" if all(found) and says_more else "different"


def _contains_in_order(said: Statement, before: Statement) -> bool:
    rest = iter(said.words)
    return all(word in rest for word in before.words)


def _match(known: Property, present: Sequence[Property]) -> _Match | None:
    """What becomes of a known property; None if nothing is said of it."""
    found = {_compare(new, known) for new in present}
    return next((match for match in _BY_WEIGHT if match in found), None)


def _compare(new: Property, known: Property) -> _Match | None:
    if (new.subject, new.predicate) != (known.subject, known.predicate) or not new.value:
        return None
    if new.value == known.value or not known.has_one_value or _names_more(new.value, known.value):
        return "restated" if new.affirmed == known.affirmed else "replaced"
    if not (new.affirmed and known.affirmed):
        return None
    is_another = new.predicate == "name" and may_be_several(new.subject.rpartition("'s ")[2])
    is_certain = new.is_certain and not is_another
    if is_certain or new.is_change or _is_near(new.value, known.value):
        return "replaced"
    return "disputed"


def _names_more(one: str, other: str) -> bool:
    """Whether one of two values is the other with a word more: `eu-1` and `eu-1 region`."""
    a, b = one.split(), other.split()
    few, many = sorted((a, b), key=len)
    return len(few) < len(many) and set(few) <= set(many) and not any(map(is_bare_quantity, few))


def _is_near(one: str, other: str) -> bool:
    """Whether two names are spelt nearly alike, so that one corrects the other."""
    if not (one.isalpha() and other.isalpha() and one.isascii()):
        return False
    return abs(len(one) - len(other)) < _NEAR and one[:_NEAR] == other[:_NEAR]


def _is_refined(said: Statement, before: Statement) -> bool:
    """Whether a statement says all that was known, and a detail after it."""
    if len(before.clauses) != 1 or before.clauses[0].is_rule:
        return False
    if not all(one.affirmed for one in (*said.properties, *before.properties)):
        return False
    known, words = before.words, said.words
    more = words[len(known) :]
    if (
        words[: len(known)] != known
        or not more
        or any("taste:" in p.predicate for p in before.properties)
    ):
        return False
    return said.clauses[0].words == known or more[0] in _CONNECTING


def _tell_alike(said: Statement, before: Statement, shared: int) -> bool:
    """Whether a correction can only mean a known statement: nearly all of their words are shared.

    "Correction: the user likes tea" may correct any liking, so it replaces none of another thing.
    """
    return shared >= _MOST_WORDS * max(len(said.words), len(before.words))


def _compare_frames(said: Statement, before: Statement) -> Relation | None:
    """Two statements that differ in one place only, where a number or a time stands."""
    a, b = said.words, before.words
    front = 0
    while front < min(len(a), len(b)) and a[front] == b[front]:
        front += 1
    back = 0
    while back < min(len(a), len(b)) - front and a[-1 - back] == b[-1 - back]:
        back += 1
    new, known = a[front : len(a) - back], b[front : len(b) - back]
    is_one_place = 0 < len(new) <= _LONGEST_VALUE and 0 < len(known) <= _LONGEST_VALUE
    if front < _LEAST_PREFIX or not is_one_place:
        return None
    if said.is_instead and front >= _LEAST_FRAME:
        return "replaces"
    names_old = bool(said.denied) and set(said.denied) <= set(known)
    if names_old or (said.is_correction and _tell_alike(said, before, front + back)):
        return "replaces"
    if not all(map(is_bare_quantity, (*new, *known))):
        return None
    if all(one.has_one_value for one in (*said.properties, *before.properties)):
        return None  # they tell different properties, or they had been compared
    return "replaces" if any(one.is_change for one in said.properties) else "contradicts"
