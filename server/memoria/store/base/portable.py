"""Portable rows: what a tenant owns, as records that mean the same in any home.

A row refers to others by numbers, which another home gives to other rows. A record refers to them
by what they are known by everywhere: ids, a session's source and id, a workspace's name.
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
"""In an order in which each record follows what it refers to."""
PutOutcome = Literal["added", "changed", "known", "left_out"]
"""What became of a record: left out is what has nothing here to refer to."""


@dataclass(frozen=True, slots=True)
class PortableSelection:
    """What of a tenant is wanted. Turns that a wanted memory rests on are wanted, too."""

    workspace: str | None = None
    """The project in which it was said or learnt; None for all."""
    since: int | None = None
    """UTC epoch ms."""
    until: int | None = None
    """UTC epoch ms, exclusive."""

    @property
    def is_whole(self) -> bool:
        """Whether everything is wanted."""
        return self == PortableSelection()


@dataclass(slots=True)
class PortableMerge:
    """What one reading of records has learnt, from the first transaction to the last."""

    turn_ids: dict[str, str] = field(default_factory=dict)
    """By which id a turn is known here, where a record has another one for it."""
    entities: dict[str, PortableRecord] = field(default_factory=dict)
    """The entities that records speak of, by their ids there."""
    entity_ids: dict[str, str] = field(default_factory=dict)
    """By which id an entity is known here, where a record has another one for it."""
    newest_memory: int | None = None
    """The number of the newest memory that was here before; None until it is looked up."""
    reworded: set[str] = field(default_factory=set)
    """Ids of memories that say something newer here than in their records."""


class PortableRows(Protocol):
    """A tenant's rows as records."""

    def count(self, kind: PortableKind, selection: PortableSelection) -> int:
        """How many records of a kind there are; of some kinds, how many there are at most."""
        ...

    def read(self, kind: PortableKind, selection: PortableSelection) -> Iterator[PortableRecord]:
        """The records of a kind, in an order in which each follows what it refers to."""
        ...

    def attempt(self) -> AbstractContextManager[None]:
        """Take in a record in a block: all of it, or nothing.

        Raises:
            ValueError: it is none; says why.
        """
        ...

    def put(self, kind: PortableKind, record: PortableRecord, merge: PortableMerge) -> PutOutcome:
        """Write a record, or bring what is known of it in line with it.

        Two homes that read each other's records hold the same afterwards. To be called in an
        attempt: whatever is wrong with the record is said at its end.
        """
        ...

    def join_entities(self, merge: PortableMerge) -> None:
        """Note which of the entities that were read are the same. To be called at the end."""
        ...
