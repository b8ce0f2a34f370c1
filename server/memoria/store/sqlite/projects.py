"""Projects: what is on record of each, and how one takes over another's."""

from memoria.store.listed import HeldProject
from memoria.store.sqlite.documents import SqliteDocuments
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.workspaces import SqliteWorkspaces


class SqliteProjects:
    """A tenant's projects."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        documents: SqliteDocuments,
        workspaces: SqliteWorkspaces,
    ) -> None:
        """Nothing is read yet."""
        self._rows = TenantRows(connection, tenant, "projects")
        self._documents = documents
        self._workspaces = workspaces

    def list_held(self) -> list[HeldProject]:
        """The projects of which anything is on record, by name."""
        return [HeldProject(*row) for row in self._rows.tuples("held")]

    def list_used(self) -> list[str]:
        """The names of projects of which a memory or a session is on record."""
        return [row["name"] for row in self._rows.all("used")]

    def list_names(self) -> list[str]:
        """The names of all projects that were ever heard of, and not forgotten."""
        return self._workspaces.names()

    def join(self, name: str, into: str) -> None:
        """Have all that is on record of a project be another's."""
        former = self._workspaces.number(name)
        if former is None:
            return
        workspace = self._workspaces.enter(into)
        for row in self._rows.all("documents", former=former):
            self._documents.set_workspace(row["n"], workspace)
        for table in ("memories", "sessions", "scratchpads", "private_times"):
            self._rows.change(f"move_{table}", former=former, workspace=workspace)
