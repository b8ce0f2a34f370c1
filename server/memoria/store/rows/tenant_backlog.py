"""One tenant's part of the embedding backlog."""

from collections.abc import Mapping, Sequence

from memoria.config import LONGEST_PAUSE_MS
from memoria.errors import EmbedderError, StoreError
from memoria.model import NO_PASSAGES, PassageVector, Vector
from memoria.store.connection import Connection, Row
from memoria.store.image.visibility import visibility_of
from memoria.store.rows.conversations import Conversations
from memoria.store.sql.statements import statements
from memoria.store.sql.tenant_rows import TenantRows, as_json
from memoria.store.values import PendingDocument
from memoria.store.vectors import EmbeddingModel, VectorIndex, current_model, find_model

_VECTORS = statements("vectors")


class TenantBacklog:
    """One tenant's part of the backlog: what the embedding worker reads and writes."""

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

    def current_model(self) -> str | None:
        """Return the home's model; None if there is none yet."""
        return current_model(self._connection)

    def awaits_vector(self) -> bool:
        """Check whether any document has no vector yet."""
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
            model: whose vectors they are.
            vectors: by document.
            passages: of those documents that are long.

        Raises:
            EmbedderError: they are not as long as the model's vectors were before.
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
        self._connection.execute(_VECTORS["drop_passages"], renewed)
        self._connection.executemany(
            _VECTORS["add_embedding"],
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
        self._rows.change("count_change")
        self._rows.change("note_changes", ns=as_json(documents))
        self._rows.change("remove", ns=as_json(documents))

    def _add_passages(
        self, model: EmbeddingModel, passages: Mapping[int, Sequence[PassageVector]]
    ) -> None:
        if not passages:
            return
        from memoria.store.vectors.passages import (  # noqa: PLC0415  (brings NumPy)
            pack_passages,
        )

        self._connection.executemany(
            _VECTORS["add_passages"],
            (
                {"model": model.n, "n": n, "signs": signs, "records": records}
                for n, some in passages.items()
                for signs, records in (pack_passages(some, model.dims),)
            ),
        )

    def postpone(self, ns: Sequence[int], until: int, error: str) -> None:
        """Count a failed attempt and wait until a moment before the next one."""
        self._rows.change("postpone", ns=as_json(ns), until=until, error=error)

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
        self._connection.execute(_VECTORS["add_model"], {"name": name, "dims": dims})
        known = find_model(self._connection, name)
        if known is None:
            raise StoreError(f"the model {name} vanished while it was written")
        return known
