"""Positions: where turns stand in their conversations."""

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]


class TurnPosition(NamedTuple):
    """Where a turn stands."""

    n: int
    session_n: int
    turn_index: int


SESSION_BITS = 32
"""A place is one number: its session's, and behind it in so many bits its own in the session."""


class Surroundings(NamedTuple):
    """Where turns and those around them stand, as columns in order of their places."""

    ns: "Integers"
    """Once each."""
    places: "Integers"
    speakers: frozenset[str] = frozenset()
    """Who said those in the middle, as far as they have names."""
