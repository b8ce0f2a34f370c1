"""What a process holds of the vectors in memory is what the file says, and no more."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.insides import index_of
from tests.store.vector_home import MODEL, QUERY, TENANT, VectorHome, unit

from memoria.errors import EmbedderError
from memoria.model import Vector
from memoria.store.image.visibility import Visibility
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import SqliteConnection, connect
from memoria.store.sqlite.vec0 import load_vectors
from memoria.store.values import DocumentKind
from memoria.store.vectors import VectorCache, VectorIndex, VectorQuery, cached
from memoria.store.vectors.matrix import Matrix

pytestmark = pytest.mark.sqlite("opens connections to the file")


def reader(home: Path) -> SqliteConnection:
    connection = connect(home / "memoria.db", 5000, read_only=True)
    load_vectors(connection)
    return connection


def where(n_tenant: int = 1, kind: DocumentKind = "turn") -> VectorQuery:
    return VectorQuery(1, n_tenant, kind, (Visibility(kind, n_tenant).token,))


def ask(connection: SqliteConnection, shared: VectorCache, n_tenant: int = 1) -> list[int]:
    """The numbers of the nearest turns, by a matrix."""
    found = VectorIndex(connection, None, shared).nearest(where(n_tenant), QUERY, 50)
    return [match.n for match in found]


@pytest.fixture
def lived_in(store: SqliteStore) -> VectorHome:
    """A home with three turns, the first the nearest."""
    lived = VectorHome(store)
    for direction in [(1, 1, 1, 1), (1, 1, 1, 0), (1, 1, 0, 0)]:
        lived.embed(lived.add(), unit(*direction))
    return lived


def test_a_search_on_an_unchanged_store_reads_no_vector_again(
    lived_in: VectorHome, home: Path
) -> None:
    connection, shared = reader(home), VectorCache()
    assert ask(connection, shared) == lived_in.ns
    read: list[str] = []
    connection.set_trace_callback(read.append)
    assert ask(connection, shared) == lived_in.ns
    connection.close()
    assert not [statement for statement in read if "embeddings" in statement]


def test_a_search_reads_only_the_vectors_that_changed(lived_in: VectorHome, home: Path) -> None:
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
    lived_in: VectorHome, home: Path
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
    lived_in: VectorHome, home: Path, monkeypatch: pytest.MonkeyPatch, remembered: int
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


def test_matrices_stay_within_their_bound_and_those_unused_longest_go(
    store: SqliteStore, home: Path
) -> None:
    VectorHome(store)
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


def test_a_damaged_vector_is_named_and_once_mended_all_is_well(
    lived_in: VectorHome, home: Path
) -> None:
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
