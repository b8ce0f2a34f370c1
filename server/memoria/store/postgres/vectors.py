"""pgvector index: a copy of all vectors in half precision, from which candidates are chosen.

One table for all tenants, hash-partitioned by tenant. A search reads every vector of the tenant
that is visible: it is exact, and takes as long as reading them takes. Where the server lacks the
extension there is no such table.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from memoria.model import Vector
from memoria.store.connection import Row
from memoria.store.image.visibility import visibility_of
from memoria.store.postgres.connections import ALL_TENANTS
from memoria.store.postgres.driver import BinaryLiteral, PostgresConnection
from memoria.store.postgres.schema import Session
from memoria.store.sql.statements import as_json, list_numbers, statements
from memoria.store.values import Match
from memoria.store.vectors.models import Drift, IndexRow, VectorQuery, list_models

_SQL = statements("pgvector", "postgres")
_PAGE = 1000
_ERROR = 2**-9
"""Largest difference that rounding makes between two products of unit vectors: each number of four
is off by one part in 2,048 at the most."""
_MOST_SPARE = 1000
"""Candidates beyond those wanted: of more that are nearly equal some are as good as others."""


def make_vectors_table(session: Session) -> None:
    """Make and fill the table of vectors if it is missing, and the server has pgvector.

    Args:
        session: a connection that sees all tenants.
    """
    connection = PostgresConnection(session, only_reads=False)
    if has_vectors_table(connection):
        return
    with session.transaction():
        session.execute(statements("schema", "postgres")["lock"].encode())
        session.execute(_SQL["make_table"].encode())
        if has_vectors_table(connection):
            session.execute(_SQL["lock_truth"].encode())
            for model in list_models(connection):
                PgvectorIndex(connection, ALL_TENANTS).catch_up(model.n, model.dims)


def has_vectors_table(connection: PostgresConnection) -> bool:
    """Check whether the database has a table of vectors."""
    return bool(connection.execute(_SQL["has_table"]).fetchone()[0])


class PgvectorIndex:
    """Index of pgvector on one connection."""

    few = 100
    """Number of vectors up to which they are scanned. One search asks some nine times, and a matrix
    is loaded in the time of as many scans."""

    def __init__(self, connection: PostgresConnection, tenant: int) -> None:
        """Bind to a transaction.

        Args:
            connection: the connection.
            tenant: the tenant whose documents are changed and counted; `ALL_TENANTS` where the
                whole index is compared or built anew.
        """
        self._connection = connection
        self._tenant = tenant

    def add(self, model: int, dims: int, rows: Sequence[IndexRow]) -> None:  # noqa: ARG002
        """Index vectors, replacing those that the documents had."""
        self._add((self._tenant, model, row) for row in rows)

    def erase(self, n: int) -> None:
        """Remove a document, for all models."""
        self._connection.execute(_SQL["erase"], {"tenant": self._tenant, "n": n})

    def erase_tenant(self, tenant: int) -> None:
        """Remove all documents of a tenant, for all models."""
        self._connection.execute(_SQL["erase_tenant"], {"tenant": tenant})

    def count(self, ns: Sequence[int]) -> int:
        """Count the vectors of these documents in the index."""
        asked = {"tenant": self._tenant, "ns": list_numbers(ns)}
        return int(self._connection.execute(_SQL["count"], asked).fetchone()[0])

    def move(self, n: int) -> None:
        """Index a document anew after its visibility changed, for all models."""
        self.erase(n)
        asked = {"tenant": self._tenant, "n": n}
        rows = self._connection.execute(_SQL["current"], asked)
        self._add((self._tenant, row["model_n"], _index_row(row)) for row in rows)

    def nearest(self, where: VectorQuery, vector: Vector, limit: int) -> list[Match]:
        """Return the nearest documents, best first."""
        import numpy as np  # noqa: PLC0415  (slow to import)

        from memoria.store.vectors.stored import halve_vector, rank_vectors  # noqa: PLC0415  (brings NumPy)

        allowed = where.allowed if where.narrowing is None else where.narrowing.all_ids
        rows = self._connection.tuples(
            _SQL["nearest"],
            {
                "tenant": where.tenant,
                "model": where.model,
                "scopes": as_json(where.scopes),
                "allowed": None if allowed is None else list_numbers(allowed),
                "vector": BinaryLiteral(halve_vector(vector)),
                "wanted": limit,
                "most": limit + _MOST_SPARE,
                "error": _ERROR * float(np.linalg.norm(vector)),
            },
        )
        return rank_vectors(rows, vector, limit)

    def drift(self, model: int) -> Drift:
        """Compare the index with the stored vectors, document by document."""
        return Drift(*self._connection.execute(_SQL["drift"], {"model": model}).fetchone())

    def catch_up(self, model: int, dims: int) -> None:  # noqa: ARG002
        """Build the tenant's index anew from the stored vectors; for all tenants, writers wait."""
        if self._tenant == ALL_TENANTS:
            self._connection.execute(_SQL["lock_for_rebuild"])
        asked = {"tenant": self._tenant, "model": model}
        self._connection.execute(_SQL["erase_model"], asked)
        with self._connection.stream(_SQL["indexable"], asked) as rows:
            while page := list(islice(rows, _PAGE)):
                self._add((row["tenant_id"], model, _index_row(row)) for row in page)

    def _add(self, rows: Iterable[tuple[int, int, IndexRow]]) -> None:
        """Write rows of (tenant, model, row)."""
        import numpy as np  # noqa: PLC0415  (slow to import)

        from memoria.store.vectors.stored import halve_vector  # noqa: PLC0415  (brings NumPy)

        self._connection.executemany(
            _SQL["add"],
            (
                {
                    "tenant": tenant,
                    "model": model,
                    "n": n,
                    "scope": scope,
                    "embedding": BinaryLiteral(halve_vector(np.frombuffer(vector, np.float32))),
                }
                for tenant, model, (n, scope, vector) in rows
            ),
        )


def _index_row(row: Row) -> IndexRow:
    return row["n"], visibility_of(row).token, row["vector"]
