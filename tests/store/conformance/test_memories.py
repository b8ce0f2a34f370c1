"""Memories as they are read from their rows, and the projects that see them."""

from pathlib import Path

import numpy as np
import pytest
from tests.store.conftest import OpenStore
from tests.store.plain import keep, wording

from memoria.errors import StoreDamagedError
from memoria.model import Memory, MemoryType, Scope
from memoria.store.engine import Store
from memoria.store.rows.listings import ListedMemories, ListedSpan
from memoria.store.rows.memory_rows import read_memory
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite.driver import connect
from memoria.store.sqlite.schema import migrations
from memoria.store.values import Filters


def test_what_is_read_is_what_its_model_would_make_of_it(two: Store) -> None:
    with two.read("ann") as tx:
        memories = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 100)).values()
    assert any(memory.workspace for memory in memories)
    assert any(memory.current.provenance.turn_id for memory in memories)
    for memory in memories:
        checked = Memory.model_validate(memory.model_dump(), strict=True)
        assert checked == memory
        assert checked.model_dump_json() == memory.model_dump_json()


def test_a_type_that_no_memory_has_is_damage() -> None:
    row = ("mem_1", "hunch", "active", 0.5, 0.5, *[0] * 6, None, "everywhere", *[None] * 4, 1, 0)
    with pytest.raises(StoreDamagedError, match="'hunch' is no MemoryType"):
        read_memory((*row, None, None, None), ())


MODEL = "letters/8"
ONES = np.full(8, 8**-0.5, np.float32)
PLACES = ("red", "blue", None)


def places_that_see(tx: Transaction, memory_id: str, word: str = "port") -> set[str | None]:
    """From where every index and every listing has a memory; they must agree."""
    memory = tx.memories.get(memory_id)
    assert memory is not None
    by_text, by_meaning, listed = (set[str | None]() for _ in range(3))
    for place in PLACES:
        seen = Filters(workspace=place)
        if memory.current.n in {m.n for m in tx.documents.match(["memory"], [word], seen, 9)}:
            by_text.add(place)
        if memory.current.n in {m.n for m in tx.documents.nearest("memory", MODEL, ONES, seen, 9)}:
            by_meaning.add(place)
        if memory_id in {m.id for m in tx.memories.list_unverified(9, place)} or (
            memory.verified and place in by_text
        ):
            listed.add(place)
    assert by_text == by_meaning == listed
    return by_text


def embed(store: Store, tenant: str = "ann") -> None:
    with store.backlog(write=True) as backlog:
        backlog.choose_model(MODEL)
    with store.write(tenant) as tx:
        due = tx.backlog.list_due(0, 1000, 5)
        tx.backlog.add_vectors(MODEL, {pending.n: ONES for pending in due})


@pytest.mark.parametrize(
    ("kind", "scope", "seen_from"),
    [
        (MemoryType.FACT, None, {"red"}),
        (MemoryType.FACT, "everywhere", set(PLACES)),
        (MemoryType.RULE, None, set(PLACES)),
        (MemoryType.RULE, "project", {"red"}),
    ],
)
def test_a_memory_is_seen_where_its_scope_says_and_by_its_type_where_nothing_was_said(
    store: Store, kind: MemoryType, scope: Scope | None, seen_from: set[str | None]
) -> None:
    with store.write("ann") as tx:
        memory_id = keep(tx, "the port is 8080", workspace="red", kind=kind, scope=scope)
        tx.memories.set_flags(memory_id, 1, verified=False)
    embed(store)
    with store.read("ann") as tx:
        assert places_that_see(tx, memory_id) == seen_from
        memory = tx.memories.get(memory_id)
        assert memory is not None
        assert memory.project == (None if seen_from == set(PLACES) else "red")


def test_what_belongs_to_no_project_is_seen_everywhere_whatever_its_scope(store: Store) -> None:
    with store.write("ann") as tx:
        memory_id = keep(tx, "the port is 8080", scope="project")
        memory = tx.memories.get(memory_id)
    assert memory is not None
    assert memory.scope == "everywhere"


def test_a_new_wording_keeps_the_scope(store: Store) -> None:
    with store.write("ann") as tx:
        memory_id = keep(tx, "the port is 8080", workspace="red", scope="everywhere")
        tx.memories.add_version(memory_id, wording("the port is 9090"))
        tx.memories.set_flags(memory_id, 1, verified=False)
    embed(store)
    with store.read("ann") as tx:
        assert places_that_see(tx, memory_id) == set(PLACES)


def test_a_changed_scope_moves_every_wording_in_every_index(store: Store) -> None:
    with store.write("ann") as tx:
        memory_id = keep(tx, "the port is 8080", workspace="red")
        tx.memories.add_version(memory_id, wording("the port is 9090"))
        tx.memories.set_flags(memory_id, 1, verified=False)
    embed(store)
    history = Filters(workspace="blue", include_history=True)
    for scope, seen_from, wordings in (("everywhere", set(PLACES), 2), ("project", {"red"}, 0)):
        with store.write("ann") as tx:
            tx.memories.set_scope(memory_id, scope, "red", 2)  # type: ignore[arg-type]
        with store.read("ann") as tx:
            assert places_that_see(tx, memory_id) == seen_from
            assert len(tx.documents.match(["memory"], ["port"], history, 9)) == wordings
    problems = [one for one in store.examine(deep=True) if one.state != "ok"]
    assert problems == []


BEFORE = """
INSERT INTO tenants (id, name, created_at) VALUES (1, 'ann', 0);
INSERT INTO workspaces (n, tenant_id, name) VALUES (1, 1, 'red');
INSERT INTO documents (n, tenant_id, kind, workspace_n)
VALUES (1, 1, 'memory', 1), (2, 1, 'memory', NULL), (3, 1, 'memory', NULL);
INSERT INTO memories (n, id, tenant_id, workspace_n, type, validity, importance, confidence,
                      created_at, updated_at)
VALUES (1, 'fact', 1, 1, 'fact', 'active', 0.5, 0.7, 0, 0),
       (2, 'rule', 1, 1, 'rule', 'active', 0.5, 0.7, 0, 0),
       (3, 'anywhere', 1, NULL, 'fact', 'active', 0.5, 0.7, 0, 0);
INSERT INTO memory_versions (n, memory_n, tenant_id, version, content, fingerprint, valid_from,
    ingested_at, source_kind, trust, channel)
SELECT n, n, 1, 1, id || ' of the port', x'00', 0, 0, 'user_said', 'user', 'cli' FROM memories;
INSERT INTO search_index (rowid, scope, words, context)
VALUES (1, 'memory1w1', 'fact port', ''), (2, 'memory1', 'rule port', ''),
       (3, 'memory1', 'anywhere port', '');
"""


@pytest.mark.sqlite("a home of an earlier version")
def test_a_home_from_before_there_were_scopes_shows_everything_where_it_did(
    home: Path, open_store: OpenStore
) -> None:
    home.mkdir()
    old = connect(home / "memoria.db", 5000)
    for _, sql in migrations()[:14]:
        old.executescript(sql)
    old.executescript(BEFORE)
    old.execute("PRAGMA user_version = 14")
    old.close()
    store = open_store(home)
    with store.write("ann") as tx:
        scopes = {one: tx.memories.get(one) for one in ("fact", "rule", "anywhere")}
        assert {one: m and m.scope for one, m in scopes.items()} == {
            "fact": "project",
            "rule": "everywhere",
            "anywhere": "everywhere",
        }
        for one in scopes:
            tx.memories.add_version(one, wording(f"{one} of the new port"))
            tx.memories.set_flags(one, 1, verified=False)
    embed(store)
    with store.read("ann") as tx:
        seen = {one: places_that_see(tx, one) for one in scopes}
    assert seen == {"fact": {"red"}, "rule": set(PLACES), "anywhere": set(PLACES)}


def test_a_walk_looks_at_bounded_rows_and_goes_on_where_it_stopped(store: Store) -> None:
    with store.write("ann") as tx:
        ids = [keep(tx, f"it is {n}") for n in range(5)]
        tx.memories.set_flags(ids[0], 9, pinned=True)
    wanted, span = ListedMemories(pinned=True), ListedSpan(0, 10)
    with store.read("ann") as tx:
        first = tx.listings.walk_memories(wanted, span, None, reach=3)
        second = tx.listings.walk_memories(wanted, span, first.end, reach=3)
        found = tx.memories.by_version_numbers(second.items)
    assert first.items == []
    assert [one.id for one in found.values()] == [ids[0]]
    assert second.end is None
