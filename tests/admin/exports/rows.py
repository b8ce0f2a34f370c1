"""The rows of a home with names in the place of numbers, read by what the schema says alone.

It knows nothing of how an export is made: it is what exports are compared by.
"""

from pathlib import Path
from typing import Any

from tests.databases import change_rows

from memoria.store.connection import Connection

LEFT_OUT = {
    "settings": "of the home: which model makes vectors, and whether the file is to be wiped",
    "tenants": "a home has its own; counters of indexes",
    "embedding_backlog": "vectors are made anew",
    "embedding_models": "vectors are made anew",
    "embeddings": "vectors are made anew",
    "passages": "vectors are made anew",
    "search_index": "made anew from the texts",
    "nodes": "ends of edges: made with the first edge or name of what they stand for",
    "raw_chunks": "how texts are stored: they stand in their turns",
    "leases": "who works on what at this moment",
    "tokens": "keys to this home; a secret goes with no export",
    "events": "what has changed in this home, for a week",
    "webhooks": "where this home sends events; a secret goes with no export",
    "tool_calls": "made anew from the texts",
    "grounds": "made anew from the repository",
    "transcripts": "how far clients' files on this machine have been read",
    "model_calls": "what was asked of models from this machine, and what it cost",
    "hidden_changes": "what is forgotten, and can be put back here alone",
    "hidden_files": "what is forgotten, and can be put back here alone",
    "hidden_texts": "what is forgotten, and can be put back here alone",
    "nightly_runs": "the journal by which a run is undone in the home that made it",
    "nightly_steps": "the same",
    "nightly_plan": "the same",
    "nightly_changes": "the same",
    "nightly_metrics": "measured anew every night",
    "generated_files": "pages that the next night writes anew",
    "core_lines": "lines of core files that the next night writes anew",
    "core_files": "the same; what somebody wrote there goes along as text",
}
"""Tables that no export has, each with the reason."""
LEFT_OUT_COLUMNS = {
    "documents.changed": "counts changes of the vector index",
    "sessions.tier": "how tightly its texts are packed",
    "extraction_queue.lease_owner": "who reads it at this moment",
    "extraction_queue.lease_until": "the same",
}
EXPORTED = {
    "workspaces": "workspace",
    "private_times": "private_time",
    "sessions": "session",
    "segments": "session",
    "turns": "turn",
    "documents": "turn, memory",
    "entities": "entity",
    "memories": "memory, merge",
    "memory_versions": "memory",
    "memory_evidence": "memory",
    "episodes": "memory",
    "entity_names": "turn, memory",
    "name_uses": "turn, memory",
    "edges": "edge",
    "scratchpads": "scratchpad",
    "completed_tasks": "scratchpad",
    "extraction_queue": "queue_entry",
    "audit_log": "audit_entry",
    "forget_reports": "forget_report",
    "forget_digests": "forget_report",
    "tombstones": "tombstone",
    "tombstone_digests": "tombstone",
    "tombstone_vectors": "tombstone",
}
"""Tables that an export has, each with the records it is in."""

_NAMES = {
    "workspaces": "SELECT n, name FROM workspaces",
    "sessions": "SELECT n, source || ' ' || session_id FROM sessions",
    "turns": "SELECT n, id FROM turns",
    "memories": "SELECT n, id FROM memories",
    "entities": "SELECT n, id FROM entities",
    "entity_names": "SELECT a.n, e.id || ' ' || a.key || ' ' || a.qualifier FROM entity_names a "
    "JOIN entities e ON e.n = a.entity_n",
    "nodes": "SELECT o.n, coalesce(m.id, t.id, e.id) FROM nodes o LEFT JOIN memories m "
    "ON m.n = o.memory_n LEFT JOIN turns t ON t.n = o.turn_n LEFT JOIN entities e ON e.n = o.n",
    "documents": "SELECT n, id FROM turns UNION ALL SELECT v.n, m.id || ' ' || v.version "
    "FROM memory_versions v JOIN memories m ON m.n = v.memory_n",
    "tombstones": "SELECT n, kind || ' ' || subject FROM tombstones",
    "forget_reports": "SELECT n, id FROM forget_reports",
    "tenants": "SELECT id, name FROM tenants",
}
_OF_COLUMN = {
    "tenant_id": "tenants",
    "workspace_n": "workspaces",
    "session_n": "sessions",
    "turn_n": "turns",
    "newest_n": "turns",
    "memory_n": "memories",
    "merged_into": "memories",
    "entity_n": "entities",
    "canonical_n": "entities",
    "name_n": "entity_names",
    "node_n": "nodes",
    "src_n": "nodes",
    "dst_n": "nodes",
    "tombstone_n": "tombstones",
    "report_n": "forget_reports",
}
Rows = dict[str, list[tuple[Any, ...]]]


def read_rows(home: Path) -> Rows:
    """Every exported table of a home, each row with names in the place of numbers."""
    with change_rows(home) as connection:
        names = {table: dict(connection.tuples(sql)) for table, sql in _NAMES.items()}
        return {table: _read_table(connection, table, names) for table in EXPORTED}


def differ(one: Rows, other: Rows) -> list[str]:
    """A line for every table in which they differ."""
    found = []
    for table in one:
        here = [row for row in one[table] if row not in other[table]]
        there = [row for row in other[table] if row not in one[table]]
        if here or there or len(one[table]) != len(other[table]):
            found.append(
                f"{table}: {len(here)} only here {here[:2]}, {len(there)} there {there[:2]}"
            )
    return found


def _read_table(
    connection: Connection, table: str, names: dict[str, dict[int, str]]
) -> list[tuple[Any, ...]]:
    found = connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  (the schema's name)
    rows = []
    for row in found:
        values = []
        for column in row.keys():  # noqa: SIM118  (a row is no mapping)
            if f"{table}.{column}" in LEFT_OUT_COLUMNS:
                continue
            of = table if column == "n" and table in _NAMES else _OF_COLUMN.get(column)
            if column == "n" and of is None:
                continue
            values.append(row[column] if of is None else names[of].get(row[column]))
        rows.append(tuple(values))
    return sorted(rows, key=repr)
