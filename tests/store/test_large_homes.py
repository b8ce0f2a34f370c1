"""What an extraction and a claim ask of a home costs no more in a large one, and finds the same."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.insides import index_of
from tests.store.plain import keep, wording

from memoria.model import MemoryType, Provenance, SourceKind, Trust, new_id
from memoria.store.rows import matching, memories
from memoria.store.rows.documents import Documents
from memoria.store.rows.matching import Matching
from memoria.store.sql.statements import statements
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import connect
from memoria.store.sqlite.migrate import migrate
from memoria.store.values import Filters, Match, NewMemory

WORDS = ("ferry", "harbour")


def note(store: SqliteStore, tenant: str, *contents: str) -> None:
    """Memories that their user has not confirmed."""
    reported = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel="test")
    with store.write(tenant) as tx:
        for content in contents:
            memory = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5)
            tx.memories.add(memory, replace(wording(content), provenance=reported))


def contents(store: SqliteStore, limit: int) -> list[str]:
    with store.read("ann") as tx:
        return [memory.content for memory in tx.memories.list_unverified(limit)]


def test_the_newest_memories_are_found_however_many_newer_ones_others_have(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "_REACH", 4)
    note(store, "ann", *(f"It is {i}" for i in range(6)))
    assert contents(store, 2) == ["It is 5", "It is 4"]
    note(store, "bob", *(f"Theirs is {i}" for i in range(3)))
    assert contents(store, 2) == ["It is 5", "It is 4"]
    assert contents(store, 9) == [f"It is {i}" for i in (5, 4, 3, 2, 1, 0)]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("about", "memories_by_subject"),
        ("of_property", "memories_by_subject"),
        ("newest_unverified", "PRIMARY KEY"),
    ],
)
def test_memories_of_a_subject_and_the_newest_are_found_without_reading_all(
    name: str, index: str, tmp_path: Path
) -> None:
    connection = connect(tmp_path / "plans.db", 5000)
    migrate(connection)
    given = dict.fromkeys(("tenant", "workspace", "limit", "subject", "predicate", "reach"), 1)
    plan = connection.execute(f"EXPLAIN QUERY PLAN {statements('memories')[name]}", given)
    first = next(row[3] for row in plan if " m " in row[3])
    connection.close()
    assert first.startswith("SEARCH m USING")
    assert index in first


def match(documents: Documents) -> list[Match]:
    return documents.match(("memory",), WORDS, Filters(), 3)


def test_memories_are_matched_by_one_query_in_a_home_of_mostly_turns(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.write("ann") as tx:
        for i in range(40):
            index_of(tx).add("turn", None, "the ferry leaves the harbour", "")
            keep(tx, f"The ferry leaves the harbour at {i}")
    with store.read("ann") as tx:
        expected = match(tx.documents)
    assert len(expected) == 3
    monkeypatch.setattr(matching, "BUDGET", 20)
    monkeypatch.setattr(
        Matching, "_count_in_home", lambda _self, terms, _n: dict.fromkeys(terms, 1)
    )
    asked: list[str] = []
    run = Matching._run_match  # noqa: SLF001

    def noted(own: Matching, statement: str, query: str, limit: int) -> list[Match]:
        asked.append(statement)
        return run(own, statement, query, limit)

    monkeypatch.setattr(Matching, "_run_match", noted)
    with store.read("ann") as tx:
        assert match(tx.documents) == expected
    assert asked == ["match"]


def test_a_writer_counts_no_word_that_is_counted_and_leaves_no_count_behind(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.write("ann") as tx:
        for i in range(40):
            keep(tx, f"The ferry leaves the harbour at {i}")
    monkeypatch.setattr(matching, "BUDGET", 20)
    counted: list[str] = []
    count = Matching._count_all  # noqa: SLF001

    def noted(own: Matching, queries: list[str], last: int) -> dict[str, int]:
        counted.extend(query for query in queries if any(word in query for word in WORDS))
        return count(own, queries, last)

    monkeypatch.setattr(Matching, "_count_all", noted)
    with store.write("ann") as tx:
        match(tx.documents)
    with store.read("ann") as tx:
        match(tx.documents)
    assert len(counted) == 2 * len(WORDS)
    with store.write("ann") as tx:
        match(tx.documents)
    assert len(counted) == 2 * len(WORDS)
