"""Dependencies: the evidence, the derivations and the coverage of every memory.

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
    """True if somebody stated its present wording: then it stands by itself."""
    is_drawn_from: bool = False
    """True if a wording of it was concluded from the source, and not only repeated there."""
    has_other_source: bool = False
    """True if its present wording has a source beside those in question; set for evidence only."""


class Orphan(NamedTuple):
    """Something all of whose sources are gone."""

    kind: OrphanKind
    id: str
    """Id of a memory, a turn or a queue entry; for anything else, a key unique within its kind."""
    number: int = 0
    """Number of a former wording; 0 for anything else."""


class Dependencies(Protocol):
    """The sources of a tenant's memories, queue entries and edges."""

    def list_dependents(self, memory_ids: Sequence[str], turn_ns: Sequence[int]) -> list[Dependent]:
        """List the memories that rest on one of these memories or turns, in order of their ids.

        One that rests on them in several ways is listed by the closest: correction before coverage
        before derivation before evidence.
        """
        ...

    def list_unsupported_wordings(self, turn_ns: Sequence[int]) -> dict[int, str]:
        """Find former wordings that would have no source left without these turns.

        Returns:
            Ids of the memories, by the numbers of the wordings.
        """
        ...

    def list_orphans(self) -> list[Orphan]:
        """List every row, but for items of nightly plans, that has outlived all its sources."""
        ...

    def list_existing(self, ids: Sequence[str]) -> set[str]:
        """Select the ids that a memory, a turn, a session or a queue entry has."""
        ...

    def list_planned_items(self) -> list[str]:
        """List the unfinished items in the plans of nightly runs that were broken off."""
        ...

    def list_unsupported_joins(self) -> list[str]:
        """List ids of entities that a model alone has joined with another, and no name does now."""
        ...

    def delete_orphan_rows(self) -> int:
        """Delete core lines and edges that have outlived their sources; return their number."""
        ...

    def drop_unsupported_entries(self, now: int) -> int:
        """Drop the queue entries of which no turn is left, and return their number."""
        ...

    def drop_unsupported_edges(self, memory_ids: Sequence[str]) -> int:
        """Delete these memories' edges to entities they no longer name, and return their number."""
        ...
