"""Workspaces: the projects of a tenant, by name and number."""

from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows


class SqliteWorkspaces:
    """A tenant's workspaces."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "workspaces")

    def number(self, name: str | None) -> int | None:
        """The workspace's number; None for none, and for one nothing was ever kept of."""
        if name is None:
            return None
        row = self._rows.first("number", name=name)
        return None if row is None else int(row["n"])

    def enter(self, name: str | None) -> int | None:
        """The workspace's number, made if it is new; None for none."""
        if name is None:
            return None
        return self.number(name) or self._rows.insert("add", name=name)

    def all(self) -> list[int]:
        """Every workspace's number."""
        return [row["n"] for row in self._rows.all("all")]
