"""A large home answers as a small one would: only the way there differs."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import numpy as np
import pytest
from tests.databases import open_home
from tests.store.insides import connection_of, index_of

import memoria
from memoria import Turn
from memoria.model import MemoryType, Role, Vector
from memoria.model.metadata import MetadataValue
from memoria.store.engine import Store
from memoria.store.image import candidate_filter
from memoria.store.image.counts import CountCache, count_horizon
from memoria.store.rows import matching
from memoria.store.values import DocumentKind, Filters, Match

BEGAN = 1_700_000_000_000
WORDS = "harbour lantern orchard pepper quarry saddle timber violet".split()
MODEL = "random/8"
BOTH: tuple[DocumentKind, ...] = ("turn", "memory")
QUESTIONS = [
    Filters(),
    Filters(include_processed=True),
    Filters(include_history=True),
    Filters(since=BEGAN + 40_000),
    Filters(since=BEGAN + 20_000, until=BEGAN + 90_000, include_processed=True),
    Filters(roles=(Role.ASSISTANT,)),
    Filters(tool="bash"),
    Filters(session_id="s1-none"),
    Filters(types=(MemoryType.RULE,)),
    Filters(workspace="harbour", since=BEGAN + 1),
    Filters(everywhere=True, until=BEGAN + 80_000),
    Filters(metadata='{"ticket":"T-1"}'),
    Filters(metadata='{"even":true,"tags":"b"}', include_history=True),
]


@pytest.fixture(scope="module")
def store(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Ann's turns and memories, some edited, archived or of a project, and Bob's."""
    home, rng = tmp_path_factory.mktemp(engine), random.Random(8)  # noqa: S311
    for tenant, workspace in (("ann", None), ("ann", "harbour"), ("bob", None)):
        anyio.run(_live, home, tenant, workspace, rng)
    opened = open_home(home)
    _embed(opened)
    yield opened
    opened.close()


async def _live(home: Path, tenant: str, workspace: str | None, rng: random.Random) -> None:
    settings = memoria.Settings.load(embedder="off", workspace=workspace)
    place = workspace or "none"
    async with memoria.open(home, tenant, settings=settings) as m:
        await m.record_conversation([_turn(i, place, rng) for i in range(60)])
        await m.record_conversation([_turn(i, place, rng) for i in range(0, 60, 9)])
        for i in range(30):
            kind = "rule" if i % 3 else "fact"
            words = f"{' '.join(rng.sample(WORDS, 3))} {i} {place}"
            kept = await m.remember(words, type=kind, metadata=_metadata(i))
            if i % 7 == 0:
                await m.revise_memory(kept.id, "archive")


def _turn(i: int, place: str, rng: random.Random) -> Turn:
    role = (Role.USER, Role.ASSISTANT, Role.TOOL)[i % 3]
    return Turn(
        role=role,
        content=" ".join(rng.choices(WORDS, k=4)),
        session_id=f"s{i % 4}-{place}",
        message_id=f"m{i}",
        at=BEGAN + i * 2000,
        tool_name="bash" if role is Role.TOOL else None,
        metadata=_metadata(i),
    )


def _metadata(i: int) -> dict[str, MetadataValue]:
    return {"ticket": f"T-{i % 5}", "even": i % 2 == 0, "tags": ["a", "b"] if i % 3 else ["a"]}


def _embed(store: Store) -> None:
    rng = np.random.default_rng(8)
    with store.backlog(write=True) as backlog:
        backlog.choose_model(MODEL)
    for tenant in store.tenants():
        with store.write(tenant) as tx:
            for pending in tx.backlog.list_due(0, 1000, 1):
                tx.backlog.add_vectors(MODEL, {pending.n: _unit(rng)})


def _unit(rng: np.random.Generator) -> Vector:
    vector = rng.standard_normal(8).astype(np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def answers(store: Store, filters: Filters, limit: int) -> list[list[Match]]:
    vector = _unit(np.random.default_rng(3))
    with store.read("ann") as tx:
        return [
            tx.documents.match(kinds, WORDS[:3], filters, limit) for kinds in (BOTH, ("turn",))
        ] + [tx.documents.nearest(kind, MODEL, vector, filters, limit) for kind in BOTH]


@pytest.mark.parametrize("limit", [5, 400])
@pytest.mark.parametrize("filters", QUESTIONS, ids=str)
def test_what_is_held_against_filters_afterwards_is_what_a_list_lets_through(
    store: Store, filters: Filters, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(store, filters, limit)
    monkeypatch.setattr(candidate_filter, "BUDGET", 0)  # a list of any length is too long
    assert answers(store, filters, limit) == expected


@pytest.mark.parametrize("filters", QUESTIONS, ids=str)
def test_matching_words_alone_finds_what_matching_the_scope_as_well_finds(
    store: Store, filters: Filters, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(store, filters, 10)
    rare = lambda _self, terms, _newest: dict.fromkeys(terms, 1)  # noqa: E731
    monkeypatch.setattr(matching.Matching, "_count_in_home", rare)
    monkeypatch.setattr(matching, "BUDGET", 100)
    found = answers(store, filters, 10)
    assert [[match.n for match in one] for one in found] == [
        [match.n for match in one] for one in expected
    ]


def test_a_list_of_what_passes_is_read_no_further_than_it_is_used(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidate_filter, "BUDGET", 5)
    since = Filters(since=BEGAN)
    assert list_rows_read(store, replace(since, roles=(Role.USER,)), monkeypatch) == [
        ("allowed_turns", 6)
    ]
    assert list_rows_read(store, since, monkeypatch) == [("is_long_period", 1)]
    few = Filters(since=BEGAN, until=BEGAN + 2000)
    assert list_rows_read(store, few, monkeypatch) == [("is_long_period", 0), ("allowed_turns", 2)]


def list_rows_read(
    store: Store, filters: Filters, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, int]]:
    """What is read to tell which turns pass: statements, and how many rows each gave."""
    read: list[tuple[str, int]] = []
    with store.read("ann") as tx, monkeypatch.context() as patch:
        rows = tx.documents._rows  # noqa: SLF001
        every = rows.tuples

        def counted(name: str, /, **parameters: object) -> Sequence[object]:
            found = every(name, **parameters)  # type: ignore[arg-type]
            read.append((name, len(found)))
            return found

        patch.setattr(rows, "tuples", counted)
        tx.documents._narrowing(("turn",), filters).ids_if_few  # noqa: B018, SLF001
    return read


def test_a_mark_stays_while_a_home_grows_by_little() -> None:
    marks = [count_horizon(newest) for newest in range(1, 5000)]
    assert all(newest * 7 // 8 <= at <= newest for newest, at in enumerate(marks, 1))
    assert len({at for at in marks if at > 1000}) < 25


def test_terms_are_counted_once_until_the_mark_moves_or_something_is_erased() -> None:
    known = CountCache()
    for many, age in enumerate(((10, 0), (12, 0), (12, 5))):
        assert known.recall(["port"], age) == {}
        known.keep(age, {"port": many})
        assert known.recall(["port", "pier"], age) == {"port": many}
    known.keep((10, 0), {"port": 9})  # an older snapshot is counted for itself
    assert known.recall(["port"], (10, 0)) == {}
    assert known.recall(["port"], (12, 5)) == {"port": 2}


@pytest.mark.sqlite("counts statements of SQLite")
def test_a_search_counts_no_word_twice(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "BUDGET", 100)
    statements: list[str] = []
    with store.read("ann") as tx:
        connection = connection_of(tx)
        connection.set_trace_callback(statements.append)
        for _ in range(3):
            tx.documents.match(BOTH, ["violet", "quarry"], Filters(), 5)
        connection.set_trace_callback(None)
    counted = [re.findall(r"json_each\(\W+(\w+)\W+\) q", each) for each in statements]
    assert [word for words in counted for word in words] == ["violet", "quarry"]


@pytest.mark.parametrize("budget", [1, 20_000])
def test_a_word_that_looks_like_a_standing_is_looked_for_as_a_word(
    tmp_path: Path, budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "BUDGET", budget)
    store = open_home(tmp_path)
    with store.write("ann") as tx:
        said = [index_of(tx).add("turn", None, words, "") for words in ("turn1 violet", "violet")]
    with store.read("ann") as tx:
        for terms, found in ((["turn1"], said[:1]), (["turn1", "violet"], said)):
            assert sorted(each.n for each in tx.documents.match(BOTH, terms, Filters(), 5)) == found
    store.close()
