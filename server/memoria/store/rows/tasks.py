"""Names of tasks that memories bear."""

from collections.abc import Callable

from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows, as_json


class TaskNames:
    """The names of tasks that a tenant's memories bear."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tasks")

    def list_names(self) -> list[str]:
        """List the tasks that memories were learnt at, each once."""
        return [row["task"] for row in self._rows.all("names")]

    def erase(self, unwanted: Callable[[str], bool]) -> None:
        """Erase unwanted names, also from what journals keep; the memories that bear them stay."""
        tasks = list(filter(unwanted, self.list_names()))
        for row in self._rows.all("memories", tasks=as_json(tasks)) if tasks else ():
            self._rows.change("drop", memory_n=row["n"])
            self._rows.change("empty_images", memory_n=row["n"])
