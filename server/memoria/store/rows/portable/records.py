"""Portable records: exported rows, what to export, the state of an import, and its tables."""

import json
from dataclasses import dataclass, field
from typing import Literal, get_args

from pydantic import JsonValue

from memoria.store.connection import Connection
from memoria.store.rows.attachments import Attachments
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
"""Kinds of records; each kind follows the kinds to which it refers."""
PutOutcome = Literal["added", "changed", "known", "left_out"]
"""Outcome of writing a record; left out if the home lacks a row that it refers to."""


@dataclass(frozen=True, slots=True)
class PortableSelection:
    """The part of a tenant to export. Turns on which a wanted memory rests are included."""

    workspace: str | None = None
    """Project of the turns and memories to export; None for all."""
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
    """Records of entities, by the ids in the records."""
    entity_ids: dict[str, str] = field(default_factory=dict)
    """Ids of entities in this home, by the ids in the records, where they differ."""
    newest_memory: int | None = None
    """Number of the newest memory before the import; None until looked up."""
    reworded: set[str] = field(default_factory=set)
    """Ids of memories whose wording in this home is newer than in their records."""


@dataclass(frozen=True, slots=True)
class PortableTables:
    """A tenant's tables in one transaction."""

    connection: Connection
    tenant: int
    documents: DocumentIndex
    conversations: Conversations
    attachments: Attachments
    memories: Memories
    wordings: Wordings
    workspaces: Workspaces

    def open_rows(self, file: str = "portable_put") -> TenantRows:
        """Return the statements of a file; by default those that write exported records."""
        return TenantRows(self.connection, self.tenant, file)


def bytes_of(digits: str) -> bytes:
    """Convert a record's hexadecimal digits to bytes."""
    return bytes.fromhex(digits)


def json_text(value: object) -> str:
    """Convert a value to JSON, as stored and compared."""
    return json.dumps(value, ensure_ascii=False)
