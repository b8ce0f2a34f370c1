"""Tenants' files, on disk and as rows: what both promise, and what rows promise besides."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import psycopg
import pytest
from tests.store.databases import Database, make_database
from tests.store.postgres import PostgresServer

from memoria.disk.home_folder import HomeFolder
from memoria.disk.regular_files import MOST_CORE_BYTES
from memoria.disk.tenant_files import HomeFiles, TenantFiles, list_core_places
from memoria.errors import StoreUnavailableError, UnusableFileError
from memoria.store.postgres.store import PostgresStore

DAY = "daily_summaries/2026-11-22.md"
BAD = {
    "outside": "../MEMORY.md",
    "outside, from a folder": "night/../../MEMORY.md",
    "absolute": "/etc/passwd",
    "NUL": "daily_summaries/a\0b.md",
    "long": f"daily_summaries/{'a' * 3000}.md",
    "half a character": "daily_summaries/\ud800.md",
}


@pytest.fixture(scope="module")
def made(postgres: PostgresServer) -> Iterator[Database]:
    """A database for all tests here."""
    with make_database(postgres) as made:
        yield made


@pytest.fixture
def database(made: Database) -> Iterator[Database]:
    """A database without files and keys."""
    yield made
    made.clear()


@pytest.fixture
def store(database: Database) -> PostgresStore:
    """A store in it."""
    return database.open()


@pytest.fixture(params=["disk", "rows"])
def all_files(request: pytest.FixtureRequest, home: Path) -> HomeFiles:
    """The files of a home, kept in either way."""
    if request.param == "disk":
        return HomeFolder(home)
    files: HomeFiles = request.getfixturevalue("store").files
    return files


@pytest.fixture
def files(all_files: HomeFiles) -> TenantFiles:
    """The files of a tenant, who has none yet."""
    return all_files.of("ann")


def test_a_file_says_what_was_written_last_and_is_gone_when_it_is_deleted(
    files: TenantFiles,
) -> None:
    assert files.read(DAY) is files.find_state(DAY) is files.find_obstacle(DAY) is None
    assert not files.exists(DAY)
    states = set()
    for content in (b"one", b"", b"\x00\xff\r\n"):
        assert files.write(DAY, content)
        assert files.read(DAY) == content
        states.add(files.find_state(DAY))
    assert files.exists(DAY)
    assert len(states) == 3
    files.delete(DAY)
    files.delete(DAY)
    assert files.read(DAY) is None


def test_a_file_stays_where_it_is_to_be_replaced_no_more(files: TenantFiles) -> None:
    assert not files.write(DAY, b"new", lambda: files.read(DAY) is not None)
    assert files.read(DAY) is None
    files.write(DAY, b"one")
    assert not files.write(DAY, b"two", lambda: files.read(DAY) != b"one")
    assert files.write(DAY, b"three", lambda: files.read(DAY) == b"one")
    assert files.read(DAY) == b"three"


def test_a_file_stays_where_asking_fails(files: TenantFiles) -> None:
    files.write(DAY, b"one")

    def fail() -> bool:
        raise UnusableFileError("unreadable")

    with pytest.raises(UnusableFileError, match="unreadable"):
        files.write(DAY, b"two", fail)
    assert files.read(DAY) == b"one"


def test_files_are_listed_by_folder_and_go_with_their_folder(files: TenantFiles) -> None:
    places = ["MEMORY.md", DAY, f"night/a/{DAY}", "night/b/USER.md", "nights/c/x_%.md"]
    for place in reversed(places):
        files.write(place, b"")
    assert [one for one in files.list_places("") if one.endswith(".md")] == places
    assert files.list_places("night") == places[2:4]
    assert files.list_places("nowhere") == files.list_folders("nowhere") == []
    assert files.list_folders("night") == ["a", "b"]
    assert files.list_folders("daily_summaries") == files.list_drafts("") == []
    files.delete_folder("night/a")
    files.delete_folder("night/a")
    assert files.list_folders("night") == ["b"]
    files.delete_folder("night")
    files.delete_empty_folders("nights")
    assert files.list_places("nights") == [places[4]]
    files.delete(places[4])
    files.delete_empty_folders("nights/c")
    files.delete_empty_folders("nights")
    assert files.list_folders("nights") == []
    assert files.list_set_aside() == {}


def test_core_files_are_those_of_the_tenant_and_of_each_project(files: TenantFiles) -> None:
    files.write("projects/api-1/MEMORY.md", b"# The API\n")
    assert list_core_places(files) == [
        "MEMORY.md", "USER.md", "PERSONA.md", "projects/api-1/MEMORY.md",
    ]  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_no_place_leads_out_of_the_tenants_files(
    files: TenantFiles, all_files: HomeFiles, name: str
) -> None:
    for tenant in ("default", "bob"):
        all_files.of(tenant).write("MEMORY.md", b"theirs")
    files.write(DAY, b"ours")
    place = BAD[name]
    obstacle = files.find_obstacle(place)
    assert obstacle is not None
    calls: list[Callable[[], object]] = [
        lambda: files.read(place),
        lambda: files.write(place, b"ours"),
        lambda: files.delete(place),
        lambda: files.find_state(place),
    ]
    for call in calls:
        with pytest.raises(UnusableFileError):
            call()
    assert not files.exists(place)
    files.delete_folder(place)
    files.delete_folder("..")
    assert [one for one in files.list_places("") if one.endswith(".md")] == [DAY]
    for tenant in ("default", "bob"):
        assert all_files.of(tenant).read("MEMORY.md") == b"theirs"


def test_no_file_is_written_that_could_not_be_read_again(files: TenantFiles) -> None:
    with pytest.raises(UnusableFileError, match="at most 262,144"):
        files.write("MEMORY.md", b"x" * (MOST_CORE_BYTES + 1))
    files.write("MEMORY.md", b"x" * MOST_CORE_BYTES)
    assert len(files.read("MEMORY.md") or b"") == MOST_CORE_BYTES
    with pytest.raises(UnusableFileError, match="reads at most 1,000"):
        files.read("MEMORY.md", 1_000)
    files.write(DAY, b"x" * (MOST_CORE_BYTES + 1))
    assert len(files.read(DAY) or b"") == MOST_CORE_BYTES + 1


def test_tenants_have_files_of_their_own(all_files: HomeFiles) -> None:
    for tenant in ("ann", "Ann", "陈伟"):
        all_files.of(tenant).write("USER.md", tenant.encode())
    for tenant in ("ann", "Ann", "陈伟"):
        assert all_files.of(tenant).read("USER.md") == tenant.encode()
    all_files.of("ann").delete("USER.md")
    assert all_files.of("Ann").exists("USER.md")
    assert all_files.of("bob").read("USER.md") is None


def test_a_row_larger_than_any_that_is_written_is_an_obstacle(
    database: Database, store: PostgresStore
) -> None:
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
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'own%'"
            )
        return True

    with pytest.raises(StoreUnavailableError):
        files.write(DAY, b"two", cut)
    assert files.read(DAY) == b"one"
    assert files.write(DAY, b"two")


def test_the_server_itself_keeps_tenants_files_apart(
    database: Database, store: PostgresStore
) -> None:
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
