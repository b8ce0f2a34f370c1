"""Properties: what a new statement is to a known one, by rules and without a model.

The rules are imported when they are first asked, because the start-up does without them.
"""

from collections.abc import Sequence

from memoria.model.ruling import Relation
from memoria.policy.properties.base import MOVED_HOUSE, Property

__all__ = [
    "Property",
    "list_related",
    "read_condition",
    "read_properties",
    "read_topic",
    "relate_statements",
    "tells_of_now",
    "tells_of_the_same",
    "tells_present_of",
]


def read_topic(text: str) -> Property | None:
    """The one property that a statement tells as it is now, by which its memory is found again.

    None where it tells several or none that a rule reads, what was, or what is only planned.
    """
    found = [one for one in read_properties(text) if one.predicate != MOVED_HOUSE]
    if len(found) != 1 or not found[0].subject or found[0].is_unread:
        return None
    (one,) = found
    return one if one.affirmed and one.holds_now else None


def tells_of_now(text: str) -> bool:
    """Whether nothing in a statement says that it tells only what was, may be or is planned."""
    found = read_properties(text)
    return not found or any(one.holds_now for one in found)


def read_condition(text: str) -> str:
    """Where or when a rule for the assistant holds; empty if it always does, or is no rule."""
    return next((one.condition for one in read_properties(text) if one.condition), "")


def read_properties(text: str) -> tuple[Property, ...]:
    """The properties that a statement tells, as rules read it."""
    from memoria.policy.properties.read import read_statement  # noqa: PLC0415  (see above)

    return read_statement(text).properties


def relate_statements(new: str, known: str) -> Relation | None:
    """What a new statement is to a known one, as far as rules can tell.

    Args:
        new: what is said now.
        known: what was said before.

    Returns:
        None where no rule tells; nothing follows from that.
    """
    from memoria.policy.properties.relate import compare_statements  # noqa: PLC0415  (see above)

    return compare_statements(new, known)


def list_related(known: str, others: Sequence[str]) -> list[str]:
    """Which other statements may have to do with a known one, as far as a first look tells.

    Of all the rest rules tell nothing but that it is different. To see that takes a third of the
    time that it takes to read them.
    """
    from memoria.policy.properties import relate  # noqa: PLC0415  (see above)

    return relate.list_related(known, others)


def tells_present_of(new: str, known: str) -> bool:
    """Whether a statement tells how things are of which a known one tells how they were."""
    from memoria.policy.properties import relate  # noqa: PLC0415  (see above)

    return relate.tells_present_of(new, known)


def tells_of_the_same(new: str, known: str) -> bool:
    """Whether a statement tells how things are of which a known one tells, now or then."""
    from memoria.policy.properties import relate  # noqa: PLC0415  (see above)

    return relate.tells_of_the_same(new, known)
