"""Portable rows: a tenant's rows as records that mean the same in any home.

A row refers to others by numbers, which another home gives to other rows. A record refers to them
by keys that hold everywhere: ids, a session's source and id, a workspace's name.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from pydantic import JsonValue

PortableRecord = dict[str, JsonValue]
PortableKind = Literal[
    "workspace",
    "session",
    "entity",
    "turn",
    "memory",
    "merge",
    "edge",
    "scratchpad",
    "queue_entry",
    "audit_entry",
    "private_time",
    "forget_report",
    "tombstone",
]
PORTABLE_KINDS: tuple[PortableKind, ...] = get_args(PortableKind)
"""Kinds of records, in an order in which each follows those that it refers to."""
PutOutcome = Literal["added", "changed", "known", "left_out"]
"""Outcome of putting a record; left out if there is nothing here for it to refer to."""


@dataclass(frozen=True, slots=True)
class PortableSelection:
    """The part of a tenant to export. Turns that a wanted memory rests on are wanted, too."""

    workspace: str | None = None
    """Project in which it was said or learnt; None for all."""
    since: int | None = None
    """UTC epoch ms."""
    until: int | None = None
    """UTC epoch ms, exclusive."""

    @property
    def is_whole(self) -> bool:
        """True if everything is wanted."""
        return self == PortableSelection()


@dataclass(slots=True)
class PortableMerge:
    """State of one import, from its first transaction to the last."""

    turn_ids: dict[str, str] = field(default_factory=dict)
    """Ids of turns in this home, by the ids in the records, where they differ."""
    entities: dict[str, PortableRecord] = field(default_factory=dict)
    """Entities of the records, by their ids there."""
    entity_ids: dict[str, str] = field(default_factory=dict)
    """Ids of entities in this home, by the ids in the records, where they differ."""
    newest_memory: int | None = None
    """Number of the newest memory that was here before; None until it is looked up."""
    reworded: set[str] = field(default_factory=set)
    """Ids of memories with a newer wording here than in their records."""


class PortableRows(Protocol):
    """A tenant's rows as records."""

    def count(self, kind: PortableKind, selection: PortableSelection) -> int:
        """Count the records of a kind; for some kinds an upper bound."""
        ...

    def read(self, kind: PortableKind, selection: PortableSelection) -> Iterator[PortableRecord]:
        """Yield the records of a kind; each follows those that it refers to."""
        ...

    def attempt(self) -> AbstractContextManager[None]:
        """Take in a record in a block: all of it, or nothing.

        Raises:
            ValueError: the record is not valid; the message says why.
        """
        ...

    def put(self, kind: PortableKind, record: PortableRecord, merge: PortableMerge) -> PutOutcome:
        """Write a record, or bring the rows of its subject in line with it.

        Two homes that read each other's records hold the same afterwards. To be called in an
        attempt: whatever is wrong with the record is said at its end.
        """
        ...

    def join_entities(self, merge: PortableMerge) -> None:
        """Join the imported entities that are the same. To be called at the end."""
        ...
