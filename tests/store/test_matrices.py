"""What a process holds of the vectors in memory is what the file says, and no more."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.store.insides import index_of

from memoria.errors import EmbedderError
from memoria.model import Vector
from memoria.store.image.visibility import Visibility
from memoria.store.rows.documents import Documents
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import SqliteConnection, connect, load_vectors
from memoria.store.sqlite.vec0 import Vec0Index
from memoria.store.values import DocumentKind, Filters, Match
from memoria.store.vectors import VectorCache, VectorIndex, VectorQuery, cached
from memoria.store.vectors.matrix import Matrix

OpenStore = Callable[[Path], SqliteStore]
DIMS = 4
MODEL = "letters/4"
TENANT = "ann"
PLACES = (None, "home", "work")
KINDS: tuple[DocumentKind, ...] = ("turn", "memory")
QUERY = np.array([0.5, 0.5, 0.5, 0.5], np.float32)
TIMEOUT_S = 60
FEW = Vec0Index.few


@dataclass(frozen=True)
class Add:
    """A new document, and its vector."""

    kind: DocumentKind
    place: str | None
    direction: tuple[int, ...]


@dataclass(frozen=True)
class Change:
    """Something done to the document added so many steps ago."""

    what: str
    ago: int


CHANGES = ["hide", "show", "bar", "erase", "embed anew", "forget the vector"]
DIRECTIONS = st.tuples(*[st.integers(-4, 4)] * DIMS).filter(any)
ADDS = st.builds(Add, st.sampled_from(KINDS), st.sampled_from(PLACES), DIRECTIONS)
STEPS = st.lists(ADDS | st.builds(Change, st.sampled_from(CHANGES), st.integers(0, 5)), max_size=20)
QUESTIONS: tuple[tuple[DocumentKind, Filters], ...] = (
    ("turn", Filters()),
    ("turn", Filters(workspace="work", include_processed=True)),
    ("turn", Filters(everywhere=True, include_processed=True)),
    ("memory", Filters(workspace="home")),
    ("memory", Filters(everywhere=True)),
)


def unit(*direction: float) -> Vector:
    vector = np.array(direction, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


class Home:
    """One tenant's documents, changed through the store's own methods."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.ns: list[int] = []
        with store.backlog(write=True) as backlog:
            backlog.choose_model(MODEL)

    def take(self, step: Add | Change) -> None:
        match step:
            case Add():
                self.embed(self.add(step.kind, step.place), unit(*step.direction))
            case Change() if step.ago < len(self.ns):
                self.change(step.what, self.ns[-1 - step.ago])
            case _:
                pass

    def add(self, kind: DocumentKind = "turn", place: str | None = None) -> int:
        with self.store.write(TENANT) as tx:
            number = Workspaces(tx._connection, tx._tenant).enter(place)  # noqa: SLF001
            self.ns.append(index_of(tx).add(kind, number, "words", ""))
        return self.ns[-1]

    def embed(self, n: int, vector: Vector) -> None:
        with self.store.write(TENANT) as tx:
            tx.backlog.add_vectors(MODEL, {n: vector})

    def change(self, what: str, n: int) -> None:
        if what == "embed anew":
            self.embed(n, unit(n, 1, 2, 3))
            return
        with self.store.write(TENANT) as tx:
            match what:
                case "hide" | "show":
                    index_of(tx).set_current(n, current=what == "show")
                case "bar":
                    index_of(tx).suppress(n)
                case "forget the vector":
                    index_of(tx).queue_embedding(n)
                case "erase":
                    index_of(tx).erase(n)
                    self.ns.remove(n)


def answers(connection: SqliteConnection, way: VectorIndex) -> list[list[Match]]:
    """The nearest documents on this snapshot, for every question."""
    documents = Documents(connection, 1, way)
    return [documents.nearest(kind, MODEL, QUERY, seen, 50) for kind, seen in QUESTIONS]


def truth(connection: SqliteConnection) -> list[list[float]]:
    """The scores of whatever may be found on this snapshot, best first, worked out afresh."""
    rows = connection.execute(
        "SELECT d.*, e.vector, w.name AS place FROM documents d "
        "JOIN embeddings e ON e.document_n = d.n LEFT JOIN workspaces w ON w.n = d.workspace_n "
        "WHERE d.current"
    ).fetchall()
    return [
        sorted(
            (
                float(np.frombuffer(row["vector"], np.float32) @ QUERY)
                for row in rows
                if row["kind"] == kind
                and (seen.everywhere or row["place"] in (None, seen.workspace))
                and (seen.include_processed or not row["suppressed"])
            ),
            reverse=True,
        )
        for kind, seen in QUESTIONS
    ]


def scores(found: list[list[Match]]) -> list[object]:
    return [pytest.approx([match.score for match in matches], abs=1e-5) for matches in found]


def reader(home: Path) -> SqliteConnection:
    connection = connect(home / "memoria.db", 5000, read_only=True)
    load_vectors(connection)
    return connection


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.integers(0, 20))
def test_whatever_is_done_every_way_of_searching_sees_its_own_snapshot(
    steps: list[Add | Change], pause: int
) -> None:
    with TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "memoria.db", busy_timeout_ms=5000, readers=1)
        home, shared = Home(store), VectorCache()
        slow, quick = reader(Path(folder)), reader(Path(folder))
        has_extension, before = load_vectors(quick), truth(slow)
        for i, step in enumerate(steps):
            if i == pause:
                slow.execute("BEGIN")
                before = truth(slow)
            home.take(step)
            quick.execute("BEGIN")
            ways = [VectorIndex(quick, None, shared), VectorIndex(quick, None, None)]
            ways += [VectorIndex(quick, Vec0Index(quick), None)] if has_extension else []
            for way in ways:
                assert truth(quick) == scores(answers(quick, way))
            quick.execute("COMMIT")
        if slow.in_transaction:
            assert before == scores(answers(slow, VectorIndex(slow, None, shared)))
        for connection in (slow, quick):
            connection.close()
        store.close()


def where(n_tenant: int = 1, kind: DocumentKind = "turn") -> VectorQuery:
    return VectorQuery(1, n_tenant, kind, (Visibility(kind, n_tenant).token,))


def ask(connection: SqliteConnection, shared: VectorCache, n_tenant: int = 1) -> list[int]:
    """The numbers of the nearest turns, by a matrix."""
    found = VectorIndex(connection, None, shared).nearest(where(n_tenant), QUERY, 50)
    return [match.n for match in found]


@pytest.fixture
def lived_in(store: SqliteStore) -> Home:
    """A home with three turns, the first the nearest."""
    lived = Home(store)
    for direction in [(1, 1, 1, 1), (1, 1, 1, 0), (1, 1, 0, 0)]:
        lived.embed(lived.add(), unit(*direction))
    return lived


def test_a_search_on_an_unchanged_store_reads_no_vector_again(lived_in: Home, home: Path) -> None:
    connection, shared = reader(home), VectorCache()
    assert ask(connection, shared) == lived_in.ns
    read: list[str] = []
    connection.set_trace_callback(read.append)
    assert ask(connection, shared) == lived_in.ns
    connection.close()
    assert not [statement for statement in read if "embeddings" in statement]


def test_a_search_reads_only_the_vectors_that_changed(lived_in: Home, home: Path) -> None:
    connection, shared = reader(home), VectorCache()
    assert ask(connection, shared) == lived_in.ns
    writer = connect(home / "memoria.db", 5000)
    writer.execute("UPDATE embeddings SET vector = zeroblob(16)")  # behind its back
    writer.close()
    lived_in.embed(lived_in.add(), unit(1, 0, 0, 0))
    found = VectorIndex(connection, None, shared).nearest(where(), QUERY, 50)
    connection.close()
    assert [match.n for match in found] == lived_in.ns
    assert [match.score for match in found] == pytest.approx([1, 0.866, 0.707, 0.5], abs=1e-3)


def test_a_search_after_one_change_does_not_walk_what_is_unchanged(
    lived_in: Home, home: Path
) -> None:
    with lived_in.store.write(TENANT) as tx:
        ns = [index_of(tx).add("turn", None, "", "") for _ in range(1000)]
    with lived_in.store.write(TENANT) as tx:
        tx.backlog.add_vectors(MODEL, {n: unit(1, n, 0, 0) for n in ns})
    connection, shared = reader(home), VectorCache()
    ask(connection, shared)
    lived_in.embed(lived_in.ns[0], unit(1, 0, 0, 0))
    hundreds: list[int] = []
    connection.set_progress_handler(lambda: hundreds.append(1), 100)
    ask(connection, shared)
    connection.close()
    assert len(hundreds) < 5


@pytest.mark.parametrize("remembered", [9, 1])
def test_a_search_on_an_older_snapshot_finds_what_it_has_and_reads_only_what_was_changed_since(
    lived_in: Home, home: Path, monkeypatch: pytest.MonkeyPatch, remembered: int
) -> None:
    monkeypatch.setattr(cached, "_MOST_RECENT", remembered)
    older, newer, shared = reader(home), reader(home), VectorCache()
    older.execute("BEGIN")
    expected = ask(older, shared)
    lived_in.change("hide", expected[0])
    lived_in.embed(expected[1], unit(1, 0, 0, 0))
    lived_in.embed(lived_in.add(), unit(1, 1, 1, 1))
    assert ask(newer, shared) == [lived_in.ns[3], expected[2], expected[1]]
    read: list[str] = []
    older.set_trace_callback(read.append)
    assert ask(older, shared) == expected
    older.close()
    newer.close()
    reads_all = any("CROSS JOIN embeddings" in statement for statement in read)
    assert reads_all is (remembered == 1)  # as much was changed as is not known any more


def vectors_in(shared: VectorCache) -> set[bytes]:
    """Whatever lies in the memory of the matrices, in use or not, but zeros."""
    rows = (
        row.tobytes()
        for held in shared._held.values()  # noqa: SLF001
        for block in held.rows._blocks  # type: ignore[union-attr]  # noqa: SLF001
        for row in block
    )
    return set(rows) - {bytes(4 * DIMS)}


@pytest.mark.parametrize("which", [0, 1, 2])
@pytest.mark.parametrize("how", ["erase", "forget the vector"])
def test_what_another_process_erased_leaves_memory_though_nobody_asks(
    lived_in: Home, home: Path, open_store: OpenStore, which: int, how: str
) -> None:
    other = open_store(home)
    shared, connection = other._connections.cache, reader(home)  # noqa: SLF001
    ask(connection, shared)
    connection.close()
    assert len(vectors_in(shared)) == 3
    erased = unit(*[(1, 1, 1, 1), (1, 1, 1, 0), (1, 1, 0, 0)][which]).tobytes()
    lived_in.change(how, lived_in.ns[which])
    with other.backlog(write=False) as backlog:  # as the embedding worker does now and then
        backlog.next_due_at(0, 5)
    assert len(vectors_in(shared)) == 2
    assert erased not in vectors_in(shared)


def test_many_vectors_are_held_from_the_second_question_on(store: SqliteStore) -> None:
    home = Home(store)
    with store.write(TENANT) as tx:
        ns = [index_of(tx).add("turn", None, "", "") for _ in range(FEW + 1)]

    def held_after_asking() -> int:
        with store.read(TENANT) as tx:
            assert len(tx.documents.nearest("turn", MODEL, QUERY, Filters(), 10)) == 10
        return store._connections.cache.nbytes  # noqa: SLF001

    with store.write(TENANT) as tx:
        tx.backlog.add_vectors(MODEL, {n: unit(1, n, 0, 0) for n in ns[:FEW]})
    assert [held_after_asking() for _ in range(3)] == [0, 0, 0]
    home.embed(ns[FEW], unit(1, 1, 1, 1))
    assert [held_after_asking() > 0 for _ in range(3)] == [False, True, True]


def test_matrices_stay_within_their_bound_and_those_unused_longest_go(
    store: SqliteStore, home: Path
) -> None:
    Home(store)
    for tenant in ("ann", "bob", "eve"):
        with store.write(tenant) as tx:
            n = index_of(tx).add("turn", None, "", "")
            tx.backlog.add_vectors(MODEL, {n: unit(1, 1, 1, 1)})
    connection, one = reader(home), VectorCache()
    ask(connection, one)
    two = VectorCache(most_bytes=2 * one.nbytes)
    for number in (1, 2, 1, 3):
        assert len(ask(connection, two, number)) == 1
    connection.close()
    assert [key[1] for key in two._held] == [1, 3]  # noqa: SLF001
    assert two.nbytes == 2 * one.nbytes


def test_a_damaged_vector_is_named_and_once_mended_all_is_well(lived_in: Home, home: Path) -> None:
    quick, slow, shared = reader(home), reader(home), VectorCache()
    slow.execute("BEGIN")
    before = list(lived_in.ns)
    assert ask(slow, shared) == before
    for _ in range(2):
        lived_in.embed(lived_in.add(), unit(1, 0, 0, 0))
    writer = connect(home / "memoria.db", 5000)
    damage = "UPDATE embeddings SET vector = ? WHERE document_n = ?"
    writer.execute(damage, (b"1234", lived_in.ns[-1]))
    with pytest.raises(EmbedderError, match=f"document {lived_in.ns[-1]} is damaged"):
        ask(quick, shared)
    assert ask(slow, shared) == before
    writer.execute(damage, (unit(1, 0, 0, 0).tobytes(), lived_in.ns[-1]))
    assert ask(quick, shared) == lived_in.ns
    for opened in (writer, quick, slow):
        opened.close()


def test_threads_that_share_a_matrix_each_see_their_own_snapshot(
    lived_in: Home, home: Path
) -> None:
    shared, wrong = VectorCache(), []
    done = threading.Event()

    def search() -> None:
        connection = reader(home)
        while not done.is_set():
            connection.execute("BEGIN")
            expected = truth(connection)
            found = answers(connection, VectorIndex(connection, None, shared))
            connection.execute("COMMIT")
            if expected != scores(found):
                wrong.append((expected, found))
        connection.close()

    threads = [threading.Thread(target=search) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(30):
        lived_in.embed(lived_in.add(), unit(i, 1, 2, 3))
        lived_in.change("hide" if i % 3 else "erase", lived_in.ns[i % len(lived_in.ns)])
    done.set()
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert wrong == []


def test_a_question_finds_the_same_to_the_last_bit_whichever_way_it_is_answered(
    store: SqliteStore,
) -> None:
    Home(store)
    with store.write(TENANT) as tx:
        ns = [index_of(tx).add("turn", None, "", "") for _ in range(FEW + 1)]
        tx.backlog.add_vectors(MODEL, {n: unit(1, n % 7, n % 5, n % 3) for n in ns})

    def ask_again() -> list[Match]:
        with store.read(TENANT) as tx:
            return tx.documents.nearest("turn", MODEL, QUERY, Filters(), 2 * FEW)

    by_scan, *by_matrix = (ask_again() for _ in range(3))
    assert store._connections.cache.nbytes  # noqa: SLF001
    assert by_matrix == [by_scan, by_scan]


def score_anew(matrix: Matrix, vector: Vector) -> bytes:
    """What scores of all rows would be if nothing were kept."""
    parts = matrix._list_parts()  # noqa: SLF001
    return b"".join(np.vecdot(rows, vector).tobytes() for _, rows in parts)


@given(st.integers(0, 3000), st.lists(st.integers(0, 3200), max_size=60), st.integers(0, 2**32 - 1))
@settings(max_examples=25, deadline=None)
def test_scores_that_are_kept_are_those_that_a_question_asked_first_would_get(
    rows: int, changed: list[int], seed: int
) -> None:
    random = np.random.default_rng(seed)
    vectors = [random.standard_normal(32, np.float32) for _ in range(6)]
    matrix = Matrix(32)
    for n in range(rows):
        matrix.put(n, "seen", random.standard_normal(32, np.float32).tobytes())
    for place, n in enumerate(changed):
        kept = matrix.score(vectors[place % len(vectors)]).tobytes()
        assert kept == score_anew(matrix, vectors[place % len(vectors)])
        if place % 3:
            matrix.put(n, "seen", random.standard_normal(32, np.float32).tobytes())
        else:
            matrix.drop(n)
    for vector in vectors:
        assert matrix.score(vector).tobytes() == score_anew(matrix, vector)
    assert len(matrix._asked) <= 4  # noqa: SLF001
    matrix.keep_only(changed)
    assert not matrix._asked  # noqa: SLF001  (something was erased: no trace of a question stays)
