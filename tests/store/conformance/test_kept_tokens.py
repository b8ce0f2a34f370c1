"""The words of documents that a process keeps are those the index has, whatever becomes of them."""

import random

import pytest
from tests.store.insides import connection_of, embed, image_of, images_of, index_of

from memoria.store.engine import Store
from memoria.store.features import IndexTokens, pack_tokens
from memoria.store.image import words
from memoria.store.image.words import KeptTokens
from memoria.store.rows.transaction import Transaction

pytestmark = pytest.mark.usefixtures("toy_model")
MOST = 8_000
WORDS = "ferry harbour gull rope tide 灯塔".split()


def say(store: Store, *texts: str, tenant: str = "ann", embedded: bool = True) -> list[int]:
    with store.write(tenant) as tx:
        ns = [index_of(tx).add("turn", None, text, "ann today") for text in texts]
    if embedded:
        embed(store, ns)
    return ns


def read(store: Store, ns: list[int]) -> dict[int, IndexTokens]:
    with store.read("ann") as tx:
        return tx.documents.index_tokens(ns, MOST)


def list_kept(store: Store) -> list[IndexTokens]:
    """All words of documents that are in memory, whoever's they are."""
    images = [*images_of(store)._images.values()]  # noqa: SLF001
    held = [one for image in images for one in image.columns if isinstance(one, KeptTokens)]
    return [tokens for each in held for tokens in each._known.values()]  # noqa: SLF001


def count_reads(store: Store, ns: list[int]) -> int:
    """How many statements read the words of documents that are asked for."""
    asked: list[str] = []
    with store.read("ann") as tx:
        connection_of(tx).set_trace_callback(asked.append)
        tx.documents.index_tokens(ns, MOST)
        connection_of(tx).set_trace_callback(None)
    return sum("AS packed" in each for each in asked)


def change(tx: Transaction, known: list[int], rng: random.Random) -> None:
    """Anything that can become of a document and its words."""
    documents, n = index_of(tx), rng.choice(known)
    match rng.randrange(7):
        case 0:
            documents.erase(n)
            known.remove(n)
        case 1:
            documents.erase(known.pop(known.index(max(known))))  # its number is given again
        case 2:
            documents.set_current(n, current=rng.random() < 0.5)
        case 3:
            documents.mark_processed(n)
        case 4:
            documents.index_again(n, "any", rng.choice(WORDS), "ben")
        case 5:
            documents.replace_tokens(n, " ".join(rng.choices(WORDS, k=5)), rng.choice(WORDS))
        case _:
            known.append(documents.add("turn", None, rng.choice(WORDS), "ann"))


@pytest.mark.parametrize("seed", range(4))
def test_words_follow_whatever_becomes_of_documents(store: Store, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311  (nothing here is secret)
    known = say(store, *rng.choices(WORDS, k=20), embedded=False)
    embed(store, known[:12])
    for step in range(60):
        with store.write("ann") as tx:
            change(tx, known, rng)
        if rng.random() < 0.3:
            say(store, "harbour", tenant="bob", embedded=False)
        if rng.random() < 0.4:
            embed(store, rng.sample(known, 2))
        ns = rng.sample(known, 9)
        with store.write("ann") as tx:
            expected = tx.documents.index_tokens(ns, MOST)  # who writes reads all anew
        assert list(read(store, ns).items()) == list(expected.items()), step


@pytest.mark.sqlite("counts statements with SQLite's trace")
def test_words_that_were_read_are_read_again_only_where_a_document_has_changed(
    store: Store,
) -> None:
    ns = say(store, *WORDS)
    assert count_reads(store, ns) == 1
    assert count_reads(store, ns[::-1]) == 0
    say(store, "what is new", embedded=False)
    assert count_reads(store, ns) == 0
    with store.write("ann") as tx:
        index_of(tx).mark_processed(ns[0])
    assert count_reads(store, ns[1:]) == 0
    assert count_reads(store, ns) == 1


@pytest.mark.sqlite("counts statements with SQLite's trace")
def test_what_does_not_tell_of_its_changes_is_read_each_time(store: Store) -> None:
    ns = say(store, "ferry", embedded=False)
    assert [count_reads(store, ns) for _ in range(2)] == [1, 1]
    assert list_kept(store) == []


def test_only_so_many_words_are_kept_and_no_long_document(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(words, "_MOST_BYTES", 10_000)
    ns = say(store, "tide " * 500, *("gull " * 20 for _ in range(300)))
    for start in range(0, 300, 50):
        assert len(read(store, [*ns[:1], *ns[start : start + 50]])) in (50, 51)
        assert 0 < sum(map(len, list_kept(store))) <= 10_000
        assert max(map(len, list_kept(store))) < words.LONGEST_KEPT


def test_words_that_were_written_anew_are_those_that_are_told(store: Store) -> None:
    (n,) = say(store, "ferry")  # of no turn, so that a rebuild finds no words
    assert read(store, [n]) == {n: pack_tokens("ferry", "ann today")}
    store.rebuild(lambda _done, _all: None)
    assert read(store, [n]) == {n: pack_tokens("", "")}


def test_the_words_of_a_few_tenants_alone_are_kept(store: Store) -> None:
    for tenant in range(1, 9):
        image_of(store, tenant).column(KeptTokens).keep({tenant: b"tide"})
    image_of(store, 1)
    assert len(list_kept(store)) == 8
    image_of(store, 9)  # whoever was not asked for longest has to go
    assert len(list_kept(store)) == 7
    assert image_of(store, 1).column(KeptTokens).recall([1])
