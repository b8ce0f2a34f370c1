"""Very many vectors: codes find the candidates, and the truth decides among them."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.store.insides import index_of

from memoria.errors import EmbedderError
from memoria.model import Vector
from memoria.store.image.candidate_filter import CandidateFilter
from memoria.store.image.visibility import Visibility
from memoria.store.sql.statements import TenantRows
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import SqliteConnection, connect
from memoria.store.values import Filters, Match
from memoria.store.vectors import VectorCache, VectorIndex, VectorQuery, compressed

pytestmark = pytest.mark.sqlite("opens connections to the file")

pytest.importorskip("faiss", reason="codes need memoria-server[fast]")

OpenStore = Callable[[Path], SqliteStore]
DIMS = 32
DOCUMENTS = 2000
MODEL = "random/32"
WHERE = VectorQuery(1, 1, "turn", (Visibility("turn", 1).token,))
LIMIT = 50


def vectors(many: int, seed: int = 0) -> list[Vector]:
    """Vectors of some three hundred topics, as texts have them."""
    rng = np.random.default_rng(seed)
    topics = np.random.default_rng(9).standard_normal((many // 10 + 1, DIMS))
    rows = topics[rng.integers(0, len(topics), many)] + rng.standard_normal((many, DIMS)) / 2
    return list((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32))


class Crowd:
    """A home with many turns, and what a process holds of them."""

    def __init__(self, home: Path, store: SqliteStore) -> None:
        self.store = store
        self.open = partial(connect, home / "memoria.db", 5000, read_only=True)
        self.shared = VectorCache(many=DOCUMENTS // 2, connect=self.open)
        self.connection: SqliteConnection = self.open()
        with store.backlog(write=True) as backlog:
            backlog.choose_model(MODEL)
        self.ns = self.add(vectors(DOCUMENTS))

    def add(self, given: list[Vector]) -> list[int]:
        with self.store.write("ann") as tx:
            ns = [index_of(tx).add("turn", None, "words", "") for _ in given]
        self.embed(dict(zip(ns, given, strict=True)))
        return ns

    def embed(self, given: dict[int, Vector]) -> None:
        with self.store.write("ann") as tx:
            tx.backlog.add_vectors(MODEL, given)

    def nearest(self, vector: Vector, where: VectorQuery = WHERE) -> list[Match]:
        return VectorIndex(self.connection, None, self.shared).nearest(where, vector, LIMIT)

    def exactly(self, vector: Vector, where: VectorQuery = WHERE) -> list[Match]:
        return VectorIndex(self.connection, None, None).nearest(where, vector, LIMIT)


@pytest.fixture
def crowd(home: Path, store: SqliteStore) -> Iterator[Crowd]:
    crowd = Crowd(home, store)
    yield crowd
    crowd.shared.clear()
    crowd.connection.close()


def recall(crowd: Crowd, where: VectorQuery = WHERE) -> float:
    """The share of the truly nearest that are found, over ten questions."""
    found, wanted = 0, 0
    for question in vectors(10, seed=1):
        exact = {match.n: match.score for match in crowd.exactly(question, where)}
        for n, score in crowd.nearest(question, where):
            assert n not in exact or score == pytest.approx(exact[n], abs=1e-6)
            found += n in exact
        wanted += len(exact)
    return found / wanted


def codes_of(crowd: Crowd) -> int:
    """The bytes a vector takes in memory."""
    return crowd.shared.nbytes // DOCUMENTS


def test_codes_find_what_an_exact_search_finds_and_take_a_fraction_of_the_memory(
    crowd: Crowd,
) -> None:
    assert recall(crowd) >= 0.99
    assert codes_of(crowd) < DIMS * 4 / 3


def test_few_that_pass_a_filter_are_all_found(crowd: Crowd) -> None:
    for few in (crowd.ns[::100], crowd.ns[::2]):
        where = VectorQuery(1, 1, "turn", WHERE.scopes, frozenset(few))
        assert recall(crowd, where) >= 0.99


def test_what_codes_or_a_matrix_find_is_held_against_filters(crowd: Crowd) -> None:
    with crowd.store.write("ann") as tx:
        for n in crowd.ns[::2]:
            index_of(tx).set_current(n, current=False)
    shown = CandidateFilter(TenantRows(crowd.connection, 1, "documents"), ["turn"], Filters(), None)
    where = VectorQuery(1, 1, "turn", WHERE.scopes, None, shown)
    assert recall(crowd, where) >= 0.99
    matrix = VectorIndex(crowd.connection, None, VectorCache())
    for question in vectors(3, seed=1):
        assert matrix.nearest(where, question, LIMIT) == crowd.exactly(question)


@pytest.mark.parametrize("uncoded", [0, 32])
def test_codes_follow_what_is_written_hidden_shown_and_erased(
    crowd: Crowd, uncoded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "_MOST_UNCODED", uncoded)
    crowd.nearest(vectors(1)[0])
    new = vectors(1, seed=5)[0]
    (n,) = crowd.add([new])
    assert crowd.nearest(new)[0].n == n
    for shown in (False, True):
        with crowd.store.write("ann") as tx:
            index_of(tx).set_current(n, current=shown)
        assert (crowd.nearest(new)[0].n == n) is shown
    other = vectors(1, seed=6)[0]
    crowd.embed({n: other})
    assert crowd.nearest(other)[0].n == n
    assert crowd.nearest(other)[0].score == pytest.approx(1)
    assert n not in [match.n for match in crowd.nearest(new) if match.score > 0.99]
    with crowd.store.write("ann") as tx:
        index_of(tx).erase(n)
    assert n not in [match.n for match in crowd.nearest(other)]
    assert recall(crowd) >= 0.99


def test_what_is_new_is_found_before_it_has_a_code_and_is_coded_with_others(crowd: Crowd) -> None:
    crowd.nearest(vectors(1)[0])
    held = crowd.shared._held[1, 1, "turn"].rows  # noqa: SLF001
    assert isinstance(held, compressed.CompressedVectors)
    new = vectors(40, seed=5)
    for given, coded in ((new[:20], 0), (new[20:], 40)):
        ns = crowd.add(given)
        for n, vector in zip(ns, given, strict=True):
            assert (n, 1) in [(match.n, round(match.score, 5)) for match in crowd.nearest(vector)]
            few = VectorQuery(1, 1, "turn", WHERE.scopes, frozenset(crowd.ns[:5]))
            assert n not in [match.n for match in crowd.nearest(vector, few)]
        assert held._index.ntotal == DOCUMENTS + coded  # noqa: SLF001


def test_what_was_erased_leaves_the_codes_though_nobody_asks(crowd: Crowd) -> None:
    crowd.nearest(vectors(1)[0])
    held = crowd.shared._held[1, 1, "turn"].rows  # noqa: SLF001
    with crowd.store.write("ann") as tx:
        for n in crowd.ns[:10]:
            index_of(tx).erase(n)
    crowd.shared.drop_erased(crowd.connection)
    assert len(held) == held._index.ntotal == DOCUMENTS - 10  # type: ignore[union-attr]  # noqa: SLF001


def test_a_search_reads_the_vectors_of_its_candidates_alone(crowd: Crowd) -> None:
    question = vectors(1, seed=2)[0]
    crowd.nearest(question)
    hundreds: list[int] = []
    crowd.connection.set_progress_handler(lambda: hundreds.append(1), 100)
    crowd.nearest(question)
    crowd.connection.set_progress_handler(None, 0)
    assert len(hundreds) < LIMIT  # a hundred steps for each that is wanted, at the most


def test_while_codes_are_learnt_the_file_answers(home: Path, open_store: OpenStore) -> None:
    store = open_store(home)
    crowd = Crowd(home, store)
    store._connections.cache = crowd.shared  # noqa: SLF001
    question = vectors(1, seed=3)[0]
    with store.read("ann") as tx:
        answers = [tx.documents.nearest("turn", MODEL, question, Filters(), 5) for _ in range(3)]
    crowd.shared.wait(WHERE)
    with store.read("ann") as tx:
        answers.append(tx.documents.nearest("turn", MODEL, question, Filters(), 5))
    assert len({tuple(match.n for match in answer) for answer in answers}) == 1
    crowd.shared.clear()
    crowd.connection.close()


def test_a_matrix_that_grows_too_large_gives_way_to_codes(crowd: Crowd) -> None:
    crowd.shared.clear()
    crowd.shared = VectorCache(many=DOCUMENTS, connect=crowd.open)
    question = vectors(1, seed=4)[0]
    crowd.nearest(question)
    matrix = crowd.shared.nbytes
    crowd.add(vectors(100, seed=7))
    assert crowd.nearest(question) == crowd.nearest(question)
    crowd.shared.wait(WHERE)
    exact = [match.n for match in crowd.exactly(question)]
    assert [match.n for match in crowd.nearest(question)] == exact
    assert crowd.shared.nbytes < matrix / 2


def test_a_damaged_vector_is_named_by_the_next_search(crowd: Crowd, home: Path) -> None:
    with closing(connect(home / "memoria.db", 5000)) as writer:
        damage = "UPDATE embeddings SET vector = ? WHERE document_n = ?"
        writer.execute(damage, (b"1234", crowd.ns[7]))
    with pytest.raises(EmbedderError, match=f"document {crowd.ns[7]} is damaged"):
        crowd.nearest(vectors(1)[0])
