"""Both ways of finding nearest neighbours give the exact ones, filtered or not."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoria.model import Vector
from memoria.store.sqlite.driver import Connection, connect, load_vectors
from memoria.store.sqlite.migrate import migrate
from memoria.store.sqlite.standing import Standing
from memoria.store.sqlite.vectors import Drift, ExactScan, Neighbourhood, Vec0Index

DIMS = 4
MODELS = (1, 2)
KINDS = ("turn", "memory")


@dataclass(frozen=True)
class Row:
    """A document with its vector, of direction only."""

    tenant: int
    kind: str
    model: int
    current: bool
    direction: tuple[int, ...]

    @property
    def vector(self) -> Vector:
        return unit(self.direction)


def scope(tenant: int, kind: str) -> str:
    return Standing(kind, tenant).token


TURNS = (scope(1, "turn"),)


def unit(direction: tuple[int, ...]) -> Vector:
    vector = np.array(direction, np.float32)
    return vector / np.float32(np.linalg.norm(vector))


DIRECTIONS = st.tuples(*[st.integers(-4, 4)] * DIMS).filter(any)
ROWS = st.lists(
    st.builds(
        Row,
        tenant=st.sampled_from([1, 2]),
        kind=st.sampled_from(KINDS),
        model=st.sampled_from(MODELS),
        current=st.booleans(),
        direction=DIRECTIONS,
    ),
    max_size=100,
)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    opened = connect(tmp_path_factory.mktemp("home") / "memoria.db", 5000)
    if not load_vectors(opened):
        pytest.skip("this SQLite loads no extensions")
    migrate(opened)
    for n in (1, 2):
        opened.execute("INSERT INTO tenants VALUES (?, ?, 0)", (n, f"tenant {n}"))
        opened.execute("INSERT INTO embedding_models VALUES (?, ?, ?)", (n, f"model {n}", DIMS))
    yield opened
    opened.close()


def fill(connection: Connection, rows: list[Row]) -> None:
    """Write documents 1, 2, … with their vectors; what is not current was so once."""
    index = Vec0Index(connection)
    connection.execute("BEGIN")
    for model in index.indexed():
        connection.execute(f"DELETE FROM vectors_{model}")  # noqa: S608
    connection.execute("DELETE FROM documents")
    for n, row in enumerate(rows, 1):
        connection.execute(
            "INSERT INTO documents (n, tenant_id, kind) VALUES (?, ?, ?)", (n, row.tenant, row.kind)
        )
        data = row.vector.tobytes()
        connection.execute("INSERT INTO embeddings VALUES (?, ?, ?)", (row.model, n, data))
        index.add(row.model, DIMS, [(n, scope(row.tenant, row.kind), data)])
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
    st.none() | st.sets(st.integers(1, 100)),
    st.integers(1, 120),
)
def test_both_indexes_give_the_nearest_current_documents_that_pass(
    connection: Connection,
    rows: list[Row],
    query: tuple[int, ...],
    model: int,
    kind: str,
    allowed: set[int] | None,
    limit: int,
) -> None:
    fill(connection, rows)
    truth = {
        n: float(row.vector @ unit(query))
        for n, row in enumerate(rows, 1)
        if (row.tenant, row.kind, row.model, row.current) == (1, kind, model, True)
        and (allowed is None or n in allowed)
    }
    best = sorted(truth.values(), reverse=True)[:limit]
    for index in (Vec0Index(connection), ExactScan(connection)):
        found = index.nearest(
            Neighbourhood(model, 1, (scope(1, kind),), allowed), unit(query), limit
        )
        assert [match.score for match in found] == pytest.approx(best, abs=1e-5)
        assert len({match.n for match in found}) == len(found)
        for match in found:
            assert match.score == pytest.approx(truth[match.n], abs=1e-5)


def test_a_vector_made_anew_replaces_the_old_one(connection: Connection) -> None:
    fill(connection, [Row(1, "turn", 1, current=True, direction=(1, 0, 0, 0))])
    index = Vec0Index(connection)
    index.add(1, DIMS, [(1, TURNS[0], unit((0, 1, 0, 0)).tobytes())])
    (match,) = index.nearest(Neighbourhood(1, 1, TURNS), unit((0, 1, 0, 0)), 10)
    assert match.n == 1
    assert match.score == pytest.approx(1)
    assert index.drift(1) == Drift(1, missing=0, extra=0)


def test_a_model_without_an_index_has_no_neighbours(connection: Connection) -> None:
    for index in (Vec0Index(connection), ExactScan(connection)):
        assert index.nearest(Neighbourhood(99, 1, TURNS), unit((1, 0, 0, 0)), 10) == []


def test_an_index_built_anew_from_the_truth_is_the_same(connection: Connection) -> None:
    directions = [(i % 7 - 3, i % 5, 1, i % 3) for i in range(200)]
    fill(connection, [Row(1, "turn", 1, i % 9 != 0, d) for i, d in enumerate(directions)])
    index = Vec0Index(connection)
    query = unit((1, 2, 3, 4))
    before = {m.n: m.score for m in index.nearest(Neighbourhood(1, 1, TURNS), query, 1000)}
    index.catch_up(1, DIMS)
    assert index.drift(1) == Drift(len(before), missing=0, extra=0)
    after = {m.n: m.score for m in index.nearest(Neighbourhood(1, 1, TURNS), query, 1000)}
    assert after == pytest.approx(before)


def test_a_hundred_tenants_stay_small(tmp_path: Path) -> None:
    opened = connect(tmp_path / "memoria.db", 5000)
    if not load_vectors(opened):
        pytest.skip("this SQLite loads no extensions")
    migrate(opened)
    rng = np.random.default_rng(7)
    rows = [
        (tenant, scope(tenant, "memory"), rng.standard_normal(512, np.float32).tobytes())
        for tenant in range(100)
    ]
    Vec0Index(opened).add(1, 512, rows)
    pages = opened.execute("PRAGMA page_count").fetchone()[0]
    size = pages * opened.execute("PRAGMA page_size").fetchone()[0]
    opened.close()
    assert size < 20_000_000
