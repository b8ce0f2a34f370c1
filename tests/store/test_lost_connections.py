"""Connections to PostgreSQL that are lost: the caller learns the truth, or need not know at all."""

import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from bench.postgres import Cut, CuttingProxy
from psycopg.conninfo import conninfo_to_dict
from tests.store.postgres import PostgresServer
from tests.store.shared_database import KEY, Database

from memoria.errors import StoreUnavailableError
from memoria.store.connection import TransactionLostError
from memoria.store.kept_changes import run_whole
from memoria.store.postgres.outcomes import READ_MARK, TransactionMark, is_kept
from memoria.store.postgres.pool import PoolSize, SharedConnections
from memoria.store.postgres.store import PostgresStore
from memoria.store.rows.transaction import StoreOptions

Cutter = tuple[CuttingProxy, PostgresStore]


@pytest.fixture
def cutter(database: Database, postgres: PostgresServer) -> Iterator[Cutter]:
    """A store whose connections pass through a proxy that can cut them."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        proxy = stack.enter_context(CuttingProxy(postgres.folder, Path(name)))
        served, cut = (quote(str(folder), safe="") for folder in (postgres.folder, name))
        address = database.address.replace(served, cut)
        store = PostgresStore(address, PoolSize(4, patience_s=20), StoreOptions(), KEY)
        stack.enter_context(closing(store))
        yield proxy, store


def note(store: PostgresStore, session: str) -> None:
    with store.write("ann") as tx:
        tx.conversations.upsert_session("test", session, 1, 1, 1)


def count_sessions(database: Database) -> int:
    with psycopg.connect(database.address) as raw:
        raw.execute("SELECT set_config('memoria.tenant', '0', true)")
        row = raw.execute("SELECT count(*) FROM sessions").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.parametrize("cut", [Cut.STATEMENT, Cut.ANSWER, Cut.BEFORE_COMMIT])
def test_what_was_lost_before_its_commit_is_told_or_done_again_as_a_whole(
    cutter: Cutter, database: Database, cut: Cut
) -> None:
    proxy, store = cutter
    note(store, "before")
    # A transaction begins by one round trip of a few statements, which is made again unasked.
    proxy.arm(cut, after=0 if cut is Cut.BEFORE_COMMIT else 13)
    with pytest.raises(TransactionLostError, match=r"Nothing was written\. Try again"):
        note(store, "lost")
    assert (proxy.cuts, count_sessions(database)) == (1, 1)
    proxy.arm(cut, after=0 if cut is Cut.BEFORE_COMMIT else 13)
    run_whole(lambda: note(store, "kept"))
    assert (proxy.cuts, count_sessions(database)) == (2, 2)


@pytest.mark.parametrize("cut", [Cut.COMMIT_SENT, Cut.COMMIT_ANSWERED])
def test_a_commit_whose_answer_is_lost_counts_once(
    cutter: Cutter, database: Database, cut: Cut
) -> None:
    proxy, store = cutter
    note(store, "before")
    proxy.arm(cut)
    run_whole(lambda: note(store, "kept"))
    assert (proxy.cuts, count_sessions(database)) == (1, 2)


def test_a_part_that_is_kept_is_not_done_again(cutter: Cutter, database: Database) -> None:
    proxy, store = cutter
    runs = []

    def note_two() -> None:
        runs.append(1)
        note(store, "kept")
        proxy.arm(Cut.BEFORE_COMMIT)
        note(store, "lost")

    with pytest.raises(TransactionLostError):
        run_whole(note_two)
    assert (len(runs), count_sessions(database)) == (1, 1)


def test_of_an_id_that_a_crash_may_have_given_twice_nothing_is_claimed(database: Database) -> None:
    database.open()
    marks = []
    for end in ("COMMIT", "ROLLBACK"):
        with psycopg.connect(database.address, autocommit=True) as raw:
            raw.execute("BEGIN")
            row = raw.execute(READ_MARK).fetchone()
            assert row is not None
            marks.append(TransactionMark(*row))
            raw.execute(end.encode())
    kept, taken_back = marks
    assert (is_kept(database.address, kept), is_kept(database.address, taken_back)) == (True, False)
    before_a_crash = kept._replace(counted_since="2026-01-01 00:00:00+00")
    with pytest.raises(StoreUnavailableError, match="whether it was kept is not known"):
        is_kept(database.address, before_a_crash)
    ahead = kept._replace(id=str(int(kept.id) + 1_000_000))
    assert not is_kept(database.address, ahead)


def test_a_connection_whose_transaction_could_not_begin_serves_again(database: Database) -> None:
    store = PostgresStore(database.address, PoolSize(1, patience_s=0.05), StoreOptions(), KEY)
    with closing(store), closing(database.open()) as other:
        for number in range(8):
            with other.write("ann"), pytest.raises(StoreUnavailableError, match="Try again"):
                note(store, f"held up {number}")
            note(store, f"free {number}")
    assert count_sessions(database) == 8


def test_whoever_finds_no_connection_free_is_told_what_to_do(database: Database) -> None:
    store = PostgresStore(database.address, PoolSize(2, patience_s=0.05), StoreOptions(), KEY)
    told = pytest.raises(StoreUnavailableError, match="raise MEMORIA_DATABASE_CONNECTIONS")
    with closing(store), store.read("ann"), store.read("ann"), told:
        note(store, "no room")
    assert count_sessions(database) == 0


def test_whoever_waits_for_a_server_is_served_as_soon_as_it_answers(database: Database) -> None:
    refusals = iter([True, True, True, False])
    answered = threading.Event()

    def connect() -> psycopg.Connection[tuple[object, ...]]:
        if next(refusals):
            raise psycopg.OperationalError("connection refused")
        answered.set()
        return psycopg.connect(database.address)

    pool = SharedConnections(connect, PoolSize(1, patience_s=20))
    with pool.take() as raw:
        assert answered.is_set()
        assert raw.execute("SELECT 1").fetchone() == (1,)
    pool.close()


def test_a_server_that_never_answers_is_named_in_the_end() -> None:
    def connect() -> psycopg.Connection[tuple[object, ...]]:
        raise psycopg.OperationalError("connection refused")

    pool = SharedConnections(connect, PoolSize(1, patience_s=0))
    with pytest.raises(StoreUnavailableError, match=r"does not answer \(connection refused\)"):
        pool.take()


def limit_connections(postgres: PostgresServer, database: Database, most: int) -> None:
    name = conninfo_to_dict(database.address)["dbname"]
    with psycopg.connect(postgres.address, autocommit=True) as raw:
        raw.execute(f"ALTER DATABASE {name} CONNECTION LIMIT {most}")


def test_a_process_that_a_full_server_refuses_another_connection_goes_on_with_those_it_has(
    database: Database, postgres: PostgresServer
) -> None:
    store = database.open(connections=4)
    note(store, "the first connection")
    limit_connections(postgres, database, 1)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(partial(note, store), map(str, range(8))))
    limit_connections(postgres, database, -1)
    assert count_sessions(database) == 9


def test_a_server_that_takes_no_more_connections_is_said_to_be_full(
    database: Database, postgres: PostgresServer
) -> None:
    note(database.open(), "kept")  # by a connection that idles from now on
    limit_connections(postgres, database, 1)
    size = PoolSize(1, patience_s=0.05)
    with pytest.raises(StoreUnavailableError, match="raise max_connections"):
        PostgresStore(database.address, size, StoreOptions(), KEY)
    connections = SharedConnections(lambda: psycopg.connect(database.address), size)
    with pytest.raises(StoreUnavailableError, match="raise max_connections"):
        connections.take()
