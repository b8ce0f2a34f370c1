"""What happens to a file while it is open: nothing is written where nobody will read it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from textwrap import dedent

import pytest
from bench.faults.homes import copy_home, settings, unsound
from tests.store.insides import connection_of

import memoria
from memoria import Memoria
from memoria.app.upkeep import back_up, restore
from memoria.errors import StoreDamagedError, StoreUnavailableError
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import SqliteConnection, sqlite3

pytestmark = pytest.mark.sqlite("mistreats the file")

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps an open file")


async def turns(m: Memoria) -> object:
    return await m.get_session("s0")


async def memories(m: Memoria) -> object:
    return await m.list_unverified(100)


@contextmanager
def behind_its_back(home: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(home / "memoria.db")) as connection:
        yield connection
        connection.commit()


TURN = {"role": "user", "session_id": "s0", "content": "one more"}


def test_the_connection_that_writes_commits_to_the_disk_and_erases_what_it_deletes(
    home: Path,
) -> None:
    store = SqliteStore(home / "memoria.db", busy_timeout_ms=5000, readers=1)
    with store.write("ann") as tx:
        writer: SqliteConnection = connection_of(tx)
        names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "mmap_size")
        pragmas = [writer.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    store.close()
    assert pragmas == ["wal", 2, 1, 1, 0]


@posix_only
@pytest.mark.parametrize("put", [None, "a copy"])
async def test_a_file_that_was_removed_or_replaced_is_not_written_to(
    pattern: Path, home: Path, put: str | None
) -> None:
    copy_home(pattern, home)
    async with memoria.open(settings=settings(home)) as m:
        await m.record_conversation([TURN])
        (home / "memoria.db").unlink()
        if put:
            shutil.copy(pattern / "memoria.db", home / "memoria.db")
        with pytest.raises(StoreUnavailableError, match="replaced or removed"):
            await m.record_conversation([TURN | {"content": "into nowhere"}])
        with pytest.raises(StoreUnavailableError, match="replaced or removed"):
            await m.get_session("s0")
        assert (home / "memoria.db").exists() is bool(put)


CUT_SHORT = """
    import os, sys
    from pathlib import Path
    import anyio, memoria
    from bench.faults.homes import settings
    from memoria.errors import StoreError

    async def main(home):
        async with memoria.open(settings=settings(home)) as m:
            await m.search_conversation_traces("word3", limit=50)
            os.truncate(home / "memoria.db", int(sys.argv[2]))
            for call in (m.statistics, lambda: m.get_session("s1"), m.health):
                try:
                    await call()
                except StoreError:
                    print("refused")
        print("alive")

    anyio.run(main, Path(sys.argv[1]))
"""


@posix_only
@pytest.mark.parametrize("size", [0, 4096, 100_000])
def test_a_file_cut_short_under_a_process_does_not_kill_it(
    pattern: Path, home: Path, size: int
) -> None:
    copy_home(pattern, home)
    done = subprocess.run(  # noqa: S603  (ours)
        [sys.executable, "-c", dedent(CUT_SHORT), str(home), str(size)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("alive\n")


@posix_only
async def test_a_process_that_waited_through_a_restore_finds_the_restored_home(
    pattern: Path, home: Path, tmp_path: Path
) -> None:
    copy_home(pattern, home)
    made = back_up(settings(home), tmp_path / "b.zip", lambda _done, _total: None)
    async with memoria.open(settings=settings(home)) as m:
        await m.record_conversation([TURN])
    restore(settings(home), made.path, lambda _done, _total: None)
    async with memoria.open(settings=settings(home)) as m:
        assert "one more" not in [t.content for t in (await m.get_session("s0", limit=200)).turns]


async def test_an_empty_file_beside_its_log_is_no_new_home(unclosed: Path, home: Path) -> None:
    copy_home(unclosed, home)
    os.truncate(home / "memoria.db", 0)
    with pytest.raises(StoreDamagedError, match="the file is empty, though its log is not"):
        async with memoria.open(settings=settings(home)):
            pass
    assert (home / "memoria.db-wal").stat().st_size > 0


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("UPDATE raw_chunks SET data = CAST('other words' AS BLOB), codec = 'plain'", turns),
        ("UPDATE raw_chunks SET codec = 'zstd', data = x'00112233'", turns),
        ("DELETE FROM raw_chunks", turns),
        ("UPDATE memories SET type = 'fbct'", memories),
    ],
)
async def test_what_was_never_written_is_never_told(
    pattern: Path, home: Path, statement: str, read: Callable[[Memoria], Awaitable[object]]
) -> None:
    copy_home(pattern, home)
    async with memoria.open(settings=settings(home)) as m:
        with behind_its_back(home) as connection:
            connection.execute(statement)
        with pytest.raises(StoreDamagedError, match="memoria doctor"):
            await read(m)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE raw_chunks SET data = CAST('other words' AS BLOB), codec = 'plain'",
        "DELETE FROM raw_chunks WHERE rowid = 3",
        "DELETE FROM turns WHERE n = 3",
        "DELETE FROM memory_versions WHERE version = 1",
        "UPDATE memory_versions SET content = 'the code of door 1 is 4711'",
    ],
)
def test_doctor_names_a_record_that_is_not_what_was_kept(
    pattern: Path, home: Path, statement: str
) -> None:
    copy_home(pattern, home)
    with behind_its_back(home) as connection:
        connection.execute(statement)
    assert unsound(home)
