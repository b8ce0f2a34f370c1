"""Values and reads that a search of vectors needs in the file as in memory."""

from collections.abc import Collection
from dataclasses import dataclass

from memoria.store.connection import Connection
from memoria.store.image.candidate_filter import CandidateFilter
from memoria.store.image.tenants import IndexChanges
from memoria.store.image.visibility import visibility_of
from memoria.store.sql.statements import list_numbers
from memoria.store.values import DocumentKind, Match

IndexRow = tuple[int, str, bytes]
"""(document, its visibility as a token, vector as float32 bytes)"""
Key = tuple[int, int, str]
"""(model, tenant, kind)"""


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """Embedding model of which the home has vectors."""

    n: int
    name: str
    dims: int
    has_passages: int = 1
    """1 if there may be passages of it."""


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """Query for the nearest documents: the model, tenant, kind and filters."""

    model: int
    tenant: int
    kind: DocumentKind
    scopes: tuple[str, ...]
    """Visibilities of that kind, as tokens."""
    allowed: Collection[int] | None = None
    """Documents that pass the question's filters, if they are few; None for all."""
    narrowing: CandidateFilter | None = None
    """Filters that documents must pass, if many do."""
    changed: IndexChanges | None = None
    """Counts of the snapshot's changes; None if they are still to be read."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Difference between an index and the stored vectors, in numbers of documents."""

    total: int
    missing: int
    extra: int

    @property
    def is_out_of_step(self) -> bool:
        """True if anything is missing or too much."""
        return bool(self.missing or self.extra)


def read_changes(connection: Connection, tenant: int) -> IndexChanges:
    """Return the counts of a tenant's changes on a snapshot."""
    return IndexChanges(
        *connection.execute(
            connection.statements("vectors")["changes"], {"tenant": tenant}
        ).fetchone()
    )


def current_model(connection: Connection) -> str | None:
    """Return the name of the home's embedding model; None if none was chosen."""
    row = connection.execute(connection.statements("vectors")["current_model"]).fetchone()
    return None if row is None else str(row["value"])


def find_model(connection: Connection, name: str) -> EmbeddingModel | None:
    """Return the model of that name; None if the home has none."""
    return connection.read_settled(("model", name), lambda: _find_model(connection, name))


def _find_model(connection: Connection, name: str) -> EmbeddingModel | None:
    row = connection.execute(connection.statements("vectors")["model"], {"name": name}).fetchone()
    return None if row is None else EmbeddingModel(**row)


def list_models(connection: Connection) -> list[EmbeddingModel]:
    """List all models of which the home has vectors."""
    return [
        EmbeddingModel(**row)
        for row in connection.execute(connection.statements("vectors")["models"])
    ]


def list_passing(connection: Connection, where: VectorQuery, ns: Collection[int]) -> list[int]:
    """Select the documents that are visible and pass the filters of a query."""
    visible = list_visible(connection, where, ns)
    if where.narrowing is not None:
        passed = where.narrowing.best([Match(n, 0.0) for n in visible], len(visible))
        return [match.n for match in passed]
    return [n for n in visible if where.allowed is None or n in where.allowed]


def list_visible(connection: Connection, where: VectorQuery, ns: Collection[int]) -> list[int]:
    """Select the documents that a query may see, whether or not they pass its filters."""
    rows = connection.execute(
        connection.statements("vectors")["visibilities"],
        {"tenant": where.tenant, "ns": list_numbers(ns)},
    )
    return [row["n"] for row in rows if visibility_of(row).token in where.scopes]
