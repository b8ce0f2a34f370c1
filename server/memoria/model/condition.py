"""Condition: a speaker's wish for secrecy about what they tell."""

from enum import StrEnum


class Condition(StrEnum):
    """Conditions under which something was told, the mildest first."""

    CONFIDED = "told in confidence"
    """Told to whoever asks, with these words, and to nobody else."""
    WITHHELD = "not to be kept"
    """Kept out of every answer."""
