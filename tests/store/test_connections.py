"""Connections are set up so that what is acknowledged lasts and nobody reads what they may not."""

import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.processes import PROCESSES
from tests.store.new_homes import make_homes

import memoria
from memoria.errors import StoreUnavailableError
from memoria.inference.embedder import BundledEmbedder
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import SqliteConnection, sqlite3

pytestmark = pytest.mark.sqlite("how connections to the file are set up")

OpenStore = Callable[[Path], SqliteStore]
TIMEOUT_S = 60


def focus(store: SqliteStore, tenant: str = "ann", session_id: str = "s") -> str | None:
    with store.read(tenant) as tx:
        found = tx.scratchpads.get(session_id)
    return None if found is None else found.current_focus


def put(store: SqliteStore, text: str, tenant: str = "ann", session_id: str = "s") -> None:
    with store.write(tenant) as tx:
        tx.scratchpads.put(session_id, text, [], now=1, keep=5)


def until_tickets(home: Path, tickets: int) -> None:
    """Until so many turns to write were asked for."""
    pause = threading.Event()
    for _ in range(TIMEOUT_S * 100):
        if int.from_bytes((home / "memoria.db-queue").read_bytes()[:8], "little") >= tickets:
            return
        pause.wait(0.01)
    raise AssertionError("nobody writes")


@contextmanager
def connections(store: SqliteStore) -> Iterator[dict[str, SqliteConnection]]:
    """The connections of an opened store, by what they are for."""
    with store._connections.read() as (reader, _):  # noqa: SLF001
        yield {"writer": store._connections.writer.connection, "reader": reader}  # noqa: SLF001


@pytest.mark.parametrize("role", ["writer", "reader"])
@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),
        ("foreign_keys", 1),
        ("secure_delete", 1),
        ("busy_timeout", 10_000),
        ("journal_size_limit", 64 << 20),
    ],
)
def test_every_connection_is_set_up_for_many_processes_and_power_cuts(
    store: SqliteStore, role: str, pragma: str, value: str | int
) -> None:
    with connections(store) as by_role:
        assert by_role[role].execute(f"PRAGMA {pragma}").fetchone()[0] == value


def test_only_the_writer_can_write(store: SqliteStore) -> None:
    put(store, "focus")
    with connections(store) as by_role:
        modes = {role: by_role[role].execute("PRAGMA query_only").fetchone()[0] for role in by_role}
    assert modes == {"writer": 0, "reader": 1}
    with pytest.raises(StoreUnavailableError, match="readonly"), store.read("ann") as tx:
        tx.scratchpads.put("s", "changed", [], now=2, keep=5)
    assert focus(store) == "focus"


def test_while_a_wipe_waits_for_a_reader_others_write(home: Path, open_store: OpenStore) -> None:
    eraser, reader, writer = (open_store(home) for _ in range(3))
    put(writer, "before")
    with eraser._connections.write() as connection:  # noqa: SLF001
        connection.execute("INSERT INTO settings (key, value) VALUES ('scrub', 'wanted')")
    results: list[bool] = []
    wiping = threading.Thread(target=lambda: results.append(eraser.scrub()))
    with reader.read("ann") as tx:
        assert tx.scratchpads.get("s") is not None
        wiping.start()
        until_tickets(home, 10)  # it has merged, written the file anew, and tried to empty the log
        put(writer, "meanwhile")
        assert wiping.is_alive()
    wiping.join(TIMEOUT_S)
    assert results == [True]
    assert focus(writer) == "meanwhile"


def test_many_readers_share_few_connections(store: SqliteStore) -> None:
    put(store, "focus")
    seen: list[str | None] = []
    threads = [threading.Thread(target=lambda: seen.append(focus(store))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert seen == ["focus"] * 20
    assert store._connections._idle.qsize() <= 3  # noqa: SLF001


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_can_read_the_home(home: Path, open_store: OpenStore) -> None:
    before = os.umask(0)
    try:
        put(open_store(home), "focus")
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()}
        names = ("memoria.db", "memoria.db-wal", "memoria.db-shm", "memoria.db-queue")
        assert modes == dict.fromkeys(names, 0o600)
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
    finally:
        os.umask(before)


def test_a_closed_home_is_one_file(home: Path, open_store: OpenStore) -> None:
    store = open_store(home)
    put(store, "focus")
    focus(store)
    store.close()
    assert [path.name for path in home.iterdir()] == ["memoria.db"]


def test_a_home_that_can_not_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreUnavailableError, match="Set MEMORIA_HOME"):
        SqliteStore(tmp_path / "file" / "memoria.db", busy_timeout_ms=5000, readers=1)


def test_a_file_that_is_no_database_is_not_overwritten(home: Path) -> None:
    home.mkdir()
    file = home / "memoria.db"
    file.write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(StoreUnavailableError, match="not a database"):
        SqliteStore(file, busy_timeout_ms=5000, readers=1)
    assert file.read_bytes() == b"Dear diary, " * 1000


async def test_opening_and_reading_an_up_to_date_home_writes_nothing(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with memoria.open(home=home, tenant="ann", embedder=embedder) as memory:
        await memory.record_conversation([{"session_id": "s", "role": "user", "content": "tea"}])
        await memory.remember("Ann drinks tea")
        await memory.wait_until_idle(TIMEOUT_S)

    def state() -> dict[str, tuple[bytes, int]]:
        return {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in home.iterdir()}

    before = state()
    async with memoria.open(home=home, tenant="ann", embedder=embedder) as memory:
        watch = sqlite3.connect(home / "memoria.db")
        version = watch.execute("PRAGMA data_version").fetchone()
        assert (await memory.search_memory("tea")).hits
        assert (await memory.search_conversation_traces("tea")).hits
        await memory.get_session("s")
        await memory.statistics()
        await memory.health()
        await memory.list_unverified()
        await memory.scratchpads()
        await memory.wait_until_idle(TIMEOUT_S)
        assert watch.execute("PRAGMA data_version").fetchone() == version
        watch.close()
    async with memoria.open(home=home, tenant="a stranger", embedder=embedder) as memory:
        await memory.search_memory("tea")
    assert state() == before


def test_processes_that_make_the_same_new_homes_at_the_same_moment_all_succeed(
    tmp_path: Path,
) -> None:
    homes = [tmp_path / f"home{i}" for i in range(10)]
    names = [f"process {i}" for i in range(5)]
    together = PROCESSES.Barrier(len(names))
    processes = [
        PROCESSES.Process(target=make_homes, args=(name, homes, together, TIMEOUT_S), daemon=True)
        for name in names
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(TIMEOUT_S)
    assert [process.exitcode for process in processes] == [0] * len(names)
    for home in homes:
        store = SqliteStore(home / "memoria.db", busy_timeout_ms=5000, readers=1)
        assert [focus(store, name) for name in names] == names
        store.close()
