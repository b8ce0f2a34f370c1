"""In a large home, too, lists of words tell what the full-text index tells."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.store.conformance.test_matching import KINDS, QUESTIONS, change, say
from tests.store.insides import embed, images_of, index_of

from memoria.model import Role
from memoria.store.engine import Store
from memoria.store.image.tenant_images import TenantImages
from memoria.store.image.tenants import StoreTenant
from memoria.store.image.visibility_columns import VisibilityColumns
from memoria.store.rows import matching
from memoria.store.rows.postings import Postings
from memoria.store.rows.word_lists import WordLists
from memoria.store.sqlite.driver import SqliteConnection, connect
from memoria.store.values import Filters, Match

pytestmark = [
    pytest.mark.usefixtures("toy_model"),
    pytest.mark.sqlite("keeps lists of words in memory"),
]
BUDGET = 25
RARE = ("anchor", "beacon", "cabin", "davit", "eddy", "fender")
"""Each stands in a sixth of the documents."""
NARROW = (Filters(include_history=True, since=1), Filters(roles=(Role.USER,)))


@pytest.fixture(autouse=True)
def homes_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Homes have a few more documents than are read for a question."""
    monkeypatch.setattr(matching, "BUDGET", BUDGET)


def fill(store: Store, rng: random.Random) -> list[int]:
    known: list[int] = []
    with store.write("ann") as tx:
        for i in range(3 * BUDGET):
            kind = KINDS[0][i % 2]
            known.append(index_of(tx).add(kind, None, f"{say(rng)} {rng.choice(RARE)}", "ann"))
    embed(store, known)
    return known


def find(store: Store) -> list[list[Match]]:
    """What is found of rare words; the documents are all read before, if they were not."""
    found: list[list[Match]] = []
    for _ in range(3):  # read from the second time on, and known the third
        images_of(store).wait()
        with store.read("ann") as tx:
            found = [
                tx.documents.match(kinds, RARE[:many], filters, limit)
                for kinds in (*KINDS, ("memory",))
                for filters in (*QUESTIONS, *NARROW)
                for many in (1, 2)
                for limit in (2, 50)
            ]
    return found


def agree(store: Store, monkeypatch: pytest.MonkeyPatch) -> bool:
    told = find(store)
    with monkeypatch.context() as patched:
        patched.setattr(WordLists, "can_rank", lambda _self, _terms: False)
        return told == find(store)


def note(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[object]:
    """What a method is called with from now on."""
    called: list[object] = []
    method: Callable[..., object] = getattr(owner, name)

    def noted(self: object, *given: object) -> object:
        called.append(given[-1])
        return method(self, *given)

    monkeypatch.setattr(owner, name, noted)
    return called


@pytest.mark.parametrize("seed", range(3))
def test_the_lists_of_a_large_home_follow_whatever_becomes_of_documents(
    store: Store, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)  # noqa: S311  (nothing here is secret)
    known = fill(store, rng)
    ranked = note(monkeypatch, Postings, "rank")
    for step in range(12):
        assert agree(store, monkeypatch), step
        with store.write("ann") as tx:
            change(tx, known, rng)
        if seed:
            with store.write("bob") as tx:
                index_of(tx).add("turn", None, f"{say(rng)} anchor", "bob")
        embed(store, rng.sample(known, 3))
    assert ranked


def test_a_large_home_is_read_at_once_from_the_second_question_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = fill(store, random.Random(1))  # noqa: S311  (as above)
    one_by_one, ranked = (
        note(monkeypatch, VisibilityColumns, "_learn"),
        note(monkeypatch, Postings, "rank"),
    )
    images = images_of(store)

    def match() -> None:
        with store.read("ann") as tx:
            tx.documents.match(("turn", "memory"), ["anchor"], Filters(), 5)

    match()
    assert not images.is_reading
    match()
    images.wait()
    assert not ranked
    match()
    assert len(ranked) == 1
    assert one_by_one in ([], [[]])
    with store.write("ann") as tx:
        index_of(tx).erase(known[0])
    match()
    assert len(ranked) == 1  # what is erased is forgotten, so all is read anew
    images.wait()
    match()
    assert len(ranked) == 2


def test_that_a_home_is_large_is_not_counted_after_each_change(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = fill(store, random.Random(2))  # noqa: S311  (as above)
    find(store)
    counted = note(monkeypatch, matching.Matching, "_count_now")
    for step in range(3):
        with store.write("ann") as tx:
            new = index_of(tx).add("turn", None, f"anchor {step}", "ann")
        embed(store, [new])
        with store.read("ann") as tx:
            told = tx.documents.match(KINDS[0], ["anchor"], Filters(), 50)
            tx.documents.frequencies(KINDS[0], ["anchor"], Filters())
        assert new in [match.n for match in told]
        assert not counted
    with store.write("ann") as tx:  # what is left is few, and so are what it counts
        for n in known[BUDGET - 10 :]:
            index_of(tx).set_current(n, current=False)
    with store.read("ann") as tx:
        few = tx.documents.frequencies(KINDS[0], ["anchor"], Filters())
    assert counted
    assert few.total == BUDGET - 10 + 3


def test_a_home_without_vectors_is_left_to_the_index(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.store.image.visibility_columns._MOST_FLEETING", 10)
    with store.write("ann") as tx:
        for _ in range(2 * BUDGET):
            index_of(tx).add("turn", None, "rope", "")
        index_of(tx).add("turn", None, "anchor", "")
    ranked, read = (
        note(monkeypatch, Postings, "rank"),
        note(monkeypatch, VisibilityColumns, "read_all"),
    )
    assert find(store)
    assert find(store)
    assert not ranked
    assert len(read) == 1


def test_what_kept_a_home_from_being_read_is_told_to_who_asks_next() -> None:
    def refuse() -> SqliteConnection:
        raise OSError("no more files")

    images, ann = TenantImages(refuse), StoreTenant("ann", 1)
    images.read_visibilities(ann)
    images.read_visibilities(ann)
    images.wait()
    with pytest.raises(OSError, match="no more files"):
        images.read_visibilities(ann)
    images.close()


def test_nothing_is_read_once_a_store_is_closed(tmp_path: Path) -> None:
    opened: list[SqliteConnection] = []

    def note_connection() -> SqliteConnection:
        opened.append(connect(tmp_path / "none.db", 100))
        return opened[-1]

    images, ann = TenantImages(note_connection), StoreTenant("ann", 1)
    images.read_visibilities(ann)
    images.close()
    images.read_visibilities(ann)
    assert not images.is_reading
    assert not opened
