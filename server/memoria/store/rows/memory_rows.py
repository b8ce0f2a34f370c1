"""Memories from their rows.

A search reads dozens. Fields that were checked when written are not checked again; only a word of
an enumeration that this version does not know is refused.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeVar

from memoria.errors import StoreDamagedError
from memoria.model import InferredBy, Memory, MemoryVersion, Provenance, Scope, Trust, Validity
from memoria.model.memory import CARRIED_COLUMNS, SourceKind
from memoria.model.memory_types import MemoryType
from memoria.store.sql.tenant_rows import TenantRows, list_numbers
from memoria.store.values import NewMemory, NewVersion

_Member = TypeVar("_Member", bound=StrEnum)


class MemoryReader:
    """Builds memories from the rows of their wordings."""

    def __init__(self, rows: TenantRows) -> None:
        self._rows = rows

    def load_in_order(self, ns: Sequence[int]) -> list[Memory]:
        """Return the memories with these numbers, in the order given."""
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

    If the writer does not say, its type decides.
    """
    if memory.workspace is None or (memory.scope is None and memory.type.is_personal):
        return "everywhere"
    return memory.scope or "project"


def is_verified_by_channel(version: NewVersion) -> int:
    """Return 1 if the user stated it through a channel of their own: it needs no confirmation."""
    return int(version.provenance.trust is Trust.USER)


def read_memory(row: Sequence[Any], versions: tuple[MemoryVersion, ...]) -> Memory:
    """Build a memory with its wordings, newest first."""
    (memory_id, kind, validity, importance, confidence, pinned, verified, upvotes, downvotes,
     created_at, updated_at, workspace, scope, subject, predicate, task, expires_at, evidence,
     *carried) = row  # fmt: skip
    return Memory.of_checked(
        {
            "id": memory_id,
            "type": _read_member(MemoryType, kind),
            "validity": _read_member(Validity, validity),
            "importance": importance,
            "confidence": confidence,
            "pinned": bool(pinned),
            "verified": bool(verified),
            "upvotes": upvotes,
            "downvotes": downvotes,
            "created_at": created_at,
            "updated_at": updated_at,
            "workspace": workspace,
            "scope": scope,
            "subject": subject,
            "predicate": predicate,
            "task": task,
            "expires_at": expires_at,
            "evidence": evidence,
            **dict(zip(CARRIED_COLUMNS, carried, strict=True)),
            "contradicts": (),
            "outdated_by": (),
            "entities": (),
            "links": (),
            "local": None,
            "later": None,
            "condition": None,
            "former_end": None,
            "is_unchanged": False,
            "versions": versions,
        }
    )


def read_version(row: Sequence[Any], held_until: int | None) -> MemoryVersion:
    """Build a wording; the last one ends when another memory has replaced this one."""
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
