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


class Surroundings(NamedTuple):
    """Where turns and those around them stand, as columns in no order; some turns come twice."""

    ns: "Integers"
    sessions: "Integers"
    indexes: "Integers"
    speakers: frozenset[str | None] = frozenset()
    """Who said those in the middle."""
