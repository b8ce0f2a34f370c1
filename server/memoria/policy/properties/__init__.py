"""Properties: what a new statement is to a known one, by rules and without a model.

The rules are imported when they are first asked, because the start-up does without them.
"""

from memoria.model.ruling import Relation
from memoria.policy.properties.base import Property

__all__ = ["Property", "read_properties", "relate_statements"]


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
