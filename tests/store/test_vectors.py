"""Every way of finding nearest neighbours gives the exact ones, filtered or not."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoria.model import Vector
from memoria.store.image.visibility import Visibility
from memoria.store.sqlite.driver import SqliteConnection, connect
from memoria.store.sqlite.schema import migrate
from memoria.store.sqlite.vec0 import Vec0Index, load_vectors
from memoria.store.values import DocumentKind
from memoria.store.vectors import Drift, VectorCache, VectorIndex, VectorQuery

pytestmark = pytest.mark.sqlite("the index in the file")

DIMS = 4
MODELS = (1, 2)
KINDS: tuple[DocumentKind, ...] = ("turn", "memory")
PLACES = (None, 1, 2)


@dataclass(frozen=True)
class Row:
    """A document with its vector, of direction only."""

    tenant: int
    kind: DocumentKind
    model: int
    current: bool
    direction: tuple[int, ...]
    workspace: int | None = None
    barred: bool = False

    @property
    def vector(self) -> Vector:
        return unit(self.direction)

    @property
    def scope(self) -> str:
        return Visibility(self.kind, self.tenant, self.workspace, processed=self.barred).token


def turn(direction: tuple[int, ...], *, current: bool = True) -> Row:
    return Row(1, "turn", 1, current, direction)


def unit(direction: tuple[int, ...]) -> Vector:
    vector = np.array(direction, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


TURNS = VectorQuery(1, 1, "turn", (Visibility("turn", 1).token,))
DIRECTIONS = st.tuples(*[st.integers(-4, 4)] * DIMS).filter(any)
ROWS = st.lists(
    st.builds(
        Row,
        tenant=st.sampled_from([1, 2]),
        kind=st.sampled_from(KINDS),
        model=st.sampled_from(MODELS),
        current=st.booleans(),
        direction=DIRECTIONS,
        workspace=st.sampled_from(PLACES),
        barred=st.booleans(),
    ),
    max_size=100,
)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteConnection]:
    opened = connect(tmp_path_factory.mktemp("home") / "memoria.db", 5000)
    if not load_vectors(opened):
        pytest.skip("this SQLite loads no extensions")
    migrate(opened)
    for n in (1, 2):
        opened.execute(
            "INSERT INTO tenants (id, name, created_at) VALUES (?, ?, 0)", (n, f"tenant {n}")
        )
        opened.execute("INSERT INTO workspaces VALUES (?, 1, ?)", (n, f"workspace {n}"))
        opened.execute("INSERT INTO embedding_models VALUES (?, ?, ?)", (n, f"model {n}", DIMS))
    yield opened
    opened.close()


def ways(connection: SqliteConnection) -> tuple[VectorIndex, ...]:
    """In the file, in a matrix that is held, and in one read for this search alone."""
    return (
        VectorIndex(connection, Vec0Index(connection), None),
        VectorIndex(connection, None, VectorCache()),
        VectorIndex(connection, None, None),
    )


def fill(connection: SqliteConnection, rows: list[Row]) -> None:
    """Write documents 1, 2, … with their vectors; what is not current was so once."""
    index = Vec0Index(connection)
    connection.execute("BEGIN")
    for model in index.list_indexed():
        connection.execute(f"DELETE FROM vectors_{model}")  # noqa: S608
    connection.execute("DELETE FROM documents")
    for n, row in enumerate(rows, 1):
        connection.execute(
            "INSERT INTO documents (n, tenant_id, kind, workspace_n, suppressed, changed) "
            "VALUES (?, ?, ?, ?, ?, 1)",
            (n, row.tenant, row.kind, row.workspace, row.barred),
        )
        data = row.vector.tobytes()
        connection.execute("INSERT INTO embeddings VALUES (?, ?, ?)", (row.model, n, data))
        index.add(row.model, DIMS, [(n, row.scope, data)])
        if not row.current:
            connection.execute("UPDATE documents SET current = 0 WHERE n = ?", (n,))
            index.move(n)
    connection.execute("COMMIT")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    ROWS,
    DIRECTIONS,
    st.sampled_from(MODELS),
    st.sampled_from(KINDS),
    st.sets(st.sampled_from(PLACES), min_size=1),
    st.booleans(),
    st.none() | st.sets(st.integers(1, 100)),
    st.integers(1, 120),
)
def test_every_way_gives_the_nearest_current_documents_that_pass(
    connection: SqliteConnection,
    rows: list[Row],
    query: tuple[int, ...],
    model: int,
    kind: DocumentKind,
    places: set[int | None],
    barred: bool,
    allowed: set[int] | None,
    limit: int,
) -> None:
    fill(connection, rows)
    scopes = tuple(
        Visibility(kind, 1, place, processed=held).token
        for place in places
        for held in ((False, True) if barred else (False,))
    )
    truth = {
        n: float(row.vector @ unit(query))
        for n, row in enumerate(rows, 1)
        if (row.model, row.current) == (model, True)
        and row.scope in scopes
        and (allowed is None or n in allowed)
    }
    best = sorted(truth.values(), reverse=True)[:limit]
    for way in ways(connection):
        where = VectorQuery(model, 1, kind, scopes, allowed)
        found = way.nearest(where, unit(query), limit)
        assert [match.score for match in found] == pytest.approx(best, abs=1e-5)
        assert len({match.n for match in found}) == len(found)
        for match in found:
            assert match.score == pytest.approx(truth[match.n], abs=1e-5)


def test_a_vector_made_anew_replaces_the_old_one(connection: SqliteConnection) -> None:
    fill(connection, [turn((1, 0, 0, 0))])
    index = Vec0Index(connection)
    anew = unit((0, 1, 0, 0)).tobytes()
    connection.execute("UPDATE embeddings SET vector = ? WHERE document_n = 1", (anew,))
    index.add(1, DIMS, [(1, TURNS.scopes[0], anew)])
    (match,) = index.nearest(TURNS, unit((0, 1, 0, 0)), 10)
    assert match.n == 1
    assert match.score == pytest.approx(1)
    assert index.drift(1) == Drift(1, missing=0, extra=0)


def test_a_model_without_an_index_has_no_neighbours(connection: SqliteConnection) -> None:
    elsewhere = VectorQuery(99, 1, "turn", TURNS.scopes)
    for way in ways(connection):
        assert way.nearest(elsewhere, unit((1, 0, 0, 0)), 10) == []


def test_an_index_built_anew_from_the_truth_is_the_same(connection: SqliteConnection) -> None:
    directions = [(i % 7 - 3, i % 5, 1, i % 3) for i in range(200)]
    fill(connection, [turn(d, current=i % 9 != 0) for i, d in enumerate(directions)])
    index = Vec0Index(connection)
    query = unit((1, 2, 3, 4))
    before = {m.n: m.score for m in index.nearest(TURNS, query, 1000)}
    index.catch_up(1, DIMS)
    assert index.drift(1) == Drift(len(before), missing=0, extra=0)
    after = {m.n: m.score for m in index.nearest(TURNS, query, 1000)}
    assert after == pytest.approx(before)


def test_what_a_process_without_the_extension_hid_is_not_found_in_the_file(
    connection: SqliteConnection,
) -> None:
    fill(connection, [turn((1, 0, 0, 0)), turn((0, 1, 0, 0))])
    connection.execute("UPDATE documents SET current = 0 WHERE n = 1")
    for way in ways(connection):
        assert [match.n for match in way.nearest(TURNS, unit((1, 1, 0, 0)), 10)] == [2]


def test_of_equally_near_documents_the_oldest_come_first(connection: SqliteConnection) -> None:
    fill(connection, [turn((1, i // 50, 0, 0)) for i in range(100)])
    _, *in_memory = ways(connection)
    for way in in_memory:
        found = way.nearest(TURNS, unit((1, 0, 0, 0)), 10)
        assert [match.n for match in found] == list(range(1, 11))


def test_packing_the_file_changes_no_answer(connection: SqliteConnection) -> None:
    directions = [(i % 7 - 3, i % 5, 1, i % 3) for i in range(300)]
    fill(connection, [turn(d, current=not 64 < i < 200) for i, d in enumerate(directions)])
    query = unit((1, 2, 3, 4))
    before = [way.nearest(TURNS, query, 1000) for way in ways(connection)]
    connection.execute("VACUUM")
    assert [way.nearest(TURNS, query, 1000) for way in ways(connection)] == before


def test_a_hundred_tenants_stay_small(tmp_path: Path) -> None:
    opened = connect(tmp_path / "memoria.db", 5000)
    if not load_vectors(opened):
        pytest.skip("this SQLite loads no extensions")
    migrate(opened)
    rng = np.random.default_rng(7)
    rows = [
        (tenant, Visibility("memory", tenant).token, rng.standard_normal(512, np.float32).tobytes())
        for tenant in range(100)
    ]
    Vec0Index(opened).add(1, 512, rows)
    pages = opened.execute("PRAGMA page_count").fetchone()[0]
    size = pages * opened.execute("PRAGMA page_size").fetchone()[0]
    opened.close()
    assert size < 20_000_000
