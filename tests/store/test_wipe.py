"""What was forgotten leaves the files of PostgreSQL's tables, when nobody can see it any more."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.databases import Databases
from tests.store.own_database import connected
from tests.store.postgres import PostgresServer

import memoria
from memoria.app.engine import choose_engine, open_store
from memoria.config import Settings
from memoria.model import DAY_MS
from memoria.store.postgres.driver import PostgresConnection
from memoria.store.postgres.scrub import OwedWipe, read_owed_wipe, wipe_tables

WORD = "quokka4711"
HOUR_MS = DAY_MS // 24
SECONDS = 10.0


@pytest.fixture
def own(databases: Databases, home: Path) -> Iterator[Settings]:
    """Settings of a home in a database of its own."""
    with databases.dropping():
        named = databases.settings_of(home)
        yield Settings.from_values(home=home, embedder="off", **named)


def wipe(settings: Settings, patience_s: float = SECONDS) -> bool:
    with connected(settings) as raw:
        return wipe_tables(PostgresConnection(raw, only_reads=False), patience_s)


async def say_and_forget(settings: Settings) -> None:
    """Say a word, have the planner look at it, and forget it with its source."""
    async with memoria.open(settings=settings) as m:
        await m.remember("Tea is kept in the shed")
        kept = await m.remember(f"The {WORD} is kept in the shed", again=True)
        with connected(settings) as raw:
            raw.execute("ANALYZE")
        await m.forget_memory([kept.id], include_source=True)


def files_with_the_word(settings: Settings, postgres: PostgresServer) -> list[str]:
    """Names of the database's files that have the word."""
    with psycopg.connect(postgres.address, autocommit=True) as admin:
        admin.execute("CHECKPOINT")
    with connected(settings) as raw:
        (oid,) = raw.execute(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).fetchone() or (0,)
    files = (postgres.folder / "data" / "base" / str(oid)).iterdir()
    return [file.name for file in files if WORD.encode() in file.read_bytes()]


async def test_what_was_forgotten_leaves_every_table_index_and_statistic(
    own: Settings, postgres: PostgresServer
) -> None:
    await say_and_forget(own)
    assert files_with_the_word(own, postgres)
    assert wipe(own)
    assert not files_with_the_word(own, postgres)
    with closing(open_store(own)) as store:
        assert not store.needs_scrub()
        with store.read("default") as tx:
            assert tx.statistics().memories == {"active": 1}


def test_no_table_is_left_out(own: Settings) -> None:
    open_store(own).close()
    with connected(own) as raw:
        connection = PostgresConnection(raw, only_reads=False)
        done = {row["name"] for row in connection.execute(connection.statements("scrub")["tables"])}
        tables = raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        partitioned = raw.execute("SELECT relname FROM pg_class WHERE relkind = 'p'").fetchall()
        assert done == {name for (name,) in tables.fetchall()} - {name for (name,) in partitioned}


async def test_it_is_owed_while_an_older_snapshot_may_see_it(
    own: Settings, postgres: PostgresServer
) -> None:
    with connected(own) as reader:
        open_store(own).close()
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM turns")
        await say_and_forget(own)
        assert not wipe(own, patience_s=0)
        reader.execute("ROLLBACK")
    assert files_with_the_word(own, postgres)
    assert wipe(own)
    assert not files_with_the_word(own, postgres)


async def test_a_table_in_use_is_left_to_the_next_time_and_the_others_are_done(
    own: Settings,
) -> None:
    await say_and_forget(own)
    with connected(own) as user:
        user.execute("BEGIN")
        user.execute("LOCK TABLE sessions IN ACCESS SHARE MODE")
        assert not wipe(own)
    assert wipe(own)


async def test_in_somebody_elses_database_it_is_owed_and_doctor_says_why(own: Settings) -> None:
    await say_and_forget(own)
    with connected(own, "postgres") as admin:
        (name,) = admin.execute("SELECT current_database()").fetchone() or ("",)
        admin.execute(f"ALTER DATABASE {name} OWNER TO postgres".encode())
        assert not wipe(own)
        with closing(open_store(own)) as store:
            (found,) = (one for one in store.examine(deep=False) if one.check == "erasure")
        assert (found.state, "statistics belong to its owner" in found.detail) == ("warning", True)
        admin.execute(f"ALTER DATABASE {name} OWNER TO memoria".encode())
    assert wipe(own)


async def test_a_forget_tells_that_a_wipe_is_owed_and_doctor_does_it(own: Settings) -> None:
    await say_and_forget(own)
    with closing(open_store(own)) as store:
        assert (store.needs_scrub(), store.scrub(), store.needs_scrub()) == (True, False, True)
        assert store.figures().is_scrub_pending
        store.mend("erasure", lambda _done, _of: None)
        assert not store.needs_scrub()
        assert not store.figures().is_scrub_pending


async def test_what_was_erased_while_tables_are_written_is_owed_again(own: Settings) -> None:
    await say_and_forget(own)
    with connected(own) as raw:
        connection = PostgresConnection(raw, only_reads=False)
        before = read_owed_wipe(connection)
        sql = connection.statements("scrub")
        (request,) = connection.execute(sql["requests"]).fetchall()
        again = connection.statements("documents")["want_scrub"]
        connection.execute(again, {"tenant": int(request["key"].split()[1])})
        connection.execute(sql["done"], {"key": request["key"], "value": request["value"]})
        assert read_owed_wipe(connection) == before


async def test_a_nightly_run_wipes_and_the_next_one_of_the_same_night_does_not(
    own: Settings,
) -> None:
    engine = choose_engine(own)
    for is_wiped in (True, False):
        await say_and_forget(own)
        with closing(engine.open_journaling(own, "nightly", "test")) as store:
            assert store.scrub() is is_wiped
            assert store.needs_scrub() is not is_wiped


@pytest.mark.parametrize(
    ("since_h", "last_h", "within_h", "is_due"),
    [
        (None, None, 24, False),
        (1, None, 24, True),
        (1, 1, 24, False),  # another tenant's run has just done it
        (23, 24, 24, True),
        (100, 200, 240, False),  # the next run is soon enough
        (220, 230, 240, True),
    ],
)
def test_a_wipe_is_due_when_the_next_run_might_be_too_late(
    since_h: int | None, last_h: int | None, within_h: int, is_due: bool
) -> None:
    now = 1_000 * DAY_MS
    since, last = (None if h is None else now - h * HOUR_MS for h in (since_h, last_h))
    assert OwedWipe(since, last).is_due(now, within_h * HOUR_MS) is is_due
