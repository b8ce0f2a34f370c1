"""What rests on what: the evidence, the derivations and the coverage of every memory.

A memory of any type rests on its sources in one of these ways.

- By evidence: its wording was concluded from a turn, and more turns may say the same. It stands as
  long as one of them is left. A turn bears out the wording that held when it was noted, and none
  that came before or after.
- By derivation: a nightly run derived it from other memories. It may say any part of them in any
  words.
- By coverage: it sums up a span of a session, and may say any part of it in any words.
- By correction: it rests on no turn, and waits for the user's word to take a memory's place.

What somebody stated rests on nothing but that.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

Relation = Literal["evidence", "derivation", "coverage", "correction"]
OrphanKind = Literal[
    "memory",
    "derived memory",
    "episode",
    "former wording",
    "core line",
    "history line",
    "queue entry",
    "plan item",
    "edge",
]


class Dependent(NamedTuple):
    """A memory that rests on something."""

    memory_id: str
    relation: Relation
    is_stated: bool = False
    """Whether somebody stated what it says now: then it stands by itself."""
    is_drawn_from: bool = False
    """Whether one of its wordings was concluded from it, and not only repeated there."""
    has_other_source: bool = False
    """Whether its present wording has a source beside those in question. Told of evidence only."""


class Orphan(NamedTuple):
    """Something all of whose sources are gone."""

    kind: OrphanKind
    id: str
    """Of a memory, a turn or a queue entry; what tells anything else from others of its kind."""
    number: int = 0
    """Of a former wording; 0 of anything else."""


class Dependencies(Protocol):
    """What a tenant's memories, queue entries and edges rest on."""

    def list_dependents(self, memory_ids: Sequence[str], turn_ns: Sequence[int]) -> list[Dependent]:
        """The memories that rest on one of these memories or turns, in order of their ids.

        One that rests on them in several ways is listed by the closest: correction before coverage
        before derivation before evidence.
        """
        ...

    def list_unsupported_wordings(self, turn_ns: Sequence[int]) -> dict[int, str]:
        """Former wordings that would have no source left without these turns.

        Returns:
            Ids of the memories, by the numbers of the wordings.
        """
        ...

    def list_orphans(self) -> list[Orphan]:
        """Every row, but for items of nightly plans, that has outlived all its sources."""
        ...

    def list_existing(self, ids: Sequence[str]) -> set[str]:
        """Those of these ids that a memory, a turn, a session or a queue entry has."""
        ...

    def list_planned_items(self) -> list[str]:
        """What runs that were broken off are still to do, as it stands in their plans."""
        ...

    def list_unsupported_joins(self) -> list[str]:
        """Ids of the entities that a model alone has joined with another, and no name does now."""
        ...

    def delete_orphan_rows(self) -> int:
        """Delete the core lines and edges that have outlived their sources. Gives how many."""
        ...

    def drop_unsupported_entries(self, now: int) -> int:
        """Drop the queue entries of which no turn is left. Gives how many."""
        ...

    def drop_unsupported_edges(self, memory_ids: Sequence[str]) -> int:
        """Delete the edges of these memories to entities they no longer name. Gives how many."""
        ...
