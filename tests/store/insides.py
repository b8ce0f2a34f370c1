"""What tests reach of a transaction past its parts."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

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
from memoria.store.sqlite.driver import SqliteConnection
from memoria.store.vectors import VectorCache, VectorIndex

TOY_MODEL = "toy"


def connection_of(tx: Transaction) -> SqliteConnection:
    """The connection of SQLite that a transaction is on."""
    connection = tx._connection  # noqa: SLF001  (no face tells)
    assert isinstance(connection, SqliteConnection)
    return connection


@contextmanager
def noted_statements(tx: Transaction) -> Iterator[list[str]]:
    """The statements that are run meanwhile: of SQLite by the transaction, else by this process."""
    noted: list[str] = []
    connection = any_connection_of(tx)
    if isinstance(connection, SqliteConnection):
        connection.set_trace_callback(noted.append)
        yield noted
        connection.set_trace_callback(None)
        return
    from memoria.store.postgres.driver import PostgresCursor  # noqa: PLC0415  (who tests SQLite may do without)

    run = PostgresCursor.execute

    def note(self: PostgresCursor, query: bytes, parameters: Parameters) -> PostgresCursor:
        noted.append(query.decode())
        return run(self, query, parameters)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PostgresCursor, "execute", note)
        yield noted


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
