"""Memories built from their rows, and wordings written to them.

Values that were checked when written are not checked again; only a word of an enumeration that this
version does not know is refused.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeVar

from memoria.errors import StoreDamagedError
from memoria.language.words.document import memory_tokens
from memoria.model import InferredBy, Memory, MemoryVersion, Provenance, Scope, Trust, Validity
from memoria.model.memory import CARRIED_COLUMNS, SourceKind
from memoria.model.memory_types import MemoryType
from memoria.model.metadata import parse_metadata
from memoria.model.moments import Zone
from memoria.store.connection import Connection
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.sql.statements import TenantRows, list_numbers
from memoria.store.values import NewMemory, NewVersion

_Member = TypeVar("_Member", bound=StrEnum)
_MEMORY_FIELDS = (
    *("id", "type", "validity", "importance", "confidence", "pinned", "verified"),
    *("upvotes", "downvotes", "created_at", "updated_at", "workspace", "scope"),
    *("subject", "predicate", "task", "expires_at", "evidence", *CARRIED_COLUMNS),
)


class MemoryReader:
    """Builds memories from the rows of their wordings."""

    def __init__(self, rows: TenantRows) -> None:
        self._rows = rows

    def load_in_order(self, ns: Sequence[int]) -> list[Memory]:
        """Return memories by their numbers, in the order given."""
        found = self.load(ns)
        return [found[n] for n in ns]

    def load(self, ns: Sequence[int]) -> dict[int, Memory]:
        """Map numbers to memories, with all their wordings."""
        return self.build(self._rows.tuples("versions", ns=list_numbers(ns))) if ns else {}

    def build(self, rows: Sequence[tuple[Any, ...]]) -> dict[int, Memory]:
        """Build memories from all the rows of their wordings, newest first."""
        versions: dict[int, list[list[Any]]] = {}
        for memory_n, *row in rows:
            versions.setdefault(memory_n, []).append(row)
        found = self._rows.tuples("memories", ns=list_numbers(versions)) if versions else []
        return {
            n: read_memory(
                row,
                tuple(
                    read_version(version, None if place else held_until)
                    for place, version in enumerate(versions[n])
                ),
            )
            for n, held_until, *row in found
        }


def choose_scope(memory: NewMemory) -> Scope:
    """Decide the scope of a new memory: everywhere without a project, else as its writer says.

    The memory's type decides if the writer does not say.
    """
    if memory.workspace is None or (memory.scope is None and memory.type.is_personal):
        return "everywhere"
    return memory.scope or "project"


def is_verified_by_channel(version: NewVersion) -> int:
    """Return 1 for a wording stated by the user's own channel, which needs no confirmation."""
    return int(version.provenance.trust is Trust.USER)


def read_memory(row: Sequence[Any], versions: tuple[MemoryVersion, ...]) -> Memory:
    """Build a memory with its wordings, newest first."""
    fields = dict(zip(_MEMORY_FIELDS, row, strict=True))
    fields["type"] = _read_member(MemoryType, fields["type"])
    fields["validity"] = _read_member(Validity, fields["validity"])
    fields["pinned"], fields["verified"] = bool(fields["pinned"]), bool(fields["verified"])
    fields["metadata"] = parse_metadata(fields["metadata"])
    return Memory.of_known({**fields, "versions": versions})


def read_version(row: Sequence[Any], held_until: int | None) -> MemoryVersion:
    """Build a wording; an open end is `held_until`, when another memory took its place."""
    (n, version, content, valid_from, valid_to, ingested_at, source_kind, trust, channel, client,
     session_id, message_id, turn_id, turn_index, quote, inferred_by, event_at, event_expression,
     utc_offset) = row  # fmt: skip
    provenance = Provenance.of_checked(
        {
            "source_kind": _read_member(SourceKind, source_kind),
            "trust": _read_member(Trust, trust),
            "channel": channel,
            "client": client,
            "session_id": session_id,
            "message_id": message_id,
            "turn_id": turn_id,
            "turn_index": turn_index,
            "quote": quote,
        }
    )
    return MemoryVersion.of_checked(
        {
            "n": n,
            "version": version,
            "content": content,
            "valid_from": valid_from,
            "valid_to": held_until if valid_to is None else valid_to,
            "ingested_at": ingested_at,
            "provenance": provenance,
            "inferred_by": _read_member(InferredBy, inferred_by),
            "event_at": event_at,
            "event_expression": event_expression,
            "utc_offset": utc_offset,
        }
    )


def _read_member(kind: type[_Member], word: str) -> _Member:
    try:
        return kind(word)
    except ValueError as error:
        raise StoreDamagedError.for_problem(f"{word!r} is no {kind.__name__}") from error


class Wordings:
    """Writes the wordings of a tenant's memories."""

    def __init__(
        self, connection: Connection, tenant: int, documents: DocumentIndex, zone: Zone
    ) -> None:
        self._rows = TenantRows(connection, tenant, "memories")
        self._documents = documents
        self._zone = zone

    def write(
        self,
        memory_n: int,
        number: int,
        version: NewVersion,
        valid_to: int | None = None,
        *,
        suppressed: bool = False,
    ) -> int:
        """Write a wording with its index row and backlog entry, and return its number."""
        place = self._rows.first("place", memory_n=memory_n, turn_n=version.turn_n)
        seen_from = None if place is None else place["workspace_n"]
        offset = None if place is None else place["utc_offset"]
        said_in = self._zone.at_offset(version.valid_from, offset)
        told = version.predicate or (None if place is None else place["predicate"])
        words, context = memory_tokens(version.content, told, version.valid_from, said_in)
        n = self._documents.add("memory", seen_from, words, context, suppressed=suppressed)
        self._rows.send(
            "add_version",
            n=n,
            memory_n=memory_n,
            version=number,
            content=version.content,
            fingerprint=version.fingerprint,
            valid_from=version.valid_from,
            ingested_at=version.ingested_at,
            source_kind=version.provenance.source_kind.value,
            trust=version.provenance.trust.value,
            channel=version.provenance.channel,
            client=version.provenance.client,
            turn_n=version.turn_n,
            quote=version.provenance.quote,
            inferred_by=version.inferred_by.value,
            event_at=version.event_at,
            event_expression=version.event_expression,
            valid_to=valid_to,
        )
        return n

    def index_again(self, memory_n: int) -> None:
        """Index the present wording of a memory again, with its present predicate."""
        row = self._rows.first("present_wording", memory_n=memory_n)
        if row is not None:
            since = row["valid_from"]
            said_in = self._zone.at_offset(since, row["utc_offset"])
            tokens = memory_tokens(row["content"], row["predicate"], since, said_in)
            self._documents.replace_tokens(row["n"], *tokens)
