"""Portable records: rows that mean the same in any home, and the tables that take them in."""

import json
from dataclasses import dataclass, field
from typing import Literal, get_args

from pydantic import JsonValue

from memoria.store.connection import Connection
from memoria.store.rows.conversations import Conversations
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.memories import Memories
from memoria.store.rows.memory_rows import Wordings
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows

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


@dataclass(frozen=True, slots=True)
class PortableTables:
    """A tenant's tables in one transaction."""

    connection: Connection
    tenant: int
    documents: DocumentIndex
    conversations: Conversations
    memories: Memories
    wordings: Wordings
    workspaces: Workspaces

    def open_rows(self) -> TenantRows:
        """Return the statements that only a merge needs."""
        return TenantRows(self.connection, self.tenant, "portable_put")


def bytes_of(digits: str) -> bytes:
    """Convert a record's hexadecimal digits to bytes."""
    return bytes.fromhex(digits)


def json_text(value: object) -> str:
    """Convert a value to JSON as it is stored and compared."""
    return json.dumps(value, ensure_ascii=False)
