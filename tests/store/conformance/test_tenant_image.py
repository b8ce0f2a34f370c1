"""What a process knows of a tenant is of one state of the file, and is forgotten as one."""

import gc
import random
from types import FunctionType, ModuleType

import numpy as np
import pytest
from tests.store.conformance.test_matching import WORDS, change
from tests.store.conformance.test_turn_columns import make_turn
from tests.store.insides import TOY_MODEL, connection_of, embed, image_of, images_of, index_of

from memoria.model import Role, Vector
from memoria.store.engine import Store
from memoria.store.image.tenant_image import ImageColumn
from memoria.store.image.visibility_columns import VisibilityColumns
from memoria.store.rows import matching
from memoria.store.rows.documents import Documents
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite.vec0 import Vec0Index
from memoria.store.values import Filters
from memoria.store.vectors import VectorIndex

pytestmark = pytest.mark.usefixtures("toy_model")
MARKS = ("zanzibar", "quentin")
"""A word that one turn alone has, and who said it."""
VECTOR: Vector = np.array([0.6, 0.8, 0, 0], np.float32)
EVERYTHING = 10_000


def say(store: Store, *texts: str) -> list[int]:
    """Turns of which one alone has the marks: the first."""
    rng = random.Random(1)  # noqa: S311  (nothing here is secret)
    with store.write("ann") as tx:
        session_n = tx.conversations.upsert_session("test", "a", 1, 1, 1).n
        turns = [
            make_turn(rng, session_n, place, 1)._replace(
                content=text, speaker="Ann" if place else "Quentin", role=Role.USER
            )
            for place, text in enumerate(texts)
        ]
        ns = [tx.conversations.add_turn(turn) for turn in turns]
        other = np.array([0, 1, 0, 0], np.float32)
        tx.backlog.add_vectors(TOY_MODEL, {**dict.fromkeys(ns, other), ns[0]: VECTOR})
    return ns


def search(tx: Transaction, ns: list[int]) -> None:
    """Ask for all that a search asks for."""
    for terms in (["zanzibar", "rope"], ["zanzibar isle"]):  # words, and what is none
        tx.documents.match(["turn"], terms, Filters(), 5)
        tx.documents.frequencies(["turn"], terms, Filters())
    tx.documents.index_tokens(ns, EVERYTHING)
    tx.documents.nearest("turn", TOY_MODEL, VECTOR, Filters(), 5)
    tx.turn_columns.surroundings(ns, (), include_processed=True)


def list_remains(store: Store) -> set[str]:
    """What is left of the marks, and of their turn's vector, wherever a store leads."""
    left: list[object] = [store]
    met: dict[int, object] = {}
    found: set[str] = set()
    while left:
        each = left.pop()
        if id(each) in met or isinstance(each, type | ModuleType | FunctionType):
            continue
        met[id(each)] = each
        left += gc.get_referents(each)
        if isinstance(each, np.ndarray) and VECTOR.tobytes() in each.tobytes():
            found.add("vector")
        if isinstance(each, str | bytes):
            text = str(each).lower()
            found.update(mark for mark in MARKS if mark in text)
    return found


@pytest.mark.sqlite("what the process keeps for FTS5")
def test_nothing_that_was_erased_is_left_in_any_column_though_nobody_asks(store: Store) -> None:
    ns = say(store, "Zanzibar", *["rope"] * Vec0Index.few)
    for _ in range(3):  # what is large is kept from the second question on
        with store.read("ann") as tx:
            search(tx, ns)
    kinds = {type(column) for column in image_of(store).columns}
    assert kinds == {*ImageColumn.__subclasses__(), *list_further(ImageColumn.__subclasses__())}
    assert list_remains(store) == {*MARKS, "vector"}
    with store.write("ann") as tx:
        tx.conversations.erase_turn(tx.conversations.turns(ns)[ns[0]])
    with store.backlog(write=False):  # as the embedding worker does now and then
        pass
    assert list_remains(store) == set()
    with store.read("ann") as tx:
        search(tx, ns[1:])
    with store.backlog(write=False):
        assert {type(column) for column in image_of(store).columns} == kinds


def list_further(kinds: list[type[ImageColumn]]) -> list[type[ImageColumn]]:
    return [further for kind in kinds for further in kind.__subclasses__()]


def test_what_an_older_snapshot_reads_after_an_erasure_does_not_stay_either(store: Store) -> None:
    ns = say(store, "Zanzibar", "rope")
    with store.read("ann") as older:
        with store.write("ann") as tx:
            tx.conversations.erase_turn(tx.conversations.turns(ns)[ns[0]])
        with store.backlog(write=False):
            pass
        search(older, ns)
    assert list_remains(store) == {*MARKS}
    with store.backlog(write=False):
        pass
    assert list_remains(store) == set()


def test_an_error_of_the_file_leaves_an_image_as_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ns = say(store, "ferry", "rope")
    with store.read("ann") as tx:
        expected = tx.documents.index_tokens(ns, EVERYTHING)
    say_more(store)
    with monkeypatch.context() as patched, store.read("ann") as tx:
        patched.setattr("memoria.store.image.tenant_image._read_few", fail)
        with pytest.raises(OSError, match="no more files"):
            tx.documents.index_tokens(ns, EVERYTHING)
    with store.read("ann") as tx:
        assert tx.documents.index_tokens(ns, EVERYTHING) == expected


def fail(*_: object) -> None:
    raise OSError("no more files")


def say_more(store: Store) -> None:
    with store.write("ann") as tx:
        n = index_of(tx).add("turn", None, "anchor", "")
        tx.backlog.add_vectors(TOY_MODEL, {n: VECTOR})


@pytest.mark.sqlite("what the process keeps for FTS5")
def test_what_is_read_beside_searches_that_follow_newer_states_is_brought_up_to_these(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "BUDGET", 5)
    ns = say(store, *["anchor"] * 3, *["rope"] * 6)
    read_all = VisibilityColumns.read_all

    def read_and_wait(self: VisibilityColumns, *given: object) -> None:
        read_all(self, *given)  # type: ignore[arg-type]
        with store.write("ann") as tx:
            index_of(tx).set_current(ns[0], current=False)
        match(store)

    def match(store: Store) -> int:
        with store.read("ann") as tx:
            return len(tx.documents.match(["turn"], ["anchor"], Filters(), 99))

    monkeypatch.setattr(VisibilityColumns, "read_all", read_and_wait)
    assert [match(store) for _ in range(2)] == [3, 3]
    images = images_of(store)
    images.wait()
    with image_of(store).lock:
        assert image_of(store).is_whole
    assert match(store) == 2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sqlite("what the process keeps for FTS5")
def test_each_snapshot_is_told_what_stands_in_it_whatever_newer_ones_have_followed(
    store: Store, seed: int
) -> None:
    rng = random.Random(seed)  # noqa: S311
    with store.write("ann") as tx:
        known = [index_of(tx).add("turn", None, "ferry rope", "ann") for _ in range(20)]
    embed(store, known)
    for step in range(20):
        with store.read("ann") as older:
            if step % 2:
                assert_told_as_by_the_file(older)
            with store.write("ann") as tx:
                change(tx, known, rng)
            with store.read("ann") as newer:
                assert_told_as_by_the_file(newer)
                assert_told_as_by_the_file(older)
                assert_told_as_by_the_file(newer)
        embed(store, known[-1:])


def assert_told_as_by_the_file(tx: Transaction) -> None:
    connection = connection_of(tx)
    apart = Documents(connection, 1, VectorIndex(connection, None, None))
    assert tell(tx.documents) == tell(apart)


def tell(documents: Documents) -> tuple[object, ...]:
    """What is told of a home's turns."""
    return (
        documents.match(["turn"], WORDS, Filters(), EVERYTHING),
        documents.frequencies(["turn"], WORDS, Filters()),
        documents.count_hidden(["turn"], WORDS[:1], Filters()),
        documents.index_tokens(documents.page("turn", 0, EVERYTHING), EVERYTHING),
    )
