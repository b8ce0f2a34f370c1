"""Private times."""

from collections.abc import Sequence

from memoria.model.private_time import PrivateTime
from memoria.store.connection import Connection
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.tenant_rows import TenantRows


class PrivateTimes:
    """A tenant's private times."""

    def __init__(
        self, connection: Connection, tenant: int, workspaces: Workspaces, count: int
    ) -> None:
        """Bind to a tenant.

        Args:
            connection: to the file.
            tenant: its number.
            workspaces: the tenant's.
            count: number of its private times; without any, none is ever looked for.
        """
        self._rows = TenantRows(connection, tenant, "private_times")
        self._workspaces = workspaces
        self._count = count

    def add(self, time: PrivateTime) -> None:
        """Add a private time, over or not."""
        workspace = self._workspaces.enter(time.workspace)
        self._rows.insert(
            "begin", workspace=workspace, began_at=time.began_at, ended_at=time.ended_at
        )
        self._rows.change("count")

    def merge(self, times: Sequence[PrivateTime]) -> None:
        """Add private times; each replaces one that began at the same moment in its workspace."""
        for time in times:
            number = self._workspaces.enter(time.workspace)
            self._rows.change("drop", workspace=number, began_at=time.began_at)
            self.add(time)

    def end(self, workspace: str | None, at: int) -> None:
        """End the private time that is on in a workspace; None for no project."""
        number = self._workspaces.number(workspace)
        if workspace is None or number is not None:
            self._rows.change("end", workspace=number, at=at)

    def all(self) -> tuple[PrivateTime, ...]:
        """List every private time, in the order in which they began."""
        if not self._count:
            return ()
        return tuple(PrivateTime(**row) for row in self._rows.all("list"))

    def applying(
        self, workspace: str | None, source: str, session_id: str
    ) -> tuple[PrivateTime, ...]:
        """List the private times of a workspace, and of the one that a session belongs to.

        Args:
            workspace: in which something is said now; None for no project.
            source: whose numbering of sessions is meant.
            session_id: the session, whether or not anything is kept of it.
        """
        if not self._count:
            return ()
        rows = self._rows.all("applying", name=workspace, source=source, session_id=session_id)
        return tuple(PrivateTime(**row) for row in rows)
