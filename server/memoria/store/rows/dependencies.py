"""Dependencies of memories, queue entries and edges."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows, as_json

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


class Dependencies:
    """The sources of a tenant's memories, queue entries and edges."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "dependencies")

    def list_dependents(self, memory_ids: Sequence[str], turn_ns: Sequence[int]) -> list[Dependent]:
        """List the memories that rest on one of these memories or turns, in order of their ids.

        One that rests on them in several ways is listed by the closest: correction before coverage
        before derivation before evidence.
        """
        ids, ns = as_json(memory_ids), as_json(turn_ns)
        found = {
            row["id"]: Dependent(
                row["id"],
                "evidence",
                bool(row["is_stated"]),
                bool(row["is_drawn_from"]),
                bool(row["has_other_source"]),
            )
            for row in self._rows.all("by_evidence", ns=ns)
        }
        for row in self._rows.all("by_derivation", ids=ids, ns=ns):
            found[row["id"]] = Dependent(row["id"], "derivation")
        for row in self._rows.all("by_coverage", ns=ns):
            found[row["id"]] = Dependent(row["id"], "coverage")
        for row in self._rows.all("by_correction", ids=ids):
            found[row["id"]] = Dependent(row["id"], "correction")
        return [found[memory_id] for memory_id in sorted(found)]

    def list_unsupported_wordings(self, turn_ns: Sequence[int]) -> dict[int, str]:
        """Find former wordings that would have no source left without these turns.

        Returns:
            Ids of the memories, by the numbers of the wordings.
        """
        rows = self._rows.all("unsupported_wordings", ns=as_json(turn_ns))
        return {row["n"]: row["id"] for row in rows}

    def list_orphans(self) -> list[Orphan]:
        """List every row, but for items of nightly plans, that has outlived all its sources."""
        orphans = [Orphan(row["kind"], row["id"]) for row in self._rows.all("orphan_memories")]
        orphans += [
            Orphan("former wording", row["id"], row["number"])
            for row in self._rows.all("orphan_wordings")
        ]
        kinds: Sequence[tuple[OrphanKind, str]] = (
            ("core line", "orphan_core_lines"),
            ("queue entry", "orphan_entries"),
            ("edge", "orphan_edges"),
        )
        for kind, statement in kinds:
            orphans += [Orphan(kind, row["id"]) for row in self._rows.all(statement)]
        return orphans

    def list_existing(self, ids: Sequence[str]) -> set[str]:
        """Select the ids that a memory, a turn, a session or a queue entry has."""
        return {row["id"] for row in self._rows.all("existing", ids=as_json(ids))}

    def list_planned_items(self) -> list[str]:
        """List the unfinished items in the plans of nightly runs that were broken off."""
        return [row["item"] for row in self._rows.all("planned_items")]

    def list_unsupported_joins(self) -> list[str]:
        """List ids of entities that a model alone has joined with another, and no name does now."""
        return [row["id"] for row in self._rows.all("unsupported_joins")]

    def delete_orphan_rows(self) -> int:
        """Delete core lines and edges that have outlived their sources; return their number."""
        statements = ("delete_core_lines", "delete_edges")
        return sum(map(self._rows.change, statements))

    def drop_unsupported_entries(self, now: int) -> int:
        """Drop the queue entries of which no turn is left, and return their number."""
        return self._rows.change("drop_entries", now=now)

    def drop_unsupported_edges(self, memory_ids: Sequence[str]) -> int:
        """Delete these memories' edges to entities they no longer name, and return their number."""
        return self._rows.change("drop_edges", ids=as_json(memory_ids))
