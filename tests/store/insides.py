"""What tests reach of a transaction past its parts."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from memoria.model import Vector
from memoria.store.connection import Connection, Parameters
from memoria.store.engine import Store
from memoria.store.image.tenant_image import TenantImage
from memoria.store.image.tenant_images import TenantImages
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import Row, SqliteConnection, sqlite3
from memoria.store.vectors import VectorCache, VectorIndex

TOY_MODEL = "toy"


def connection_of(tx: Transaction) -> SqliteConnection:
    """The connection of SQLite that a transaction is on."""
    connection = tx._connection  # noqa: SLF001  (no face tells)
    assert isinstance(connection, SqliteConnection)
    return connection


@dataclass
class Work:
    """What a database is asked for."""

    statements: list[str] = field(default_factory=list)
    """Each with what it is asked for, in the order in which they were begun."""
    rows: int = 0
    """Number of rows that were given."""


@contextmanager
def noted_work(tx: Transaction) -> Iterator[Work]:
    """What is asked meanwhile: of SQLite by the transaction's connection, else by this process."""
    work, connection = Work(), any_connection_of(tx)
    if not isinstance(connection, SqliteConnection):
        with noted_work_of_postgres() as work:
            yield work
        return

    def make_row(cursor: sqlite3.Cursor, values: tuple[object, ...]) -> Row:
        work.rows += 1
        return Row(cursor, values)

    connection.row_factory = make_row
    connection.set_trace_callback(
        # FTS5 asks its own tables, too
        lambda sql: None if sql.startswith("--") else work.statements.append(sql)
    )
    try:
        yield work
    finally:
        connection.set_trace_callback(None)
        connection.row_factory = Row


@contextmanager
def noted_work_of_postgres() -> Iterator[Work]:
    """What this process asks of PostgreSQL meanwhile."""
    from memoria.store.postgres.driver import PostgresCursor  # noqa: PLC0415  (who tests SQLite may do without)

    work, run = Work(), PostgresCursor.execute

    def note(
        self: PostgresCursor, query: bytes, parameters: Parameters, **how: bool
    ) -> PostgresCursor:
        work.statements.append(f"{query.decode()} {parameters}")
        run(self, query, parameters, **how)
        work.rows += self.rowcount if self.description else 0
        return self

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PostgresCursor, "execute", note)
        yield work


@contextmanager
def tracing(store: Store) -> Iterator[list[str]]:
    """Collect the statements with which a store writes, with what they are given."""
    asked = list[str]()
    if isinstance(store, SqliteStore):
        writer = store._connections.writer.connection  # noqa: SLF001
        writer.set_trace_callback(asked.append)
        yield asked
        writer.set_trace_callback(None)
        return
    import psycopg  # noqa: PLC0415  (who tests SQLite may do without)

    only_read = set[object]()

    def note(run: Any) -> Any:  # noqa: ANN401  (of any form)
        def run_noted(cursor: Any, query: bytes | str, *given: object, **more: object) -> object:  # noqa: ANN401
            sql = query.decode() if isinstance(query, bytes) else query
            if sql.startswith("BEGIN"):
                change = only_read.add if "READ ONLY" in sql else only_read.discard
                change(cursor.connection)
            if cursor.connection not in only_read:
                asked.append(f"{sql} {given}")
            return run(cursor, query, *given, **more)

        return run_noted

    with pytest.MonkeyPatch.context() as patch:
        for name in ("execute", "executemany"):
            patch.setattr(psycopg.Cursor, name, note(getattr(psycopg.Cursor, name)))
        yield asked


def index_of(tx: Transaction) -> DocumentIndex:
    """The documents as a transaction writes them into the indexes, without a memory or a turn."""
    return tx._index  # noqa: SLF001  (only rows of the store write there)


def any_connection_of(tx: Transaction) -> Connection:
    """The connection that a transaction is on, whatever the engine."""
    return tx._connection  # noqa: SLF001


def vectors_of(tx: Transaction) -> VectorIndex:
    """The vectors as a transaction searches them."""
    return tx.documents._vectors  # noqa: SLF001  (a search alone chooses the way)


def cache_of(store: Store) -> VectorCache:
    """The vectors that a store has in memory."""
    if isinstance(store, SqliteStore):
        return store._connections.cache  # noqa: SLF001
    cache: VectorCache = store._cache  # type: ignore[attr-defined]  # noqa: SLF001
    return cache


def images_of(store: Store) -> TenantImages:
    """What this process knows of all tenants."""
    images: TenantImages = store._images  # type: ignore[attr-defined]  # noqa: SLF001  (searches alone look into it)
    return images


def image_of(store: Store, tenant: int = 1) -> TenantImage:
    """What this process knows of a tenant, the first one that has stored something."""
    return images_of(store).find(tenant)


def embed(store: Store, ns: Iterable[int]) -> None:
    """Gives documents the same vector, so that they tell when they are changed."""
    vector: Vector = np.ones(4, np.float32) / np.float32(2)
    with store.write("ann") as tx:
        tx.backlog.add_vectors(TOY_MODEL, dict.fromkeys(ns, vector))
