"""The embedding backlog in SQLite: leases, what is due, and writing what was made."""

from collections.abc import Mapping, Sequence

from memoria.config import LONGEST_LEASE_MS, LONGEST_PAUSE_MS
from memoria.errors import EmbedderError, StoreError
from memoria.model import BacklogStatus, Vector
from memoria.store.sqlite.conversations import SqliteConversations
from memoria.store.sqlite.documents import SqliteDocuments
from memoria.store.sqlite.driver import Connection, Row
from memoria.store.sqlite.rows import TenantRows, as_json
from memoria.store.sqlite.statements import statements
from memoria.store.sqlite.vectors import EmbeddingModel, VectorIndex, find_model
from memoria.store.sqlite.visibility import visibility_of
from memoria.store.values import PendingDocument

_NO_TENANT = 0
_MODEL = "embedding_model"
_VECTORS = statements("vectors")


class SqliteBacklog:
    """All tenants' vectors still to be made."""

    def __init__(self, connection: Connection, vectors: VectorIndex) -> None:
        self._connection = connection
        self._vectors = vectors
        self._rows = TenantRows(connection, _NO_TENANT, "backlog")

    def choose_model(self, name: str) -> int:
        """Make `name` the home's model; whatever lacks its vector joins the backlog."""
        if self.current_model() == name:
            return 0
        self._rows.change("set_setting", key=_MODEL, value=name)
        return self._rows.change("enqueue_missing", model=name)

    def index_is_behind(self, model: str) -> bool:
        """Whether the vector index is out of step with the stored vectors."""
        known = find_model(self._connection, model)
        return known is not None and self._vectors.drift(known.n).is_out_of_step

    def catch_up(self, model: str) -> None:
        """Bring the model's vector index in step with the stored vectors."""
        known = find_model(self._connection, model)
        if known is not None:
            self._vectors.catch_up(known.n, known.dims)

    def current_model(self) -> str | None:
        """The home's model."""
        row = self._rows.first("setting", key=_MODEL)
        return None if row is None else str(row["value"])

    def count_erasures(self) -> int:
        """A number that grows with every erasure."""
        return self._rows.number("erasures")

    def take_lease(self, name: str, owner: str, now: int, lease_ms: int) -> bool:
        """Whether `owner` now holds the lease."""
        return bool(
            self._rows.change(
                "take_lease",
                name=name,
                owner=owner,
                now=now,
                expires_at=now + lease_ms,
                longest=LONGEST_LEASE_MS,
            )
        )

    def lease_owner(self, name: str, now: int) -> str | None:
        """Who holds the lease; None if it is free or has run out."""
        row = self._rows.first("lease_owner", name=name, now=now, longest=LONGEST_LEASE_MS)
        return None if row is None else str(row["owner"])

    def release_lease(self, name: str, owner: str) -> None:
        """Give the lease back."""
        self._rows.change("drop_lease", name=name, owner=owner)

    def list_due(self, now: int, limit: int, attempts: int) -> list[PendingDocument]:
        """Documents to embed next, oldest first."""
        rows = self._rows.all(
            "due", now=now, limit=limit, attempts=attempts, longest=LONGEST_PAUSE_MS
        )
        return [self._pending(row) for row in rows]

    def add_vectors(self, model: str, vectors: Mapping[int, Vector]) -> None:
        """Write vectors, index them and take their documents off the backlog."""
        dims = len(next(iter(vectors.values())))
        known = find_model(self._connection, model) or self._add_model(model, dims)
        if any(len(vector) != known.dims for vector in vectors.values()):
            raise EmbedderError(
                f"{model} gives vectors of {dims} numbers; in this home it gave {known.dims}. "
                "Give the changed model another name."
            )
        self._connection.executemany(
            _VECTORS["add_embedding"],
            ({"model": known.n, "n": n, "vector": v.tobytes()} for n, v in vectors.items()),
        )
        owners = self._rows.all("owner_of", ns=as_json(vectors))
        self._vectors.add(
            known.n,
            known.dims,
            [
                (row["n"], visibility_of(row).token, vectors[row["n"]].tobytes())
                for row in owners
                if row["current"]
            ],
        )
        self._rows.change("count_change")
        self._rows.change("note_changes", ns=as_json(vectors))
        self._rows.change("done", ns=as_json(vectors))

    def postpone(self, ns: Sequence[int], until: int, error: str) -> None:
        """Count a failure and wait before the next attempt."""
        self._rows.change("postpone", ns=as_json(ns), until=until, error=error)

    def status(self, attempts: int) -> BacklogStatus:
        """How much waits."""
        error = self._rows.first("last_error")
        return BacklogStatus(
            pending=self._rows.number("pending", attempts=attempts),
            failed=self._rows.number("failed", attempts=attempts),
            last_error=None if error is None else error["last_error"],
        )

    def next_due_at(self, now: int, attempts: int) -> int | None:
        """When the earliest waiting document may be tried."""
        row = self._rows.first("next_due", now=now, attempts=attempts, longest=LONGEST_PAUSE_MS)
        return None if row is None else row["at"]

    def _pending(self, row: Row) -> PendingDocument:
        n, tenant = row["n"], row["tenant_id"]
        rows = TenantRows(self._connection, tenant, "backlog")
        if row["kind"] == "memory":
            memory = rows.first("memory_text", n=n)
            content = memory["content"] if memory else ""
            return PendingDocument(n, row["tenant"], row["attempts"], content=content)
        previous = rows.first("previous_turn", n=n)
        wanted = [n] if previous is None else [n, previous["n"]]
        documents = SqliteDocuments(self._connection, tenant, self._vectors)
        turns = SqliteConversations(self._connection, tenant, documents).turns(wanted)
        before = None if previous is None else turns[previous["n"]]
        return PendingDocument(n, row["tenant"], row["attempts"], turn=turns[n], previous=before)

    def _add_model(self, name: str, dims: int) -> EmbeddingModel:
        self._connection.execute(_VECTORS["add_model"], {"name": name, "dims": dims})
        known = find_model(self._connection, name)
        if known is None:
            raise StoreError(f"the model {name} vanished while it was written")
        return known
