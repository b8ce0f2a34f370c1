"""Names of tasks that memories bear, in SQLite."""

from collections.abc import Callable

from memoria.store.sql.tenant_rows import TenantRows, as_json
from memoria.store.sqlite.driver import Connection


class SqliteTaskNames:
    """The names of tasks that a tenant's memories bear."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tasks")

    def list_names(self) -> list[str]:
        """List the tasks that memories were learnt at, each once."""
        return [row["task"] for row in self._rows.all("names")]

    def erase(self, unwanted: Callable[[str], bool]) -> None:
        """Erase the names that are unwanted, also from what journals keep."""
        tasks = list(filter(unwanted, self.list_names()))
        for row in self._rows.all("memories", tasks=as_json(tasks)) if tasks else ():
            self._rows.change("drop", memory_n=row["n"])
            self._rows.change("empty_images", memory_n=row["n"])
