"""Scratchpads of sessions, and the names of tasks that memories bear."""

from collections.abc import Callable, Iterable

from memoria.model import CompletedTask, Scratchpad
from memoria.store.connection import Connection
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows, as_json
from memoria.store.values import LaterSession, TaskInHand


class Scratchpads:
    """Scratchpads of a tenant, one for each session."""

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "scratchpads")
        self._workspaces = workspaces

    def get(self, session_id: str) -> Scratchpad | None:
        """Return a session's scratchpad; None if the session has none."""
        row = self._rows.first("get", session_id=session_id)
        if row is None:
            return None
        done = self._rows.all("completed", session_id=session_id)
        return Scratchpad(completed=tuple(CompletedTask(**task) for task in done), **row)

    def find_in_hand(self, session_id: str | None, workspace: str | None) -> TaskInHand | None:
        """Return the task in hand of a session, or else of the latest scratchpad seen."""
        place = self._workspaces.number(workspace)

        def find() -> TaskInHand | None:
            row = self._rows.first("in_hand", session_id=session_id, workspace=place)
            return None if row is None else TaskInHand(*row)

        asked = "in hand", self._rows.tenant, session_id, place
        return self._rows.connection.read_settled(asked, find)

    def list_recent(self, limit: int, workspace: str | None = None) -> list[Scratchpad]:
        """List the scratchpads touched last that a workspace sees, newest first."""
        place = self._workspaces.number(workspace)
        rows = self._rows.all("recent", limit=limit, workspace=place)
        found = (self.get(row["session_id"]) for row in rows)
        return [scratchpad for scratchpad in found if scratchpad is not None]

    def list_later_sessions(self, session_id: str, limit: int) -> list[LaterSession]:
        """List the project's newest sessions that began after a scratchpad was touched."""
        rows = self._rows.tuples("later_sessions", session_id=session_id, limit=limit)
        return [LaterSession(*row) for row in rows]

    def put(
        self,
        session_id: str,
        focus: str | None,
        completed: Iterable[str],
        now: int,
        keep: int,
        workspace: str | None = None,
    ) -> None:
        """Set the task in hand, add completed tasks, and drop all but the newest `keep`."""
        place = self._workspaces.enter(workspace)
        self._rows.send("put", session_id=session_id, focus=focus, now=now, workspace=place)
        for task in completed:
            self._rows.send("complete", session_id=session_id, task=task, now=now)
        self._rows.send("trim", session_id=session_id, keep=keep)

    def list_notes(self) -> list[str]:
        """List the tasks in hand and the completed tasks of all sessions."""
        return [row["note"] for row in self._rows.all("notes")]

    def erase(self, unwanted: Callable[[str], bool]) -> int:
        """Erase unwanted tasks from all scratchpads, and return the number of tasks."""
        found = [row for row in self._rows.all("notes") if unwanted(row["note"])]
        for row in found:
            if row["n"] is None:
                self._rows.send("erase_focus", session_id=row["session_id"])
            else:
                self._rows.send("erase_task", n=row["n"])
        return len(found)


class TaskNames:
    """Names of the tasks at which a tenant's memories were learnt."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tasks")

    def list_names(self) -> list[str]:
        """List the names of tasks, each once."""
        return self._rows.column("names")

    def erase(self, unwanted: Callable[[str], bool]) -> None:
        """Erase unwanted task names from memories and journals; the memories stay."""
        tasks = list(filter(unwanted, self.list_names()))
        for row in self._rows.all("memories", tasks=as_json(tasks)) if tasks else ():
            self._rows.send("drop", memory_n=row["n"])
            self._rows.send("empty_images", memory_n=row["n"])
