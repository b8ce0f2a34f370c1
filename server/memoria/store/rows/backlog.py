"""Embedding backlog: documents that wait for a vector, and leases on work that one process does."""

from collections.abc import Mapping, Sequence

from memoria.config import LONGEST_LEASE_MS, LONGEST_PAUSE_MS
from memoria.errors import EmbedderError, StoreError
from memoria.model import NO_PASSAGES, BacklogStatus, PassageVector, Vector
from memoria.store.connection import Connection, Row
from memoria.store.image.visibility import visibility_of
from memoria.store.rows.conversations import Conversations
from memoria.store.sql.statements import TenantRows, as_json
from memoria.store.values import PendingDocument
from memoria.store.vectors import EmbeddingModel, VectorIndex, current_model, find_model

_NO_TENANT = 0


class Backlog:
    """Embedding backlog of all tenants: the model that embeds documents, and how many wait."""

    def __init__(self, connection: Connection, vectors: VectorIndex) -> None:
        self._connection = connection
        self._vectors = vectors
        self._rows = TenantRows(connection, _NO_TENANT, "backlog")

    def choose_model(self, name: str) -> int:
        """Make `name` the home's model, and queue all documents without a vector of that model.

        Returns the number of queued documents.
        """
        if self.current_model() == name:
            return 0
        self._rows.send("set_model", model=name)
        return self._rows.change("enqueue_missing", model=name)

    def current_model(self) -> str | None:
        """Return the home's model; None if there is none yet."""
        return current_model(self._connection)

    def index_is_behind(self, model: str) -> bool:
        """Check whether the vector index lacks stored vectors, or holds others.

        The index is behind where processes with and without a vector extension share a home.
        """
        known = find_model(self._connection, model)
        return known is not None and self._vectors.drift(known.n).is_out_of_step

    def catch_up(self, model: str) -> None:
        """Bring the model's vector index in step with the stored vectors, if it is behind."""
        known = find_model(self._connection, model)
        if known is not None and self._vectors.drift(known.n).is_out_of_step:
            self._vectors.catch_up(known.n, known.dims)

    def list_due_tenants(self, now: int, attempts: int) -> list[str]:
        """List the tenants that have documents to embed now, the longest waiting first."""
        asked = {"now": now, "attempts": attempts, "longest": LONGEST_PAUSE_MS}
        return self._rows.column("due_tenants", **asked)

    def next_due_at(self, now: int, attempts: int) -> int | None:
        """Return when the first waiting document may be embedded; None if no document waits."""
        return self._rows.find_number(
            "next_due", now=now, attempts=attempts, longest=LONGEST_PAUSE_MS
        )

    def status(self, attempts: int) -> BacklogStatus:
        """Count the documents that wait and those given up; return both with the last error."""
        error = self._rows.first("last_error")
        return BacklogStatus(
            pending=self._rows.number("pending", attempts=attempts),
            failed=self._rows.number("failed", attempts=attempts),
            last_error=None if error is None else error["last_error"],
        )


class TenantBacklog:
    """One tenant's part of the embedding backlog, read and written by the embedding worker."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        vectors: VectorIndex,
        conversations: Conversations,
    ) -> None:
        self._connection = connection
        self._vectors = vectors
        self._conversations = conversations
        self._rows = TenantRows(connection, tenant, "tenant_backlog")

    def list_due(self, now: int, limit: int, attempts: int) -> list[PendingDocument]:
        """List the documents to embed next, oldest first."""
        rows = self._rows.all(
            "due", now=now, limit=limit, attempts=attempts, longest=LONGEST_PAUSE_MS
        )
        return [self._read_pending(row) for row in rows]

    def hold_model(self) -> str | None:
        """Return the home's model, which stays until the transaction ends; None for none."""
        return self._rows.find_text("hold_model")

    def awaits_vector(self) -> bool:
        """Check whether a document waits for a vector."""
        return bool(self._rows.number("awaits_vector"))

    def last_erasure(self) -> int:
        """Return a number that grows with every erasure of the tenant."""
        return self._rows.number("last_erasure")

    def add_vectors(
        self,
        model: str,
        vectors: Mapping[int, Vector],
        passages: Mapping[int, Sequence[PassageVector]] = NO_PASSAGES,
    ) -> None:
        """Write vectors, index them and take their documents off the backlog.

        Args:
            model: the model that made the vectors.
            vectors: a vector for each document, by number.
            passages: vectors of the passages of long documents, by number.

        Raises:
            EmbedderError: the vectors are not as long as the model's vectors were before.
        """
        dims = len(next(iter(vectors.values())))
        known = find_model(self._connection, model) or self._add_model(model, dims)
        if any(len(vector) != known.dims for vector in vectors.values()):
            raise EmbedderError(
                f"{model} gives vectors of {dims} numbers; in this home it gave {known.dims}. "
                "Give the changed model another name."
            )
        documents = {row["n"]: row for row in self._rows.all("documents", ns=as_json(vectors))}
        renewed = {"model": known.n, "ns": as_json(documents)}
        self._connection.execute(self._connection.statements("vectors")["drop_passages"], renewed)
        self._connection.executemany(
            self._connection.statements("vectors")["add_embedding"],
            ({"model": known.n, "n": n, "vector": vectors[n].tobytes()} for n in documents),
        )
        self._add_passages(known, {n: passages[n] for n in documents if n in passages})
        self._vectors.add(
            known.n,
            known.dims,
            [
                (n, visibility_of(row).token, vectors[n].tobytes())
                for n, row in documents.items()
                if row["current"]
            ],
        )
        self._rows.send("count_change")
        self._rows.send("note_changes", ns=as_json(documents))
        self._rows.send("remove", ns=as_json(documents))

    def _add_passages(
        self, model: EmbeddingModel, passages: Mapping[int, Sequence[PassageVector]]
    ) -> None:
        if not passages:
            return
        from memoria.store.vectors.stored import pack_passages  # noqa: PLC0415  (brings NumPy)

        self._connection.executemany(
            self._connection.statements("vectors")["add_passages"],
            (
                {"model": model.n, "n": n, "signs": signs, "records": records}
                for n, some in passages.items()
                for signs, records in (pack_passages(some, model.dims),)
            ),
        )

    def postpone(self, ns: Sequence[int], until: int, error: str) -> None:
        """Count a failed attempt at these documents, and put off the next until a moment."""
        self._rows.send("postpone", ns=as_json(ns), until=until, error=error)

    def _read_pending(self, row: Row) -> PendingDocument:
        n = row["n"]
        if row["kind"] == "memory":
            memory = self._rows.first("memory_text", n=n)
            content = memory["content"] if memory else ""
            return PendingDocument(n, row["attempts"], content=content)
        previous = self._rows.first("previous_turn", n=n)
        wanted = [n] if previous is None else [n, previous["n"]]
        turns = self._conversations.turns(wanted)
        before = None if previous is None else turns[previous["n"]]
        return PendingDocument(n, row["attempts"], turn=turns[n], previous=before)

    def _add_model(self, name: str, dims: int) -> EmbeddingModel:
        self._connection.execute(
            self._connection.statements("vectors")["add_model"], {"name": name, "dims": dims}
        )
        known = find_model(self._connection, name)
        if known is None:
            raise StoreError(f"the model {name} vanished while it was written")
        return known


class Leases:
    """A tenant's leases. A lease expires by itself, so a dead process blocks nobody for long.

    Times are those of the machine's clock, in UTC epoch ms.
    """

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "leases")

    def take(self, name: str, owner: str, now: int, lease_ms: int) -> bool:
        """Take or renew a lease; return False while another owner has it."""
        changed = self._rows.change(
            "take",
            name=name,
            owner=owner,
            now=now,
            expires_at=now + lease_ms,
            longest=LONGEST_LEASE_MS,
        )
        return changed > 0

    def owner(self, name: str, now: int) -> str | None:
        """Return the owner of a lease; None if the lease is free or has expired."""
        return self._rows.find_text("owner", name=name, now=now, longest=LONGEST_LEASE_MS)

    def release(self, name: str, owner: str) -> None:
        """Give a lease back, if it is still the owner's."""
        self._rows.send("release", name=name, owner=owner)
