"""What both ways of searching vectors speak of."""

from collections.abc import Collection
from dataclasses import dataclass

from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.narrowing import Narrowing
from memoria.store.sqlite.statements import statements
from memoria.store.values import Kind

SQL = statements("vectors")

IndexRow = tuple[int, str, bytes]
"""(document, its standing as a token, vector as float32 bytes)"""
Key = tuple[int, int, str]
"""(model, tenant, kind)"""


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model whose vectors the home holds."""

    n: int
    name: str
    dims: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Where to look for neighbours."""

    model: int
    tenant: int
    kind: Kind
    scopes: tuple[str, ...]
    """Standings, as tokens, of that kind."""
    allowed: Collection[int] | None = None
    """The documents that pass the question's filters, where they are few; None for all."""
    narrowing: Narrowing | None = None
    """What lets them through where they are many."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far an index is from the truth."""

    total: int
    missing: int
    extra: int

    @property
    def any(self) -> bool:
        """Whether it is out of step at all."""
        return bool(self.missing or self.extra)


def known_model(connection: Connection, name: str) -> KnownModel | None:
    """The model of that name."""
    row = connection.execute(SQL["model"], {"name": name}).fetchone()
    return None if row is None else KnownModel(**row)


def known_models(connection: Connection) -> list[KnownModel]:
    """Every model the home holds vectors of."""
    return [KnownModel(**row) for row in connection.execute(SQL["models"])]
