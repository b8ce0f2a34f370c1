"""Files of tenants as rows: they last with their transaction, for all servers of the database."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import psycopg
import pytest
from tests.store.postgres import PostgresServer
from tests.store.shared_database import Database

from memoria.disk.tenant_files import TenantFiles
from memoria.errors import StoreUnavailableError, UnusableFileError

DAY = "daily_summaries/2026-11-22.md"


def test_a_row_larger_than_any_that_is_written_is_an_obstacle(database: Database) -> None:
    store = database.open()
    files = store.files.of("ann")
    files.write("MEMORY.md", b"one")
    with psycopg.connect(database.address) as raw:
        raw.execute("SELECT set_config('memoria.tenant', '0', true)")
        raw.execute("UPDATE files SET content = decode(repeat('61', 300000), 'hex')")
    assert "has 300,000 bytes" in (files.find_obstacle("MEMORY.md") or "")
    assert not files.exists("MEMORY.md")
    with pytest.raises(UnusableFileError, match="has 300,000 bytes"):
        files.read("MEMORY.md")
    files.write("MEMORY.md", b"two")
    assert files.read("MEMORY.md") == b"two"


def test_what_is_written_in_a_transaction_lasts_with_it_or_not_at_all(database: Database) -> None:
    store, other = database.open(), database.open()
    files, elsewhere = store.files.of("ann"), other.files.of("ann")
    files.write(DAY, b"one")
    with pytest.raises(UnusableFileError), store.write("ann"):  # noqa: PT012
        files.write(DAY, b"two")
        files.write("USER.md", b"new")
        assert files.read(DAY) == b"two"
        assert elsewhere.read(DAY) == b"one"
        files.delete("/")
    assert files.list_places("") == [DAY]
    assert files.read(DAY) == b"one"
    with store.write("ann"):
        files.write(DAY, b"three")
        files.delete_folder("nowhere")
    assert elsewhere.read(DAY) == b"three"


def test_files_and_rows_are_read_from_one_snapshot(database: Database) -> None:
    store, other = database.open(), database.open()
    files, elsewhere = store.files.of("ann"), other.files.of("ann")
    files.write(DAY, b"one")
    with store.read("ann"):
        assert files.read(DAY) == b"one"
        elsewhere.write(DAY, b"two")
        assert files.read(DAY) == b"one"
        assert elsewhere.read(DAY) == b"two"
    assert files.read(DAY) == b"two"
    with files.reading():
        elsewhere.write(DAY, b"three")
        assert files.read(DAY) == b"two"


def test_nobody_in_a_transaction_needs_a_second_connection(database: Database) -> None:
    store = database.open(connections=1)
    files = store.files.of("ann")
    with store.write("ann"):
        assert files.write(DAY, b"one", lambda: files.read(DAY) is None)
        assert store.files.tombstone_key()
        assert store.files.adopt_tombstone_keys(bytes(32))
    with store.read("ann"):
        assert files.read(DAY) == b"one"


def is_still(files: TenantFiles, content: bytes | None) -> bool:
    return files.read(DAY) == content


def test_of_writers_on_several_servers_no_change_is_lost(database: Database) -> None:
    servers = [database.open(connections=4) for _ in range(2)]
    begin = Barrier(6)

    def count_up(n: int) -> int:
        files, done = servers[n % 2].files.of("ann"), 0
        begin.wait()
        for _ in range(20):
            before = files.read(DAY)
            one_more = str(int(before or b"0") + 1).encode()
            done += files.write(DAY, one_more, partial(is_still, files, before))
        return done

    with ThreadPoolExecutor(6) as threads:
        written = sum(threads.map(count_up, range(6)))
    assert servers[0].files.of("ann").read(DAY) == str(written).encode()
    assert written >= 20


def test_a_server_that_loses_its_connection_before_the_end_leaves_the_file_as_it_was(
    database: Database, postgres: PostgresServer
) -> None:
    store = database.open()
    files = store.files.of("ann")
    files.write(DAY, b"one")

    def cut() -> bool:
        with psycopg.connect(postgres.address, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test%'"
            )
        return True

    with pytest.raises(StoreUnavailableError):
        files.write(DAY, b"two", cut)
    assert files.read(DAY) == b"one"
    assert files.write(DAY, b"two")


def test_the_server_itself_keeps_tenants_files_apart(database: Database) -> None:
    store = database.open()
    for tenant in ("ann", "bob"):
        store.files.of(tenant).write("USER.md", tenant.encode())
    with psycopg.connect(database.address, autocommit=True) as raw:
        names = "SELECT id FROM tenants WHERE name = ANY(%s) ORDER BY name"
        with pytest.raises(psycopg.errors.UndefinedObject):
            raw.execute("SELECT content FROM files")
        ann, bob = (n for (n,) in raw.execute(names, (["ann", "bob"],)).fetchall())
        raw.execute("SELECT set_config('memoria.tenant', %s, false)", (str(ann),))
        assert raw.execute("SELECT content FROM files").fetchall() == [(b"ann",)]
        assert raw.execute("DELETE FROM files WHERE tenant_id = %s", (bob,)).rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute("UPDATE files SET tenant_id = %s", (bob,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute("INSERT INTO files VALUES (%s, 'PERSONA.md', '', 0)", (bob,))
    assert store.files.of("bob").list_places("") == ["USER.md"]
