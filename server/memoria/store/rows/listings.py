"""Listings: memories and sessions page by page."""

from typing import Any

from memoria.store.connection import Connection, Row
from memoria.store.listed import ListedMemories, ListedPage, ListedSession, ListedSpan
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.tenant_rows import Parameter, TenantRows, as_json, as_json_or_null


class Listings:
    """A tenant's memories and sessions page by page, the newest first."""

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "listings")
        self._workspaces = workspaces

    def list_memories(self, wanted: ListedMemories, span: ListedSpan) -> ListedPage[int]:
        """List the numbers of memories' newest wordings, by the time since which these hold."""
        page = self._read_page(
            "memories",
            span,
            types=as_json_or_null(wanted.types),
            validities=as_json_or_null(wanted.validities),
            task=wanted.task,
            entities=as_json_or_null(wanted.entities),
        )
        return ListedPage([row["n"] for row in page.items], page.total, page.elsewhere)

    def list_sessions(self, client: str | None, span: ListedSpan) -> ListedPage[ListedSession]:
        """List the sessions of a client, or of all, in the order of their last turns."""
        page = self._read_page("sessions", span, client=client)
        ns = [row["n"] for row in page.items]
        described = {row["n"]: dict(row) for row in self._rows.all("described", ns=as_json(ns))}
        sessions = [_build_session(described[n]) for n in ns]
        return ListedPage(sessions, page.total, page.elsewhere)

    def _read_page(self, name: str, span: ListedSpan, **wanted: Parameter) -> ListedPage[Row]:
        """Read a page of a statement's rows, and count those seen and those elsewhere."""
        parameters = {
            "since": span.since,
            "until": span.until,
            "place": self._workspaces.number(span.workspace),
            "first": self._workspaces.number(span.first),
            "everywhere": span.everywhere,
            "private": as_json(self._workspaces.private),
            **wanted,
        }
        rows = self._rows.all(name, limit=span.limit, offset=span.offset, **parameters)
        counted = rows or self._rows.all(name, limit=1, offset=0, **parameters)
        total, elsewhere = (counted[0][one] if counted else 0 for one in ("total", "elsewhere"))
        return ListedPage([row for row in rows if row["seen"]], total, elsewhere)


def _build_session(fields: dict[str, Any]) -> ListedSession:
    return ListedSession(**{name: value for name, value in fields.items() if name != "n"})
