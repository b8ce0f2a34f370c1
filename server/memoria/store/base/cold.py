"""Edges that a walk does without, and those that have been set aside."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

Place = tuple[int, int, int]
"""An edge: the node it comes from, the number of its kind, the node it leads to."""
Why = Literal["idle", "full", "dense"]
"""An end is not active; a node has all that its kind may have; nearer neighbours bind them too."""


class Likeness(NamedTuple):
    """Two memories that are alike."""

    place: Place
    cosine: float
    ruled: bool
    """Whether a model has said that they are two: that is kept."""


class Waiting(NamedTuple):
    """An edge that was set aside for want of room."""

    place: Place
    why: Why
    at_src: int
    """How many of its kind one end has."""
    at_dst: int
    """How many the other has."""
    cap: int
    """How many they may have."""


class ColdEdges(Protocol):
    """A tenant's edges by whether they are worth walking."""

    def crowded(self, most: int, limit: int) -> list[int]:
        """The nodes with more neighbours by meaning than so many, the most crowded first."""
        ...

    def alike(self, ns: Sequence[int]) -> list[Likeness]:
        """What binds these nodes to neighbours by meaning, each edge once."""
        ...

    def idle(self, after: int, limit: int) -> tuple[list[Place], int | None]:
        """Neighbours by meaning of memories that are not active, from so many memories.

        Args:
            after: the number of the memory after which to look.
            limit: how many memories are looked at.

        Returns:
            The edges, and the number after which to go on; None where that was the end.
        """
        ...

    def unfolded(self) -> list[tuple[Place, int]]:
        """What bears out a memory that was merged, each with the node it was merged into."""
        ...

    def waiting(self, limit: int) -> list[Waiting]:
        """What was set aside for want of room, the strongest first."""
        ...

    def set_aside(self, place: Place, why: Why) -> bool:
        """Set an edge aside. Gives whether it was there, and whether the reason still holds."""
        ...

    def bring_back(self, place: Place) -> bool:
        """Let an edge be walked again. Gives whether it was set aside."""
        ...

    def fold(self, place: Place, heir: int) -> bool:
        """Let a node rest on what another rests on. Gives whether that was new."""
        ...
