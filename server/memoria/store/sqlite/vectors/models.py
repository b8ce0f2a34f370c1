"""What both ways of searching vectors speak of."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.narrowing import Narrowing
from memoria.store.sqlite.rows import list_numbers
from memoria.store.sqlite.statements import statements
from memoria.store.sqlite.tenants import IndexChanges
from memoria.store.sqlite.visibility import visibility_of
from memoria.store.values import DocumentKind, Match

if TYPE_CHECKING:
    from memoria.store.sqlite.vectors.together import QuestionsTogether

SQL = statements("vectors")

IndexRow = tuple[int, str, bytes]
"""(document, its visibility as a token, vector as float32 bytes)"""
Key = tuple[int, int, str]
"""(model, tenant, kind)"""


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model whose vectors the home holds."""

    n: int
    name: str
    dims: int
    has_passages: int = 1
    """Whether there may be any of its passages."""


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """Where to look for neighbours."""

    model: int
    tenant: int
    kind: DocumentKind
    scopes: tuple[str, ...]
    """Visibilities of that kind, as tokens."""
    allowed: Collection[int] | None = None
    """The documents that pass the question's filters, where they are few; None for all."""
    narrowing: Narrowing | None = None
    """What lets them through where they are many."""
    changed: IndexChanges | None = None
    """How far the snapshot has changed; None where that is still to be read."""
    together: "QuestionsTogether | None" = None
    """The questions that are asked of the snapshot; None for one alone."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far an index is from the truth."""

    total: int
    missing: int
    extra: int

    @property
    def is_out_of_step(self) -> bool:
        """Whether it is out of step at all."""
        return bool(self.missing or self.extra)


def read_changes(connection: Connection, tenant: int) -> IndexChanges:
    """How far a snapshot has changed."""
    return IndexChanges(*connection.execute(SQL["changes"], {"tenant": tenant}).fetchone())


def current_model(connection: Connection) -> str | None:
    """The name of the model that embeds what is written in the home."""
    row = connection.execute(SQL["current_model"]).fetchone()
    return None if row is None else str(row["value"])


def find_model(connection: Connection, name: str) -> EmbeddingModel | None:
    """The model of that name."""
    return connection.read_settled(("model", name), lambda: _find_model(connection, name))


def _find_model(connection: Connection, name: str) -> EmbeddingModel | None:
    row = connection.execute(SQL["model"], {"name": name}).fetchone()
    return None if row is None else EmbeddingModel(**row)


def list_models(connection: Connection) -> list[EmbeddingModel]:
    """Every model the home holds vectors of."""
    return [EmbeddingModel(**row) for row in connection.execute(SQL["models"])]


def list_passing(connection: Connection, where: VectorQuery, ns: Collection[int]) -> list[int]:
    """Those of the documents that a search may find, as the truth has it."""
    visible = list_visible(connection, where, ns)
    if where.narrowing is not None:
        passed = where.narrowing.best([Match(n, 0.0) for n in visible], len(visible))
        return [match.n for match in passed]
    return [n for n in visible if where.allowed is None or n in where.allowed]


def list_visible(connection: Connection, where: VectorQuery, ns: Collection[int]) -> list[int]:
    """Those of the documents that are seen, whatever the question's filters let through."""
    rows = connection.execute(SQL["visibilities"], {"tenant": where.tenant, "ns": list_numbers(ns)})
    return [row["n"] for row in rows if visibility_of(row).token in where.scopes]
