"""Positions: the places of turns in their conversations."""

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]


class TurnPosition(NamedTuple):
    """A turn's number, its session and its place there."""

    n: int
    session_n: int
    turn_index: int


SESSION_BITS = 32
"""Bits of a place that hold the turn's place in its session; the session's number is above them."""


class Surroundings(NamedTuple):
    """Positions of turns and of those around them, as columns in order of their places."""

    ns: "Integers"
    """Numbers of the turns, each once."""
    places: "Integers"
    speakers: frozenset[str] = frozenset()
    """Names of the speakers of the turns in the middle, as far as they have names."""
