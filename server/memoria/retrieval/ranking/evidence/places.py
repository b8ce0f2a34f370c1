"""Places of turns in their conversations, as columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from memoria.retrieval.ranking.evidence.columns import find_changes, find_rows
from memoria.retrieval.ranking.evidence.words import Bits, Integers
from memoria.store.positions import SESSION_BITS, Surroundings


@dataclass(frozen=True, slots=True)
class Places:
    """Turns and their places; versions of a message share one."""

    ns: Integers
    """Turns, once each, in order."""
    at: Integers
    """Place of each turn among the following."""
    places: Integers
    """Places, once each, in order."""

    @classmethod
    def of_turns(cls, turns: Surroundings) -> Self:
        """Build the places of turns, which are given in the order of their places."""
        is_first = find_changes(turns.places)
        order = turns.ns.argsort()
        return cls(turns.ns[order], (is_first.cumsum() - 1)[order], turns.places[is_first])

    @property
    def sessions(self) -> Integers:
        """Session of each place, in order."""
        return self.places >> SESSION_BITS

    def sessions_of(self, ns: Sequence[int]) -> dict[int, int]:
        """Map documents to their sessions, as far as they are among the turns."""
        rows, is_there = find_rows(self.ns, np.array(ns, np.int64))
        sessions = self.sessions[self.at[rows[is_there]]]
        return dict(zip(self.ns[rows[is_there]].tolist(), sessions.tolist(), strict=True))

    def find_beside(self, step: int) -> tuple[Integers, Bits]:
        """Find for each place the one `step` before it, and whether there is one."""
        return find_rows(self.places, self.places - step)
