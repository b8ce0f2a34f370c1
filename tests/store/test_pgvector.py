"""pgvector chooses candidates in half precision; the truth decides, and alone must be kept."""

import threading
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from psycopg.conninfo import make_conninfo
from tests.store.insides import cache_of, index_of, vectors_of
from tests.store.postgres import PostgresServer

from memoria.model import Vector
from memoria.model.moments import MACHINE_ZONE
from memoria.store.image.visibility import Visibility
from memoria.store.postgres.pool import PoolSize
from memoria.store.postgres.store import PostgresStore
from memoria.store.postgres.vectors import PgvectorIndex
from memoria.store.rows.transaction import StoreOptions, Transaction
from memoria.store.values import Filters, Match
from memoria.store.vectors import Drift, VectorQuery

DIMS = 64
MODEL = "random/64"
TIMEOUT_S = 60
_ROLE = "vectors"
_NUMBERS = count()


class Database:
    """A database, and whatever stores are opened on it."""

    def __init__(self, server: PostgresServer, name: str) -> None:
        self._server = server
        self.name = name
        self.stores: list[PostgresStore] = []

    def open(self) -> PostgresStore:
        url = make_conninfo(self._server.address, user=_ROLE, dbname=self.name)
        options = StoreOptions(5, frozenset(), MACHINE_ZONE)
        self.stores.append(PostgresStore(url, PoolSize(4, 10.0), options, bytes(32)))
        return self.stores[-1]

    def list_indexed(self) -> set[object]:
        """Return the numbers of all documents in the table of vectors."""
        return {n for (n,) in self.run("SELECT n FROM vectors")}

    def run(self, sql: str) -> list[tuple[object, ...]]:
        """Run a statement as a superuser, whom no row-level security holds."""
        with psycopg.connect(self._server.address, dbname=self.name, autocommit=True) as raw:
            found = raw.execute(sql.encode())
            return found.fetchall() if found.pgresult and found.pgresult.nfields else []


@pytest.fixture(scope="module")
def server(postgres: PostgresServer) -> PostgresServer:
    """A server with a role that is nobody special."""
    with psycopg.connect(postgres.address, autocommit=True) as raw:
        raw.execute(f"CREATE ROLE {_ROLE} LOGIN".encode())
    return postgres


@pytest.fixture
def bare(server: PostgresServer) -> Iterator[Database]:
    """A database without the extension, of a role that may not make one."""
    database = Database(server, f"vectors_{next(_NUMBERS)}")
    with psycopg.connect(server.address, autocommit=True) as raw:
        raw.execute(f"CREATE DATABASE {database.name} OWNER {_ROLE}".encode())
    yield database
    for store in database.stores:
        store.close()


@pytest.fixture
def database(bare: Database) -> Database:
    """A database with the extension."""
    bare.run("CREATE EXTENSION vector")
    return bare


@pytest.fixture
def store(database: Database) -> PostgresStore:
    """A store that embeds with the model."""
    store = database.open()
    choose_model(store, MODEL)
    return store


def choose_model(store: PostgresStore, name: str) -> None:
    with store.backlog(write=True) as backlog:
        backlog.choose_model(name)


def add(store: PostgresStore, vectors: NDArray[np.float32], tenant: str = "ann") -> list[int]:
    """Add a turn for each vector; return their numbers."""
    with store.write(tenant) as tx:
        ns = [index_of(tx).add("turn", None, "", "") for _ in vectors]
        tx.backlog.add_vectors(MODEL, dict(zip(ns, vectors, strict=True)))
    return ns


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.vecdot(rows, rows))
    units: NDArray[np.float32] = (rows / lengths[..., None]).astype(np.float32)
    return units


def where(tx: Transaction) -> VectorQuery:
    tenant = tx._tenant  # noqa: SLF001
    return VectorQuery(1, tenant, "turn", (Visibility("turn", tenant).token,))


def by_index(tx: Transaction, question: Vector, limit: int) -> list[Match]:
    """The nearest by the table of vectors."""
    kept = vectors_of(tx)._kept  # noqa: SLF001
    assert isinstance(kept, PgvectorIndex)
    return kept.nearest(where(tx), question, limit)


def by_truth(vectors: NDArray[np.float32], ns: list[int], question: Vector) -> list[Match]:
    scores = np.vecdot(vectors, question)
    order = np.lexsort((ns, -scores))
    return [Match(ns[i], float(scores[i])) for i in order]


def make_random(rng: np.random.Generator) -> NDArray[np.float32]:
    return unit(rng.standard_normal((600, DIMS)))


def make_near_duplicates(rng: np.random.Generator) -> NDArray[np.float32]:
    topics = rng.standard_normal((6, DIMS))
    return unit(topics[rng.integers(0, 6, 600)] + rng.standard_normal((600, DIMS)) / 1000)


@pytest.mark.parametrize("make", [make_random, make_near_duplicates])
def test_half_precision_finds_what_the_truth_has_to_the_last_bit(
    store: PostgresStore, make: Callable[[np.random.Generator], NDArray[np.float32]]
) -> None:
    rng = np.random.default_rng(48)
    vectors = make(rng)
    ns = add(store, vectors)
    with store.read("ann") as tx:
        for question in [*unit(rng.standard_normal((50, DIMS))), *vectors[:50]]:
            assert by_index(tx, question, 10) == by_truth(vectors, ns, question)[:10]


def test_vectors_of_any_length_are_found_by_the_product_that_the_truth_has(
    store: PostgresStore,
) -> None:
    one = np.eye(DIMS, dtype=np.float32)[0]
    vectors = np.stack([one * 0, one, one * 1e6, one * 1e-9, -one])
    ns = add(store, vectors)
    with store.read("ann") as tx:
        assert by_index(tx, one, 10) == by_truth(vectors, ns, one)
        assert len(by_index(tx, one * 0, 10)) == len(ns)


def test_what_is_hidden_or_erased_is_in_no_table_of_vectors_and_in_no_answer(
    database: Database, store: PostgresStore
) -> None:
    vectors = make_random(np.random.default_rng(1))[:30]
    ns = add(store, vectors)
    others = add(store, vectors, "bob")
    with store.write("ann") as tx:
        index_of(tx).erase(ns[0])
        index_of(tx).set_current(ns[1], current=False)
        assert index_of(tx).count_indexed_vectors([*ns, *others]) == 28
    assert database.list_indexed() == {*ns[2:], *others}
    with store.read("ann") as tx:
        assert {match.n for match in by_index(tx, vectors[0], 50)} == set(ns[2:])
    with store.write("ann") as tx:
        index_of(tx).withdraw_all()
    assert database.list_indexed() == {*others}


def test_a_tenant_neither_finds_nor_counts_anothers_vectors(store: PostgresStore) -> None:
    vectors = make_random(np.random.default_rng(2))[:5]
    ns, others = add(store, vectors), add(store, vectors, "bob")
    with store.read("ann") as tx:
        kept = PgvectorIndex(tx._connection, 2)  # type: ignore[arg-type]  # noqa: SLF001
        asked = VectorQuery(1, 2, "turn", (Visibility("turn", 2).token,))
        assert kept.nearest(asked, vectors[0], 10) == []
        assert kept.count(others) == 0
        assert len(by_index(tx, vectors[0], 10)) == len(ns)


def catch_up(store: PostgresStore) -> None:
    """Build the table anew as an embedding worker does that finds it out of step."""
    with store.backlog(write=True) as backlog:
        backlog.catch_up(MODEL)


def rebuild(store: PostgresStore) -> None:
    """Build it anew as `memoria doctor --rebuild` does."""
    store.rebuild(lambda _done, _all: None)


@pytest.mark.parametrize("build", [catch_up, rebuild])
def test_a_table_out_of_step_is_noticed_and_built_anew(
    database: Database, store: PostgresStore, build: Callable[[PostgresStore], None]
) -> None:
    vectors = make_random(np.random.default_rng(3))[:40]
    ns = add(store, vectors)
    add(store, vectors, "bob")
    database.run("DELETE FROM vectors WHERE tenant_id = 1 AND n IN (SELECT min(n) FROM vectors)")
    database.run("INSERT INTO vectors SELECT 1, 900, 1, scope, embedding FROM vectors LIMIT 1")
    with store.backlog(write=False) as backlog:
        assert backlog._vectors.drift(1) == Drift(80, missing=1, extra=1)  # noqa: SLF001
        assert backlog.index_is_behind(MODEL)
    build(store)
    with store.backlog(write=False) as backlog:
        assert not backlog.index_is_behind(MODEL)
    with store.read("ann") as tx:
        assert by_index(tx, vectors[3], 50) == by_truth(vectors, ns, vectors[3])


def test_without_the_extension_vectors_are_searched_in_memory(bare: Database) -> None:
    store = bare.open()
    choose_model(store, MODEL)
    vectors = make_random(np.random.default_rng(4))[:20]
    ns = add(store, vectors)
    with store.read("ann") as tx:
        assert not vectors_of(tx).in_file
        found = tx.documents.nearest("turn", MODEL, vectors[0], Filters(), 20)
    assert found == by_truth(vectors, ns, vectors[0])


def test_an_extension_that_comes_later_is_used_with_all_vectors_by_all_servers(
    bare: Database,
) -> None:
    before = bare.open()
    choose_model(before, MODEL)
    vectors = make_random(np.random.default_rng(5))[:20]
    ns = add(before, vectors[:10])
    bare.run("CREATE EXTENSION vector")
    after = bare.open()
    ns += add(before, vectors[10:])
    for store in (before, after):
        with store.read("ann") as tx:
            assert by_index(tx, vectors[0], 50) == by_truth(vectors, ns, vectors[0])


def test_two_servers_that_open_an_empty_database_at_once_make_one_table(database: Database) -> None:
    threads = [threading.Thread(target=database.open) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert len(database.stores) == 3
    assert database.run("SELECT count(*) FROM vectors") == [(0,)]


def wait_until_locked(database: Database, thread: threading.Thread) -> None:
    """Wait until somebody waits for a lock in the database, or the thread has ended."""
    waiting = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event_type = 'Lock'"
    )
    while thread.is_alive() and not database.run(waiting):
        thread.join(0.01)


def test_a_document_embedded_while_another_model_is_chosen_waits_for_the_other_model(
    database: Database, store: PostgresStore
) -> None:
    (vector,) = make_random(np.random.default_rng(6))[:1]
    with store.write("ann") as tx:
        n = index_of(tx).add("turn", None, "", "")
    chooser = threading.Thread(target=choose_model, args=(database.open(), "another/64"))
    with store.write("ann") as tx:
        assert tx.backlog.hold_model() == MODEL
        chooser.start()
        wait_until_locked(database, chooser)
        tx.backlog.add_vectors(MODEL, {n: vector})
    chooser.join(TIMEOUT_S)
    with store.read("ann") as tx:
        assert tx.backlog.awaits_vector()


def test_a_model_that_two_servers_embed_with_first_is_added_once(
    database: Database, store: PostgresStore
) -> None:
    other = database.open()
    for tenant in ("ann", "bob"):
        with store.write(tenant) as tx:
            index_of(tx).add("turn", None, "", "")
    vectors = make_random(np.random.default_rng(7))[:2]
    bob = threading.Thread(target=add, args=(other, vectors[1:], "bob"))
    with store.write("ann") as tx:
        n = index_of(tx).add("turn", None, "", "")
        tx.backlog.add_vectors(MODEL, {n: vectors[0]})
        bob.start()
        wait_until_locked(database, bob)
    bob.join(TIMEOUT_S)
    with store.read("bob") as tx:
        assert len(by_index(tx, vectors[1], 10)) == 1
    assert database.run("SELECT name FROM embedding_models") == [(MODEL,)]


def test_very_many_vectors_are_coded_in_the_background_and_followed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("faiss", reason="codes need memoria-server[fast]")
    monkeypatch.setattr(PgvectorIndex, "few", 100)
    store = database.open()
    choose_model(store, MODEL)
    cache = cache_of(store)
    monkeypatch.setattr(cache, "_many", 400)
    vectors = make_random(np.random.default_rng(8))
    ns = add(store, vectors)

    def ask() -> list[Match]:
        with store.read("ann") as tx:
            return tx.documents.nearest("turn", MODEL, vectors[0], Filters(), 10)

    before = [ask() for _ in range(3)]
    with store.read("ann") as tx:
        cache.wait(where(tx))
    with store.write("ann") as tx:
        index_of(tx).erase(ns[1])
    with store.read("ann") as tx:
        found = ask()
        assert cache.holds(where(tx))
    assert ns[1] not in [match.n for match in found]
    assert before[0][0] == found[0]


def test_both_threads_of_a_search_see_the_same_while_others_write(
    database: Database, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.store.rows.documents.BUDGET", 0)
    add(store, make_random(np.random.default_rng(9))[:3])
    other = database.open()

    def count_documents(tx: Transaction) -> tuple[int, int]:
        return threading.get_ident(), len(tx.documents.page("turn", 0, 100))

    with store.read("ann") as tx:
        add(other, make_random(np.random.default_rng(10))[:2])
        with tx.read_concurrently(count_documents) as counted:
            ident, seen = counted()
            assert seen == count_documents(tx)[1] == 3
    assert ident != threading.get_ident()
