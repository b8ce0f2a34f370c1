"""Projects: their rows, and moving those of one to another."""

from memoria.store.connection import Connection
from memoria.store.joined_rows import JoinedRows
from memoria.store.listed import HeldProject
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.tenant_rows import TenantRows, as_json


class Projects:
    """The rows of each project, and their move from one project to another."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        documents: DocumentIndex,
        workspaces: Workspaces,
    ) -> None:
        self._rows = TenantRows(connection, tenant, "projects")
        self._documents = documents
        self._workspaces = workspaces

    def list_held(self) -> list[HeldProject]:
        """List the projects of which anything is on record, by name."""
        return [HeldProject(*row) for row in self._rows.tuples("held")]

    def list_used(self) -> list[str]:
        """List the names of projects of which a memory or a session is on record."""
        return [row["name"] for row in self._rows.all("used")]

    def list_names(self) -> list[str]:
        """List the names of all projects that were ever heard of, and not forgotten."""
        return self._workspaces.names()

    def join(self, name: str, into: str) -> JoinedRows | None:
        """Move all rows of a project to another; return what was moved, None if it is unknown."""
        former = self._workspaces.number(name)
        workspace = self._workspaces.enter(into)
        if former is None or workspace is None:
            return None
        sessions, times = (
            [row["n"] for row in self._rows.all(f"joining_{each}", former=former)]
            for each in ("sessions", "times")
        )
        memories = [row["id"] for row in self._rows.all("joining_memories", former=former)]
        for row in self._rows.all("documents", former=former):
            self._documents.set_workspace(row["n"], workspace)
        for table in ("memories", "sessions", "scratchpads", "private_times"):
            self._rows.change(f"move_{table}", former=former, workspace=workspace)
        return JoinedRows(former, workspace, sessions, memories, times)

    def find_name(self, number: int) -> str | None:
        """Return the name of the project with a number; None if there is none."""
        row = self._rows.first("name", n=number)
        return None if row is None else str(row["name"])

    def part(self, rows: JoinedRows, joined_at: int) -> None:
        """Move joined rows back to the project they came from, unless they were moved on since.

        What was concluded from its conversations since goes with them.
        """
        place = {"former": rows.former, "workspace": rows.into}
        found = self._rows.all(
            "parting_sessions", **place, sessions=as_json(rows.sessions), joined_at=joined_at
        )
        sessions = as_json([row["n"] for row in found])
        brought = self._rows.all(
            "parting_memories", **place, sessions=sessions, memories=as_json(rows.memories)
        )
        memories = as_json([row["n"] for row in brought])
        own = {"sessions": sessions, "memories": memories}
        for row in self._rows.all("parting_documents", **place, **own):
            self._documents.set_workspace(row["n"], rows.former)
        self._rows.change("part_scratchpads", **place, sessions=sessions)
        self._rows.change("part_sessions", former=rows.former, sessions=sessions)
        self._rows.change("part_memories", former=rows.former, memories=memories)
        self._rows.change("part_times", **place, times=as_json(rows.times), joined_at=joined_at)
