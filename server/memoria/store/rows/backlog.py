"""The embedding backlog of all tenants."""

from memoria.config import LONGEST_PAUSE_MS
from memoria.model import BacklogStatus
from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows
from memoria.store.vectors import VectorIndex, current_model, find_model

_NO_TENANT = 0


class Backlog:
    """The backlog of all tenants: the model that embeds it, and its size."""

    def __init__(self, connection: Connection, vectors: VectorIndex) -> None:
        self._connection = connection
        self._vectors = vectors
        self._rows = TenantRows(connection, _NO_TENANT, "backlog")

    def choose_model(self, name: str) -> int:
        """Make `name` the home's model; documents without a vector of it join the backlog.

        Returns how many joined.
        """
        if self.current_model() == name:
            return 0
        self._rows.change("set_model", model=name)
        return self._rows.change("enqueue_missing", model=name)

    def current_model(self) -> str | None:
        """Return the home's model; None if there is none yet."""
        return current_model(self._connection)

    def index_is_behind(self, model: str) -> bool:
        """Check whether the vector index lacks vectors that are stored, or holds some too many.

        Happens where processes with and without a vector extension share a home.
        """
        known = find_model(self._connection, model)
        return known is not None and self._vectors.drift(known.n).is_out_of_step

    def catch_up(self, model: str) -> None:
        """Bring the model's vector index in step with the stored vectors."""
        known = find_model(self._connection, model)
        if known is not None:
            self._vectors.catch_up(known.n, known.dims)

    def list_due_tenants(self, now: int, attempts: int) -> list[str]:
        """List the tenants that have documents to embed now, those that wait longest first."""
        asked = {"now": now, "attempts": attempts, "longest": LONGEST_PAUSE_MS}
        return [row["name"] for row in self._rows.all("due_tenants", **asked)]

    def next_due_at(self, now: int, attempts: int) -> int | None:
        """Return when the earliest waiting document may be tried; None if none waits."""
        row = self._rows.first("next_due", now=now, attempts=attempts, longest=LONGEST_PAUSE_MS)
        return None if row is None else row["at"]

    def status(self, attempts: int) -> BacklogStatus:
        """Count the documents that wait and those given up, with the last error."""
        error = self._rows.first("last_error")
        return BacklogStatus(
            pending=self._rows.number("pending", attempts=attempts),
            failed=self._rows.number("failed", attempts=attempts),
            last_error=None if error is None else error["last_error"],
        )
