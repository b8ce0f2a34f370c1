"""Doctor on PostgreSQL: what holds on a server and in a database is said, and what does not."""

from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr
from tests.databases import Databases
from tests.store.own_database import connected, url_of
from tests.store.postgres import PostgresServer

import memoria
from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.model import Finding
from memoria.store.postgres.examination import check_durability, check_server, check_transport

SOUND = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "synchronous_standby_names": "",
}


@pytest.fixture
async def own(databases: Databases, home: Path) -> AsyncIterator[Settings]:
    """Settings of a home in a database of its own, with a memory and a turn."""
    with databases.dropping():
        named = databases.settings_of(home)
        settings = Settings.from_values(home=home, embedder="off", **named)
        async with memoria.open(settings=settings) as m:
            await m.remember("Tea is kept in the shed")
        yield settings


def change(settings: Settings, *statements: str, user: str = "memoria") -> None:
    with connected(settings, user) as raw:
        for statement in statements:
            raw.execute(statement.encode())


def look(settings: Settings, check: str) -> Finding:
    """What doctor says of one thing."""
    with closing(open_store(settings)) as store:
        found = {finding.check: finding for finding in store.examine(deep=True)}
    return found[check]


def mend(settings: Settings, check: str) -> None:
    with closing(open_store(settings)) as store:
        store.mend(check, lambda _done, _of: None)


async def test_a_database_in_use_is_sound(own: Settings) -> None:
    with closing(open_store(own)) as store:
        found = store.examine(deep=True)
    assert [one for one in found if one.state == "error"] == []
    assert {one.check for one in found if one.state == "warning"} <= {"vector extension"}
    assert all(one.cure for one in found if one.state != "ok")


@pytest.mark.parametrize(
    ("number", "encoding", "state"),
    [(160000, "UTF8", "ok"), (150012, "UTF8", "error"), (180006, "SQL_ASCII", "error")],
)
def test_a_server_that_is_too_old_or_can_not_hold_every_text_is_named(
    number: int, encoding: str, state: str
) -> None:
    assert check_server("as said", number, encoding).state == state


@pytest.mark.parametrize(
    ("parameters", "state"),
    [
        ({}, "ok"),
        ({"host": "/run/postgresql"}, "ok"),
        ({"host": "127.0.0.1"}, "ok"),
        ({"host": "db", "hostaddr": "127.0.0.1"}, "ok"),
        ({"host": "db.example.com", "sslmode": "verify-full"}, "ok"),
        ({"host": "db.example.com"}, "warning"),
        ({"host": "localhost,db.example.com", "sslmode": "require"}, "warning"),
    ],
)
def test_a_server_elsewhere_has_to_prove_its_name(parameters: dict[str, str], state: str) -> None:
    assert check_transport(parameters).state == state


async def test_a_user_whom_row_level_security_does_not_hold_is_named(own: Settings) -> None:
    assert look(own, "tenants apart").state == "ok"
    above = own.model_copy(update={"database_url": SecretStr(url_of(own, "postgres"))})
    found = look(above, "tenants apart")
    assert (found.state, "postgres is a superuser" in found.detail) == ("warning", True)


async def test_a_table_without_forced_row_level_security_is_named(own: Settings) -> None:
    change(own, "ALTER TABLE turns NO FORCE ROW LEVEL SECURITY")
    found = look(own, "tenants apart")
    assert (found.state, "turns" in found.detail) == ("error", True)


@pytest.mark.parametrize(
    ("statement", "lost"),
    [
        ("DROP INDEX turns_by_message", "turns_by_message"),
        ("ALTER TABLE search_index DISABLE TRIGGER USER", "documents_add_their_postings"),
    ],
)
async def test_an_index_or_trigger_that_does_not_work_is_named(
    own: Settings, statement: str, lost: str
) -> None:
    assert look(own, "schema").state == "ok"
    change(own, statement)
    found = look(own, "schema")
    assert (found.state, lost in found.detail) == ("error", True)


@pytest.mark.parametrize(
    ("said", "state", "promise"),
    [
        ({}, "ok", "a failover only as far as the standby has got"),
        ({"synchronous_standby_names": "two"}, "ok", "a failover to a synchronous standby: two"),
        (
            {"synchronous_standby_names": "two", "synchronous_commit": "local"},
            "ok",
            "a failover only as far",
        ),
        ({"synchronous_commit": "off"}, "warning", "what was acknowledged last is lost in a crash"),
        ({"fsync": "off"}, "warning", "the whole database may be lost"),
        ({"full_page_writes": "off"}, "warning", "the whole database may be lost"),
    ],
)
def test_doctor_tells_which_failures_what_was_acknowledged_survives(
    said: dict[str, str], state: str, promise: str
) -> None:
    found = check_durability({**SOUND, **said})
    assert (found.state, promise in found.detail) == (state, True)


async def test_the_settings_of_the_server_are_what_the_promise_is_read_from(own: Settings) -> None:
    assert "none is synchronous" in look(own, "durability").detail


async def test_a_text_that_changed_behind_memorias_back_is_found(own: Settings) -> None:
    async with memoria.open(settings=own) as m:
        turn = {"role": "user", "content": "Tea again, this time from the cellar"}
        await m.record_conversation([turn], session_id="s")
    assert look(own, "raw text").state == "ok"
    change(own, "UPDATE raw_chunks SET data = 'other'")
    assert "of 2 stored texts are damaged" in look(own, "raw text").detail


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM postings", "1 of 1 are not indexed"),
        (
            "INSERT INTO postings (tenant_id, term, n, words, context, length) "
            "VALUES (1, 'gone', 99, 1, 0, 2)",
            "1 are indexed but gone",
        ),
        ("UPDATE index_sizes SET words = words + 1", "words of 1 tenants are miscounted"),
    ],
)
async def test_words_that_do_not_agree_with_the_documents_are_found_and_mended(
    own: Settings, statement: str, said: str
) -> None:
    assert look(own, "full text").state == "ok"
    change(own, statement)
    assert said in look(own, "full text").detail
    mend(own, "full text")
    assert look(own, "full text").state == "ok"


async def test_a_document_without_a_vector_is_found_and_queued(own: Settings) -> None:
    assert look(own, "vectors").state == "ok"
    change(
        own,
        "INSERT INTO settings (key, value) VALUES ('embedding_model', 'toy')",
        "INSERT INTO embedding_models (name, dims) VALUES ('toy', 4)",
        "DELETE FROM embedding_backlog",
    )
    assert "1 documents have no vector" in look(own, "vectors").detail
    mend(own, "vectors")
    assert look(own, "vectors").state == "ok"


async def test_doctor_tells_who_compares_vectors(own: Settings) -> None:
    change(own, "CREATE EXTENSION IF NOT EXISTS vector", user="postgres")
    assert look(own, "vector extension").detail.startswith("pgvector 0.")
    change(own, "DROP TABLE IF EXISTS vectors", "DROP EXTENSION vector", user="postgres")
    found = look(own, "vector extension")
    assert (found.state, found.cure) == (
        "warning",
        "As an administrator: CREATE EXTENSION vector; then start Memoria anew.",
    )


async def test_what_is_not_wiped_yet_is_told_with_what_holds_it_up(
    own: Settings, postgres: PostgresServer
) -> None:
    assert "no table has anything left" in look(own, "erasure").detail
    with connected(own) as reader:
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM turns")
        async with memoria.open(settings=own) as m:
            kept = await m.remember("Coffee is kept in the cellar")
            await m.forget_memory([kept.id])
        held = look(own, "erasure")
        assert (held.state, "the transaction of process" in held.detail) == ("warning", True)
    assert "a nightly run does it" in look(own, "erasure").detail
    with psycopg.connect(postgres.address, autocommit=True) as admin:
        admin.execute("SELECT pg_create_physical_replication_slot('standby')")
        held = look(own, "erasure")
        admin.execute("SELECT pg_drop_replication_slot('standby')")
    assert (held.state, "the replication slot standby" in held.detail) == ("warning", True)
    change(own, "UPDATE settings SET value = '1 x' WHERE key LIKE 'scrub %'")
    late = look(own, "erasure")
    assert (late.state, late.cure) == ("warning", "memoria doctor --fix")
    assert "no nightly run has done it" in late.detail
    mend(own, "erasure")
    assert look(own, "erasure").state == "ok"


async def test_a_server_that_logs_what_is_said_is_named(own: Settings) -> None:
    assert look(own, "server log").state == "ok"
    change(own, "ALTER ROLE memoria SET log_statement = 'all'", user="postgres")
    found = look(own, "server log")
    change(own, "ALTER ROLE memoria SET log_parameter_max_length = 0", user="postgres")
    assert look(own, "server log").state == "ok"
    change(own, "ALTER ROLE memoria RESET ALL", user="postgres")
    assert (found.state, "log_statement = all" in found.detail) == ("warning", True)
