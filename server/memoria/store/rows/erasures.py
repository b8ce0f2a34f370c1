"""Erasures: selecting rows to forget and all that rests on them, counting rows, and proofs."""

import json
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from memoria.model.forgetting import ForgetReport
from memoria.store.connection import Connection, Row
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows, as_json, as_json_or_null, build_value
from memoria.store.values import ErasureFilter, ErasureScope, MessageName


class Holdings(NamedTuple):
    """Totals of a tenant."""

    memories: int
    turns: int
    newest: int
    """Number of the newest document: one of the three numbers changes with any document."""


_ALL = (1 << 63) - 1
"""The value that means no limit."""
_UNKNOWN = -1
"""Number of no workspace, for a name that was never stored: nothing matches."""
_NUMBERS = ("items", "removed", "remaining")
_CLEAR = (
    *("journal", "plans", "runs", "file_records", "core_lines", "core_files", "tasks"),
    *("scratchpads", "queue", "edges", "name_uses", "names", "entities"),
    *("nodes", "episodes", "evidence", "versions", "merges", "memories", "calls"),
    *("attachments", "turns", "full_text"),
    *(
        "embeddings",
        "backlog",
        "documents",
        "segments",
        "transcripts",
        "sessions",
        "texts",
        "workspaces",
    ),
)
"""Order in which a tenant's tables are emptied: references go before their targets."""
_PLACES = ("sessions", "workspaces")
"""Tables with the names of sessions and projects."""


class Erasures:
    """A tenant's rows to be erased, and the reports on erasures."""

    def __init__(self, connection: Connection, tenant: int, documents: DocumentIndex) -> None:
        self._rows = TenantRows(connection, tenant, "erasures")
        self._documents = documents
        self._workspaces = Workspaces(connection, tenant)

    def list_memories(self, wanted: ErasureFilter) -> list[str]:
        """List ids of the memories that pass a filter, oldest first."""
        return self._rows.column(
            "memories",
            types=as_json_or_null(wanted.types),
            is_narrow=wanted.is_narrow,
            **self._parameters(wanted),
        )

    def list_turns(self, wanted: ErasureFilter) -> list[int]:
        """List numbers of the turns that pass a filter, in all their versions, oldest first."""
        return self._rows.column("turns", **self._parameters(wanted))

    def list_about(self, topic: str, key: str) -> list[str]:
        """List ids of the memories that name an entity, or that have the entity for their subject.

        Args:
            topic: the entity's id or name, as given.
            key: the name folded for comparison.
        """
        return self._rows.column("about", topic=topic, key=key)

    def list_turn_metadata(self) -> list[tuple[int, str]]:
        """List the numbers of the turns that have metadata, with it as it is stored."""
        return self._rows.tuples("turns_with_metadata")

    def list_memory_metadata(self) -> list[tuple[str, str]]:
        """List the ids of the memories that have metadata, with it as it is stored."""
        return self._rows.tuples("memories_with_metadata")

    def list_core_marks(self, memory_ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """Map the place of each core file to the marks of its lines about the memories."""
        rows = self._rows.all("core_marks", ids=as_json(memory_ids))
        places = dict.fromkeys(row["file"] for row in rows)
        return {
            place: frozenset(row["mark"] for row in rows if row["file"] == place)
            for place in places
        }

    def find_scope(
        self, memory_ids: Sequence[str], wording_ns: Sequence[int], turn_ns: Sequence[int]
    ) -> ErasureScope:
        """Find the numbers and hashes under which memories and turns stand in the indexes."""
        memories = self._list_numbers("memory_numbers", ids=as_json(memory_ids))
        wordings = self._list_numbers("wording_numbers", memories=as_json(memories))
        documents = (*wordings, *wording_ns, *turn_ns)
        nodes = self._list_numbers(
            "node_numbers", memories=as_json(memories), documents=as_json(turn_ns)
        )
        rows = self._rows.all("sole_hashes", ns=as_json(turn_ns)) if turn_ns else []
        return ErasureScope(memories, documents, nodes, tuple(row["hash"] for row in rows))

    def count_rows(self, scope: ErasureScope) -> dict[str, int]:
        """Count the rows of a scope in each index."""
        rows = self._rows.all(
            "count_rows",
            memories=as_json(scope.memories),
            documents=as_json(scope.documents),
            nodes=as_json(scope.nodes),
        )
        counted = {row["place"]: int(row["total"]) for row in rows}
        documents = as_json(scope.documents)
        counted["full text"] = self._rows.number("count_full_text", documents=documents)
        if scope.hashes:
            counted["texts"] = self._rows.number("count_texts", hashes=as_json(scope.hashes))
        counted["vector index"] = self._documents.count_indexed_vectors(scope.documents)
        return counted

    def get_holdings(self) -> Holdings:
        """Count all memories and turns of the tenant."""
        held = {row["kind"]: row["total"] for row in self._rows.all("holdings")}
        (row,) = self._rows.all("newest_documents")
        return Holdings(held["memory"], held["turn"], row["newest"])

    def count_all_rows(self) -> dict[str, int]:
        """Count the rows in each of the tenant's tables."""
        counted = {row["place"]: int(row["total"]) for row in self._rows.all("count_all")}
        return counted | {"full text": self._rows.number("count_all_full_text")}

    def iterate_messages(self) -> Iterator[tuple[int, str, MessageName]]:
        """Yield (number, id, keys that recognise the message) for every version of every turn."""
        for n, turn_id, *name in self._rows.all("all_messages"):
            yield n, turn_id, MessageName(*name)

    def iterate_wordings(self) -> Iterator[tuple[str, str, str | None]]:
        """Yield (memory id, wording, quote) for every wording of every memory."""
        rows = self._rows.all("all_wordings")
        return ((row["id"], row["content"], row["quote"]) for row in rows)

    def erase_all(self, *, keeps_places: bool = False) -> None:
        """Erase all rows of the tenant but tombstones, proofs and logs, by one statement a table.

        Args:
            keeps_places: True if the names of sessions and projects stay, so that rows put back
                later find their session and project.
        """
        self._documents.withdraw_all()
        for name in _CLEAR:
            if not (keeps_places and name in _PLACES):
                self._rows.send(f"clear_{name}")

    def add_report(self, report: ForgetReport) -> None:
        """Store the proof of a forget; a proof that is stored already stays as it is."""
        fields = report.model_dump(exclude={"digests"})
        for name in ("selected_by", *_NUMBERS):
            fields[name] = json.dumps(fields[name])
        if self.get_report(report.id) is None:
            report_n = self._rows.insert("add_report", **fields)
            self._rows.change_many(
                "add_digest",
                (
                    {"report_n": report_n, "ordinal": ordinal, "digest": digest}
                    for ordinal, digest in enumerate(report.digests)
                ),
            )

    def list_reports(self, limit: int, before: str | None = None) -> list[ForgetReport]:
        """List the newest proofs, or those before the one of an id, without their digests."""
        rows = self._rows.all("reports", limit=limit, before=before)
        return [_to_report(row) for row in rows]

    def list_all_reports(self) -> list[ForgetReport]:
        """List every proof with its digests, oldest first."""
        found = (self.get_report(one.id) for one in reversed(self.list_reports(_ALL)))
        return [report for report in found if report is not None]

    def get_report(self, report_id: str) -> ForgetReport | None:
        """Return a proof with its digests; None if no proof has the id."""
        row = self._rows.first("report", id=report_id)
        if row is None:
            return None
        digests = self._rows.all("digests", report_n=row["n"])
        return _to_report(row, tuple(one["digest"] for one in digests))

    def _list_numbers(self, name: str, **parameters: str) -> tuple[int, ...]:
        return tuple(self._rows.column(name, **parameters))

    def _parameters(self, wanted: ErasureFilter) -> dict[str, str | int | None]:
        seen = wanted.seen
        return {
            "workspace": self._number(wanted.workspace),
            "session_id": wanted.session_id,
            "speaker": wanted.speaker,
            "since": wanted.since,
            "until": wanted.until,
            "sees_all": seen is None,
            "place": None if seen is None else self._number(seen.workspace),
        }

    def _number(self, workspace: str | None) -> int | None:
        if workspace is None:
            return None
        return self._workspaces.number(workspace) or _UNKNOWN


def _to_report(row: Row, digests: tuple[str, ...] = ()) -> ForgetReport:
    fields = dict(row)
    del fields["n"]
    for name in _NUMBERS:
        fields[name] = json.loads(fields[name])
    fields["selected_by"] = tuple(json.loads(fields["selected_by"]))
    return build_value(ForgetReport, {**fields, "digests": digests})


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
    """True if somebody stated the present wording, which then stands by itself."""
    is_drawn_from: bool = False
    """True if a wording was concluded from the source; False if the source only repeats it."""
    has_other_source: bool = False
    """True if the present wording has a source beside those in question; set for evidence only."""


class Orphan(NamedTuple):
    """Something all of whose sources are gone."""

    kind: OrphanKind
    id: str
    """Id of a memory, a turn or a queue entry; for other kinds, a key unique within the kind."""
    number: int = 0
    """Number of a former wording; 0 for anything else."""


class Dependencies:
    """The sources of a tenant's memories, queue entries and edges."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "dependencies")

    def list_dependents(self, memory_ids: Sequence[str], turn_ns: Sequence[int]) -> list[Dependent]:
        """List the memories that rest on given memories or turns, in order of ids.

        A memory that rests on them in several ways is listed by the closest: correction before
        coverage before derivation before evidence.
        """
        ids, ns = as_json(memory_ids), as_json(turn_ns)
        found = {
            memory_id: Dependent(memory_id, "evidence", *map(bool, flags))
            for memory_id, *flags in self._rows.all("by_evidence", ns=ns)
        }
        for row in self._rows.all("by_derivation", ids=ids, ns=ns):
            found[row["id"]] = Dependent(row["id"], "derivation")
        for row in self._rows.all("by_coverage", ns=ns):
            found[row["id"]] = Dependent(row["id"], "coverage")
        for row in self._rows.all("by_correction", ids=ids):
            found[row["id"]] = Dependent(row["id"], "correction")
        return [found[memory_id] for memory_id in sorted(found)]

    def list_unsupported_wordings(self, turn_ns: Sequence[int]) -> dict[int, str]:
        """Map former wordings that have no source beside the turns to the ids of their memories."""
        rows = self._rows.all("unsupported_wordings", ns=as_json(turn_ns))
        return {row["n"]: row["id"] for row in rows}

    def list_orphans(self) -> list[Orphan]:
        """List every row that has outlived all its sources, except items of nightly plans."""
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
        """Select the ids under which a memory, turn, session or queue entry exists."""
        return set(self._rows.column("existing", ids=as_json(ids)))

    def list_planned_items(self) -> list[str]:
        """List the unfinished items in the plans of nightly runs that were broken off."""
        return self._rows.column("planned_items")

    def list_unsupported_joins(self) -> list[str]:
        """List ids of entities that a model has joined with another and that share no name now."""
        return self._rows.column("unsupported_joins")

    def delete_orphan_rows(self) -> int:
        """Delete core lines and edges without a source left; return the number of rows."""
        statements = ("delete_core_lines", "delete_edges")
        return sum(map(self._rows.change, statements))

    def drop_unsupported_entries(self, now: int) -> int:
        """Drop queue entries without a turn left, and return their number."""
        return self._rows.change("drop_entries", now=now)

    def drop_unsupported_edges(self, memory_ids: Sequence[str]) -> int:
        """Delete edges of memories to entities that they no longer name; return their number."""
        return self._rows.change("drop_edges", ids=as_json(memory_ids))
