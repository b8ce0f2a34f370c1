"""Whatever is done through a night's store is put back exactly, whoever did it and however."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import change_rows, copy_home, open_home
from tests.lifecycle.dump import dump, night

import memoria
from memoria import Settings
from memoria.erasure.suppression import Digester, SuppressionList
from memoria.errors import InvalidInputError
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.memories.derived import DerivedDraft, add_derived, end_derived, revise_derived
from memoria.memories.statements import Statements
from memoria.memories.wordings import Author
from memoria.memories.writer import MemoryWriter
from memoria.model import (
    LIBRARY,
    Edge,
    EdgeType,
    InferredBy,
    MemoryType,
    Mention,
    Node,
    Role,
    Turn,
    Validity,
    new_id,
    now_millis,
)
from memoria.model.nightly import NightlyRun, RunOptions
from memoria.model.provenance import NIGHTLY_CHANNEL
from memoria.store.engine import JournalingStore, Store
from memoria.store.rows.revert import JOURNALED_TABLES
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite.schema import schema
from memoria.store.values import Filters, NewEvidence

TENANT = "ann"
NEVER_CHANGED_BY_A_NIGHT = {
    "tenants", "sessions", "turns", "audit_log", "tombstones", "private_times",
    "transcripts", "tokens", "webhooks", "tool_calls", "grounds",
}  # fmt: skip
FORGOTTEN_ONLY = {
    "forget_reports", "forget_digests", "hidden_changes", "hidden_texts", "hidden_files",
}  # fmt: skip
"""A night erases what was hidden long enough, and no undo brings it back."""
TEXTS = {"raw_chunks"}
"""No night changes what was said."""
THINGS = ("the port is 8080", "会议改到星期四", "Node 22 builds it", "the cat is called Momo")
TALK = ("does Quentella still live in Aveiro?", "你认识名叫赵子墨的人吗？")
"""What names somebody, and of which rules make no memory."""

Change = Callable[[Statements, JournalingStore, Sequence[str], int], None]


def remember(by: Statements, _store: JournalingStore, _ids: Sequence[str], i: int) -> None:
    by.remember(f"a new thing, number {i}", MemoryType.FACT)


def correct(by: Statements, _store: JournalingStore, ids: Sequence[str], i: int) -> None:
    by.revise(ids[i % len(ids)], "correct", f"it is otherwise, {i}")


def archive(by: Statements, _store: JournalingStore, ids: Sequence[str], i: int) -> None:
    by.revise(ids[i % len(ids)], "archive", None)


def pin(by: Statements, _store: JournalingStore, ids: Sequence[str], i: int) -> None:
    by.revise(ids[i % len(ids)], "pin", None)


def move(_by: Statements, store: JournalingStore, ids: Sequence[str], i: int) -> None:
    with store.write(TENANT) as tx:
        tx.memories.set_scope(ids[i % len(ids)], "everywhere" if i % 2 else "project", "w", i)


def use(_by: Statements, store: JournalingStore, ids: Sequence[str], i: int) -> None:
    with store.write(TENANT) as tx:
        tx.memories.add_use(ids[i % len(ids)], 0.1 / 3, now_millis())


def link(_by: Statements, store: JournalingStore, ids: Sequence[str], i: int) -> None:
    memory, other = ids[i % len(ids)], ids[(i + 1) % len(ids)]
    with store.write(TENANT) as tx:
        name = tx.graph.upsert_entity(memory, Mention(name=f"thing {i % 3}", aliases=("it",)))
        ends = {EdgeType.ABOUT: name, EdgeType.SUPPORTS: Node("memory", other)}
        tx.graph.upsert_edges(
            Edge(src=Node("memory", memory), type=kind, dst=end, weight=0.5, confidence=0.5,
                 made_at=i + 1)
            for kind, end in ends.items()
        )  # fmt: skip


def prove(_by: Statements, store: JournalingStore, ids: Sequence[str], i: int) -> None:
    with store.write(TENANT) as tx:
        turns = tx.conversations.session_turns("s", 0, 10)
        tx.memories.add_evidence(NewEvidence(ids[i % len(ids)], turns[i % len(turns)].n, "port", i))


def erase(_by: Statements, store: JournalingStore, ids: Sequence[str], i: int) -> None:
    with store.write(TENANT) as tx:
        tx.memories.set_validity(ids[i % len(ids)], Validity.SUPERSEDED, i)


def draw(_by: Statements, store: JournalingStore, ids: Sequence[str], i: int) -> None:
    with store.write(TENANT) as tx:
        sources = [memory for one in ids[: 1 + i % 4] if (memory := tx.memories.get(one))]
        draft = DerivedDraft(
            MemoryType.CONCEPT, f"ports are alike, {i}", InferredBy.MODEL, 0.8, turns=1
        )
        suppression = SuppressionList(tx.tombstones, Digester(TENANT, key))
        writer = MemoryWriter(tx, suppression, Author(NIGHTLY_CHANNEL), i)
        drawn = [memory_id for _, memory_id in tx.derivations.list_derived(0, 1)]
        known = tx.memories.get(drawn[0]) if drawn else None
        if known is None:
            add_derived(writer, draft, sources, i)
        elif i % 3:
            revise_derived(writer, known, draft, sources, now_millis())
        else:
            end_derived(writer, known, "it was so")


def read_turn(_by: Statements, store: JournalingStore, _ids: Sequence[str], i: int) -> None:
    with store.write(TENANT) as tx:
        turns = tx.conversations.session_turns("s", 0, 10)
        tx.conversations.mark_processed([turns[i % len(turns)]])


CHANGES: tuple[Change, ...] = (
    draw, remember, correct, archive, pin, move, use, link, prove, erase, read_turn,
)  # fmt: skip


@pytest.fixture(scope="module")
def lived(engine: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A home with a conversation and some memories, and the ids of these."""
    home = tmp_path_factory.mktemp(engine)
    with closing(open_home(home)) as store:
        limits = CaptureLimits(10_000, 30)
        capture = Capture(store, TENANT, LIBRARY, limits, Digester(TENANT, key))
        turns = [Turn(role=Role.USER, content=text) for text in (*THINGS, *TALK)]
        capture.record(turns, "s", None)
        return home, [by(store).remember(text, MemoryType.FACT).id for text in THINGS]


@contextmanager
def run_in(home: Path) -> Iterator[tuple[Store, JournalingStore, NightlyRun]]:
    """A store, that of a night that is under way there, and this night's run."""
    with night(Settings.from_values(home=home, tenant=TENANT, embedder="off")) as (shared, own):
        with own.write(TENANT) as tx:
            run = tx.nightly_runs.begin_run(new_id(), 1, RunOptions(steps=("archive_expired",)))
        yield shared, own, run
        with own.write(TENANT) as tx:
            tx.nightly_runs.set_state(run, "undone", 1)


@contextmanager
def copy_of(lived: tuple[Path, list[str]]) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        copy_home(lived[0], Path(folder) / "home")
        yield Path(folder) / "home"


@given(st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 9)), min_size=1, max_size=12))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_everything_a_night_changes_is_put_back(
    lived: tuple[Path, list[str]], changes: list[tuple[Change, int]]
) -> None:
    home, ids = lived
    before = dump(home)
    with run_in(home) as (_, own, run):
        with own.journaling(run, 0):
            for change, i in changes:
                try:
                    change(by(own), own, ids, i)
                except InvalidInputError:
                    continue  # what was archived can't be corrected
        assert reverted(own, run)[1:] == (0, 0)
    assert dump(home) == before


async def test_the_journal_keeps_no_name_of_a_turn_that_is_forgotten_after_a_model_read_it(
    lived: tuple[Path, list[str]],
) -> None:
    with copy_of(lived) as home:
        with run_in(home) as (_, own, run), own.journaling(run, 0), own.write(TENANT) as tx:
            turns = tx.conversations.session_turns("s", 0, 10)
            tx.conversations.mark_processed(turns)
        assert "Quentella" in images(home)
        named = [turn.id for turn in turns if "Quentella" in turn.content]
        forgetting = Settings(home=home, embedder="off")
        async with memoria.open(settings=forgetting, tenant=TENANT) as m:
            await m.forget_memory(named, include_source=True)
        assert "Quentella" not in images(home)


def images(home: Path) -> str:
    with change_rows(home) as connection:
        return str([*map(tuple, connection.execute("SELECT image FROM nightly_changes"))])


def test_a_wording_of_the_nights_goes_though_its_memory_was_moved_since(
    lived: tuple[Path, list[str]],
) -> None:
    first = lived[1][0]
    with copy_of(lived) as home:
        with run_in(home) as (shared, own, run):
            with shared.write(TENANT) as tx:
                tx.memories.set_scope(first, "project", "w", 1)
            with own.journaling(run, 0):
                by(own).revise(first, "correct", "the port is 9090")
            by(shared).revise(first, "everywhere", None)
            reverted(own, run)
        with closing(open_home(home)) as store:
            with store.read(TENANT) as tx:
                memory = tx.memories.get(first)
                assert memory is not None
                assert (memory.content, memory.scope) == (THINGS[0], "everywhere")
                seen = Filters(workspace="another", include_history=True)
                matches = tx.documents.match(("memory",), ["port"], seen, 9)
                assert [match.n for match in matches] == [memory.current.n]
            assert [one for one in store.examine(deep=True) if one.state == "error"] == []


def key() -> bytes:
    return b"a key"


def by(store: Store) -> Statements:
    return Statements(store, TENANT, LIBRARY, Digester(TENANT, key))


def reverted(store: JournalingStore, run: NightlyRun) -> tuple[int, ...]:
    totals: tuple[int, ...] = (0, 0, 0)
    while True:
        with store.write(TENANT) as tx:
            counts = tx.nightly_runs.revert(run, 5)
        if not any(counts):
            return totals
        totals = tuple(map(sum, zip(totals, counts, strict=True)))


def test_every_table_is_watched_or_known_to_be_left_alone() -> None:
    tables = {name for name, sql in schema().items() if sql.startswith("CREATE TABLE")}
    derived = {
        "settings", "embeddings", "passages", "embedding_models", "embedding_backlog",
        "leases", "model_calls", "events",
    }  # fmt: skip
    shadows = {name for name in tables if name.startswith(("search_index", "sqlite_"))}
    own = {name for name in tables if name.startswith("nightly_")}
    rest = tables - set(JOURNALED_TABLES) - derived - shadows - own - TEXTS - FORGOTTEN_ONLY
    assert {name for name in rest if not name.startswith("tombstone")} == {
        name for name in NEVER_CHANGED_BY_A_NIGHT if not name.startswith("tombstone")
    }


def test_nobody_elses_changes_are_journaled(lived: tuple[Path, list[str]]) -> None:
    with copy_of(lived) as home, run_in(home) as (shared, own, run):
        with own.journaling(run, 0):
            by(shared).revise(lived[1][0], "pin", None)
        by(own).revise(lived[1][1], "pin", None)
        with own.read(TENANT) as tx:
            assert changes_of(tx, run) == []


def changes_of(tx: Transaction, run: NightlyRun) -> list[str]:
    return [change.table for change in tx.nightly_runs.list_changes(run, 100)]
