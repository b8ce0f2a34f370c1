"""Condition: on what condition something was told, by whoever told it."""

from enum import StrEnum


class Condition(StrEnum):
    """What may be done with what was told; the later, the stricter."""

    CONFIDED = "told in confidence"
    """Found by who asks, with these words, and told to nobody who has not asked."""
    WITHHELD = "not to be kept"
    """In no answer."""
