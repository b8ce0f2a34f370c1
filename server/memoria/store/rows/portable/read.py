"""Reading a tenant's rows as records that mean the same in any home, page by page."""

import base64
import json
from collections.abc import Callable, Iterator

from pydantic import JsonValue

from memoria.store.connection import Connection, Row
from memoria.store.rows.portable.records import PortableKind, PortableRecord, PortableSelection
from memoria.store.rows.texts import Texts
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.tenant_rows import Parameter, TenantRows

_PAGE = 500
_NO_WORKSPACE = 0
"""A number that no workspace has."""


class PortableReader:
    """Reads a tenant's rows as records."""

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
        """Count the records of a kind; for some kinds an upper bound."""
        return self._rows.number(f"count_{kind}", **self._parameters(selection))

    def read(self, kind: PortableKind, selection: PortableSelection) -> Iterator[PortableRecord]:
        """Yield the records of a kind; each follows those that it refers to."""
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
        record["derived_from"] = [row["id"] for row in self._rows.all("derived_from", n=n)]
        span = self._list_parts("span", n=n)
        record["span"] = span[0] if span else None

    def _add_tasks(self, record: PortableRecord, _n: int) -> None:
        session = str(record["session_id"])
        record["completed"] = self._list_parts("completed_tasks", session_id=session)

    def _add_report_digests(self, record: PortableRecord, n: int) -> None:
        for name in ("selected_by", "items", "removed", "remaining"):
            record[name] = json.loads(str(record[name]))
        record["digests"] = [row["digest"] for row in self._rows.all("forget_digests", n=n)]

    def _add_tombstone_digests(self, record: PortableRecord, n: int) -> None:
        record["digests"] = [row["digest"] for row in self._rows.all("tombstone_digests", n=n)]
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
