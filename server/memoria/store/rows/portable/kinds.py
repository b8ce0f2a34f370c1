"""Kinds of portable records, and reading and writing records of each kind."""

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import JsonValue

from memoria.model.forgetting import ForgetReport
from memoria.model.privacy import PrivateTime
from memoria.store.connection import Connection, Row
from memoria.store.rows.capture import PrivateTimes
from memoria.store.rows.erasures import Erasures
from memoria.store.rows.forgotten import Tombstones, to_meaning
from memoria.store.rows.logs import AuditLog
from memoria.store.rows.portable.memories import PortableMemories
from memoria.store.rows.portable.records import (
    PortableKind,
    PortableMerge,
    PortableRecord,
    PortableSelection,
    PortableTables,
    PutOutcome,
)
from memoria.store.rows.portable.turns import PortableGraph, PortableTurns
from memoria.store.rows.texts import Texts
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import Parameter, TenantRows
from memoria.store.values import Tombstone, TombstoneRecord

_Put = Callable[[dict[str, Any], PortableMerge], PutOutcome]

_OF_READING = ("state", "attempts", "not_before", "finished_at", "last_error", "outcome")


class PortableWriter:
    """Writes records of every kind."""

    def __init__(self, tables: PortableTables) -> None:
        connection, tenant = tables.connection, tables.tenant
        self._rows = tables.open_rows()
        self._workspaces = tables.workspaces
        self._private_times = PrivateTimes(connection, tenant, tables.workspaces, 0)
        self._audit = AuditLog(connection, tenant)
        self._tombstones = Tombstones(connection, tenant)
        self._erasures = Erasures(connection, tenant, tables.documents)
        self._turns = PortableTurns(tables)
        self._graph = PortableGraph(tables, self._turns)
        memories = PortableMemories(tables, self._turns, self._graph)
        self._put: dict[PortableKind, _Put] = {
            "workspace": self._put_workspace,
            "private_time": self._put_private_time,
            "session": self._turns.put_session,
            "turn": self._put_turn,
            "entity": self._graph.put_entity,
            "memory": memories.put_memory,
            "merge": memories.put_merge,
            "edge": self._graph.put_edge,
            "scratchpad": self._put_scratchpad,
            "queue_entry": self._put_queue_entry,
            "audit_entry": self._put_audit_entry,
            "forget_report": self._put_forget_report,
            "tombstone": self._put_tombstone,
        }

    def put(self, kind: PortableKind, record: PortableRecord, merge: PortableMerge) -> PutOutcome:
        """Write an exported record, or merge it with the rows that the home has already."""
        if merge.newest_memory is None:
            merge.newest_memory = self._rows.number("newest_memory")
        return self._put[kind](record, merge)

    def join_entities(self, merge: PortableMerge) -> None:
        """Join the imported entities that are the same."""
        self._graph.join_entities(merge)

    def _put_workspace(self, record: dict[str, Any], _merge: PortableMerge) -> PutOutcome:
        known = self._workspaces.number(record["name"])
        self._workspaces.enter(record["name"])
        return "known" if known else "added"

    def _put_turn(self, record: dict[str, Any], merge: PortableMerge) -> PutOutcome:
        outcome = self._turns.put_turn(record, merge)
        turn_id = merge.turn_ids.get(record["id"], record["id"])
        changed = [self._graph.use_name("turn", turn_id, name, merge) for name in record["names"]]
        return "changed" if outcome == "known" and any(changed) else outcome

    def _put_private_time(self, record: dict[str, Any], _merge: PortableMerge) -> PutOutcome:
        """Write a private time; it has ended if it has in either home, at the later end."""
        time = PrivateTime.model_validate(record)
        workspace = self._workspaces.enter(time.workspace)
        known = self._rows.first("find_private_time", workspace=workspace, began_at=time.began_at)
        if known is None:
            self._private_times.add(time)
            return "added"
        if time.ended_at is None or (known["ended_at"] or 0) >= time.ended_at:
            return "known"
        self._rows.send("end_private_time", n=known["n"], ended_at=time.ended_at)
        return "changed"

    def _put_scratchpad(self, record: dict[str, Any], _merge: PortableMerge) -> PutOutcome:
        """Write the scratchpad of a session; the focus that was noted later stays."""
        session_id = record["session_id"]
        known = self._rows.first("scratchpad", session_id=session_id)
        told = (record["updated_at"], record["current_focus"] or "")
        changed = 0
        if known is None or told > (known["updated_at"], known["current_focus"] or ""):
            changed = self._rows.change(
                "put_scratchpad",
                session_id=session_id,
                current_focus=record["current_focus"],
                updated_at=record["updated_at"],
                workspace=self._workspaces.enter(record["workspace"]),
            )
        for task in record["completed"]:
            told_task = {"task": task["task"], "at": task["at"]}
            changed += self._rows.change("add_task", session_id=session_id, **told_task)
        return "added" if known is None else "changed" if changed else "known"

    def _put_queue_entry(self, record: dict[str, Any], merge: PortableMerge) -> PutOutcome:
        """Write an entry of the extraction queue; it is done if it is in either home."""
        session_n = self._turns.require_session(record)
        span = {
            "session_n": session_n,
            "first_index": record["first_index"],
            "last_index": record["last_index"],
        }
        newest = self._turns.find_turn(record["newest"], merge)
        if newest is None:
            if self._rows.number("has_entry", id=record["id"]):
                return "known"
            kind = record["kind"]
            newest = self._rows.number("free_newest", session_n=session_n, kind=kind)
        known = self._rows.first("find_entry", **span, kind=record["kind"], newest_n=newest)
        told = {name: record[name] for name in _OF_READING}
        if known is not None:
            if _rank_of_reading(told) <= _rank_of_reading(dict(known)):
                return "known"
            changed = self._rows.change("set_entry", n=known["n"], **told)
            return "changed" if changed else "known"
        added = self._rows.change(
            "add_entry",
            **span,
            **told,
            id=record["id"],
            kind=record["kind"],
            newest_n=newest,
            priority=record["priority"],
            reason=record["reason"],
            created_at=record["created_at"],
        )
        return "added" if added else "known"

    def _put_audit_entry(self, record: dict[str, Any], _merge: PortableMerge) -> PutOutcome:
        record = {"caller": None, **record}  # older exports have none
        if self._rows.number("has_audit_entry", **record):
            return "known"
        self._audit.add(**record)
        return "added"

    def _put_forget_report(self, record: dict[str, Any], _merge: PortableMerge) -> PutOutcome:
        report = ForgetReport.model_validate(record)
        if self._erasures.get_report(report.id) is not None:
            return "known"
        self._erasures.add_report(report)
        return "added"

    def _put_tombstone(self, record: dict[str, Any], _merge: PortableMerge) -> PutOutcome:
        stone = Tombstone(record["kind"], record["subject"], record["at"], record["reason"])
        known = self._tombstones.get(stone.subject)
        vectors = (
            to_meaning({**one, "vector": base64.b64decode(one["vector"])})
            for one in record["vectors"]
        )
        digests = tuple(map(str, record["digests"]))
        self._tombstones.add(TombstoneRecord(stone, digests, tuple(vectors)))
        return "added" if known is None else "known"


def _rank_of_reading(entry: dict[str, Any]) -> tuple[object, ...]:
    """Return a sort key of queue entries when homes merge: the greatest stays."""
    is_done = entry["finished_at"] is not None
    texts = [entry[name] or "" for name in ("state", "outcome", "last_error")]
    return (is_done, -(entry["finished_at"] or 0), entry["attempts"], entry["not_before"], *texts)


_PAGE = 500
_NO_WORKSPACE = 0
"""A number that no workspace has."""


class PortableReader:
    """Reads a tenant's rows as exported records."""

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "portable")
        self._texts = Texts(connection, tenant)
        self._workspaces = workspaces
        self._parts: dict[PortableKind, Callable[[PortableRecord, int], None]] = {
            "session": self._add_segments,
            "turn": self._add_texts,
            "memory": self._add_wordings,
            "scratchpad": self._add_tasks,
            "forget_report": self._add_report_digests,
            "tombstone": self._add_tombstone_digests,
        }

    def count(self, kind: PortableKind, selection: PortableSelection) -> int:
        """Count the records of a kind; for some kinds, return an upper bound."""
        return self._rows.number(f"count_{kind}", **self._parameters(selection))

    def read(self, kind: PortableKind, selection: PortableSelection) -> Iterator[PortableRecord]:
        """Yield the records of a kind; each follows the records to which it refers."""
        wanted = self._parameters(selection)
        if kind == "edge":
            for row in self._list_rows("edge_sources", wanted):
                yield from map(_to_record, self._rows.all("edges_from", n=row["n"]))
            return
        passes = ({"derived": False}, {"derived": True}) if kind == "memory" else ({},)
        add_parts = self._parts.get(kind)
        for more in passes:
            for row in self._list_rows(kind, {**wanted, **more}):
                record = _to_record(row)
                n = record.pop("n")
                if add_parts is not None and isinstance(n, int):
                    add_parts(record, n)
                yield record

    def _list_rows(self, name: str, wanted: dict[str, Parameter]) -> Iterator[Row]:
        after = 0
        while rows := self._rows.all(name, **wanted, after=after, page=_PAGE):
            yield from rows
            if rows[-1]["n"] == after:
                return
            after = rows[-1]["n"]

    def _parameters(self, selection: PortableSelection) -> dict[str, Parameter]:
        name = selection.workspace
        known = None if name is None else self._workspaces.number(name) or _NO_WORKSPACE
        return {
            "whole": selection.is_whole,
            "workspace": known,
            "since": selection.since,
            "until": selection.until,
        }

    def _list_parts(self, name: str, **parameters: Parameter) -> list[JsonValue]:
        return [_to_record(row) for row in self._rows.all(name, **parameters)]

    def _add_segments(self, record: PortableRecord, n: int) -> None:
        record["segments"] = self._list_parts("segments", n=n)

    def _add_texts(self, record: PortableRecord, n: int) -> None:
        record["names"] = self._list_parts("turn_names", n=n)
        record["content"] = self._read_text(record["content"])
        for name in ("tool_args", "tool_result"):
            if record[name] is not None:
                record[name] = json.loads(self._read_text(record[name]))
        if record["file"] is not None:
            data = self._texts.get_bytes(bytes.fromhex(str(record["file"])))
            record["file"] = base64.b64encode(data).decode()

    def _read_text(self, key: JsonValue) -> str:
        return self._texts.get(bytes.fromhex(str(key)))

    def _add_wordings(self, record: PortableRecord, n: int) -> None:
        versions = self._list_parts("versions", n=n)
        for version in versions:
            if isinstance(version, dict):
                del version["n"]
        record["versions"] = versions
        record["evidence"] = self._list_parts("evidence", n=n)
        record["names"] = self._list_parts("names", n=n)
        record["derived_from"] = self._rows.column("derived_from", n=n)
        span = self._list_parts("span", n=n)
        record["span"] = span[0] if span else None

    def _add_tasks(self, record: PortableRecord, _n: int) -> None:
        session = str(record["session_id"])
        record["completed"] = self._list_parts("completed_tasks", session_id=session)

    def _add_report_digests(self, record: PortableRecord, n: int) -> None:
        for name in ("selected_by", "items", "removed", "remaining"):
            record[name] = json.loads(str(record[name]))
        record["digests"] = self._rows.column("forget_digests", n=n)

    def _add_tombstone_digests(self, record: PortableRecord, n: int) -> None:
        record["digests"] = self._rows.column("tombstone_digests", n=n)
        record["vectors"] = [
            {
                "model": row["model"],
                "reach": row["reach"],
                "vector": base64.b64encode(row["vector"]).decode(),
            }
            for row in self._rows.all("tombstone_vectors", n=n)
        ]


def _to_record(row: Row) -> PortableRecord:
    """Convert a row to JSON values: bytes become hexadecimal digits."""
    return {
        name: value.hex() if isinstance(value, bytes) else value
        for name, value in zip(row.keys(), row, strict=True)
    }
