"""Records: a tenant's rows as they mean the same in any home."""

from dataclasses import dataclass, field
from typing import Literal, get_args

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
