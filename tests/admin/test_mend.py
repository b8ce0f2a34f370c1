"""`doctor --fix` mends what can be made anew, says what it did, and never touches the record."""

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.surface.shell import Shell

import memoria
from memoria import Memoria
from memoria.inference.bundled import BundledEmbedder
from memoria.model import now_millis
from memoria.store.sqlite.driver import sqlite3

UNSOUND = 4
PAGE = 4096
QUERY = ("traces", "word7", "--limit", "5")
TRUTH = (
    "SELECT * FROM sessions",
    "SELECT * FROM segments",
    "SELECT * FROM raw_chunks",
    "SELECT * FROM turns",
    "SELECT * FROM memories",
    "SELECT * FROM memory_versions",
    "SELECT * FROM audit_log",
)


def database(home: Path) -> Path:
    return home / "memoria.db"


@contextmanager
def opened(home: Path) -> Iterator[sqlite3.Connection]:
    """The file behind Memoria's back."""
    with closing(sqlite3.connect(database(home))) as connection:
        yield connection
        connection.commit()


def truth(home: Path) -> list[Any]:
    with opened(home) as connection:
        rows = [connection.execute(sql).fetchall() for sql in TRUTH]
    return [sorted(some, key=repr) for some in rows]


def scramble(home: Path, name: str) -> None:
    """Random bytes at the head of the page a table or index begins with."""
    with opened(home) as connection:
        found = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,))
        page = found.fetchone()[0]
        connection.execute("PRAGMA journal_mode = DELETE")
    content = bytearray(database(home).read_bytes())
    begin = (page - 1) * PAGE
    content[begin : begin + 200] = random.Random(name).randbytes(200)  # noqa: S311  (no secret)
    database(home).write_bytes(content)


def findings(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["check"]: finding for finding in document["findings"]}


def mended(document: dict[str, Any]) -> dict[str, str]:
    assert document["sound"] is True
    return {one["check"]: one["after"] for one in document["repairs"]}


@pytest.mark.parametrize("cure", ["--fix", "--rebuild"])
@pytest.mark.parametrize("part", ["data", "content", "docsize", "idx", "config"])
def test_a_damaged_full_text_index_is_made_anew(filled: Shell, part: str, cure: str) -> None:
    answer, record = filled.json(*QUERY), truth(filled.home)
    scramble(filled.home, f"search_index_{part}")
    broken = findings(filled.json("doctor", code=UNSOUND))
    assert broken["full text"]["state"] == "error"
    assert broken["integrity"]["state"] == "ok"  # nothing is lost
    assert "full text" in mended(filled.json("doctor", cure))
    assert filled.json(*QUERY) == answer
    assert truth(filled.home) == record


def test_a_full_text_index_whose_inside_is_nonsense_is_made_anew(filled: Shell) -> None:
    answer = filled.json(*QUERY)
    with opened(filled.home) as connection:
        connection.execute("UPDATE search_index_data SET block = zeroblob(9) WHERE id > 10")
    assert findings(filled.json("doctor", code=UNSOUND))["full text"]["state"] == "error"
    assert "full text" in mended(filled.json("doctor", "--fix"))
    assert filled.json(*QUERY) == answer


def test_the_pages_of_a_damaged_index_are_given_back(filled: Shell) -> None:
    scramble(filled.home, "search_index_data")
    before = database(filled.home).stat().st_size
    mended(filled.json("doctor", "--fix"))
    assert database(filled.home).stat().st_size <= before
    with opened(filled.home) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("name", ["turns_by_fingerprint", "turns_by_time"])
def test_a_damaged_index_of_a_table_is_made_anew(filled: Shell, name: str) -> None:
    record = truth(filled.home)
    scramble(filled.home, name)
    broken = findings(filled.json("doctor", code=UNSOUND))["integrity"]
    assert broken["cure"] == f"memoria --home {filled.home} doctor --fix"
    assert "integrity" in mended(filled.json("doctor", "--fix"))
    assert truth(filled.home) == record


def test_what_only_a_backup_brings_back_is_not_touched(filled: Shell) -> None:
    backup = filled.json("backup")["path"]
    scramble(filled.home, "turns")
    damaged = database(filled.home).read_bytes()
    after = filled.json("doctor", "--fix", code=UNSOUND)
    assert findings(after)["integrity"]["cure"].endswith(f"restore {backup}")
    assert database(filled.home).read_bytes()[PAGE:] == damaged[PAGE:]


def test_what_was_tried_in_vain_is_said_with_what_helps(filled: Shell) -> None:
    backup = filled.json("backup")["path"]
    scramble(filled.home, "sqlite_autoindex_turns_1")
    after = filled.json("doctor", "--fix", code=UNSOUND)
    (tried,) = after["repairs"]
    assert tried["check"] == "integrity"
    assert "damaged" in tried["after"]
    assert findings(after)["integrity"]["cure"].endswith(f"restore {backup}")


def test_an_index_and_a_trigger_that_are_gone_are_made_again(filled: Shell) -> None:
    with opened(filled.home) as connection:
        connection.execute("DROP INDEX turns_by_time")
        connection.execute("DROP TRIGGER audit_log_keeps_words")
    assert findings(filled.json("doctor", code=UNSOUND))["schema"]["detail"] == (
        "gone: turns_by_time, audit_log_keeps_words"
    )
    assert "schema" in mended(filled.json("doctor", "--fix"))


@pytest.mark.parametrize("ahead_ms", [-60_000, 10**10], ids=["run out", "from a wrong clock"])
def test_a_stale_lease_is_dropped(filled: Shell, ahead_ms: int) -> None:
    with opened(filled.home) as connection:
        connection.execute(
            "INSERT INTO leases VALUES (1, 'embedding', 'nobody', ?)", (now_millis() + ahead_ms,)
        )
    assert findings(filled.json("doctor"))["leases"]["state"] == "warning"
    assert mended(filled.json("doctor", "--fix")) == {"leases": "0 held"}


def test_a_lease_that_is_held_is_left_alone(filled: Shell) -> None:
    with opened(filled.home) as connection:
        connection.execute(
            "INSERT INTO leases VALUES (1, 'embedding', 'somebody', ?)", (now_millis() + 30_000,)
        )
    assert mended(filled.json("doctor", "--fix")) == {}
    with opened(filled.home) as connection:
        assert connection.execute("SELECT owner FROM leases").fetchall() == [("somebody",)]


def test_a_sound_home_is_not_changed_by_fixing_it(filled: Shell) -> None:
    before = database(filled.home).read_bytes()
    assert mended(filled.json("doctor", "--fix")) == {}
    assert database(filled.home).read_bytes() == before


def test_fix_and_rebuild_are_not_given_together(filled: Shell) -> None:
    output = filled("doctor", "--fix", "--rebuild")
    assert (output.code, output.out) == (1, "")
    assert "--fix builds anew what needs it" in output.err


async def test_damaged_vectors_are_made_anew(home: Path, embedder: BundledEmbedder) -> None:
    async with memoria.open(home=home, tenant="t", embedder=embedder) as memory:
        for i in range(5):
            await memory.remember(f"The cat of neighbour {i} is called Momo {i}")
        await memory.wait_until_idle(60)
        before = await memory.search_memory("Momo")
    scramble(home, "vectors_1_chunks")
    async with memoria.open(home=home, tenant="t", embedder=embedder) as memory:
        assert await state(memory) == "error"
        await memory.rebuild_indexes()
        assert await state(memory) == "ok"
        assert await memory.search_memory("Momo") == before


async def test_damaged_passages_are_named_and_made_anew_while_the_search_goes_on(
    home: Path, embedder: BundledEmbedder
) -> None:
    long = "Momo the cat sleeps on the warm printer all day. " * 20
    async with memoria.open(home=home, tenant="t", embedder=embedder) as memory:
        await memory.record_conversation([{"role": "user", "content": long}])
        await memory.wait_until_idle(60)
    with opened(home) as connection:
        connection.execute("UPDATE passages SET records = substr(records, 1, 100)")
    async with memoria.open(home=home, tenant="t", embedder=embedder) as memory:
        found = await memory.search_conversation_traces("Where does Momo sleep?")
        assert len(found.hits) == 1
        assert any("passages of document" in note for note in found.notes)
        assert await state(memory) == "error"
        await memory.rebuild_indexes()
        await memory.wait_until_idle(60)
        assert await state(memory) == "ok"
        assert (await memory.search_conversation_traces("Where does Momo sleep?")).notes == ()
    with opened(home) as connection:
        assert connection.execute("SELECT length(records) > 1000 FROM passages").fetchall() == [
            (1,)
        ]


async def state(memory: Memoria) -> str:
    (found,) = [f for f in (await memory.health()).findings if f.check == "vectors"]
    return found.state


async def test_what_was_given_up_is_tried_again(shell: Shell) -> None:
    async with memoria.open(home=shell.home, settings=memoria.Settings(embedder="off")) as memory:
        await memory.remember("Momo is a cat")
    with opened(shell.home) as connection:
        connection.execute("UPDATE embedding_backlog SET attempts = 5, last_error = 'no network'")
    endpoint = {"MEMORIA_EMBEDDER": "bundled"}
    output = shell("doctor", "--fix", "--json", **endpoint)
    (mended_,) = output.document["repairs"]
    assert mended_["check"] == "backlog"
    assert mended_["before"] == "1 documents were given up: no network"
    with opened(shell.home) as connection:
        assert connection.execute("SELECT attempts FROM embedding_backlog").fetchall() == [(0,)]
