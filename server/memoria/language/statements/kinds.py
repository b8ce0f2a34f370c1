"""Kinds: the type of a statement that somebody keeps and names no type for."""

from memoria.language.statements.classifier import classify_text
from memoria.language.statements.directions import is_worded_as_order
from memoria.language.statements.standing import is_standing_wish
from memoria.model.memory_types import MemoryType


def guess_type(content: str) -> MemoryType:
    """Return the type of a statement by its wording: an order is a rule, what is unclear a fact."""
    if is_standing_wish(content) or is_worded_as_order(content):
        return MemoryType.RULE
    return classify_text(content)
