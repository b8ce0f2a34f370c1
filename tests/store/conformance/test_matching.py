"""Full text: the best documents of small homes and of large ones."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.insides import connection_of, embed, image_of, index_of
from tests.store.plain import keep, wording

from memoria.model import MemoryType, Provenance, SourceKind, Trust, new_id
from memoria.store.engine import Store
from memoria.store.image import words
from memoria.store.image.counts import VisibleCounts
from memoria.store.image.visibility_columns import VisibilityColumns
from memoria.store.image.words import PostingLists
from memoria.store.rows import matching, memories
from memoria.store.rows.documents import Documents
from memoria.store.rows.matching import Matching
from memoria.store.rows.transaction import Transaction
from memoria.store.rows.word_lists import WordLists
from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import connect
from memoria.store.sqlite.schema import migrate
from memoria.store.values import DocumentKind, Filters, Frequencies, Match, NewMemory

pytestmark = pytest.mark.usefixtures("toy_model")
WORDS = ("ferry", "harbour", "gull", "rope", "tide", "灯塔", "turn1")
KINDS: tuple[tuple[DocumentKind, ...], ...] = (("memory", "turn"), ("turn",))
QUESTIONS = (
    Filters(),
    Filters(include_processed=True),
    Filters(workspace="dock", include_history=True),
    Filters(everywhere=True),
)
Told = list[tuple[list[Match], Frequencies, int]]


def say(rng: random.Random, long: bool = False) -> str:
    return " ".join(rng.choices(WORDS, k=400 if long else rng.randint(1, 12)))


def tell(tx: Transaction, limit: int) -> Told:
    return [
        (
            tx.documents.match(kinds, WORDS[:limit], filters, limit),
            tx.documents.frequencies(kinds, [*WORDS, "nobody"], filters),
            tx.documents.count_hidden(kinds, WORDS[:limit], filters),
        )
        for kinds in KINDS
        for filters in QUESTIONS
    ]


def agree(store: Store, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the lists tell what the index tells, every score to the last bit."""
    found: list[list[Told]] = []
    for reads_lists in (True, False):
        with monkeypatch.context() as patched:
            if not reads_lists:
                patched.setattr(WordLists, "can_tell", lambda _self, _terms: False)
                patched.setattr(VisibleCounts, "recall", lambda _self, _tokens: {})
            with store.read("ann") as tx:
                found.append([tell(tx, limit) for limit in (1, 3, len(WORDS))])
    return found[0] == found[1]


def change(tx: Transaction, known: list[int], rng: random.Random) -> None:
    """Anything that can become of a document."""
    documents, n = index_of(tx), rng.choice(known)
    place = tx._workspaces.enter(rng.choice(("dock", "pier")))  # noqa: SLF001
    where = rng.choice((None, place))
    match rng.randrange(8):
        case 0:
            documents.erase(n)
            known.remove(n)
        case 1:
            documents.erase(known.pop(known.index(max(known))))  # its number is given again
        case 2:
            documents.set_current(n, current=rng.random() < 0.5)
        case 3:
            documents.set_workspace(n, where)
        case 4:
            documents.mark_processed(n)
        case 5:
            documents.replace_tokens(n, say(rng), "ann today")
        case _:
            kind: DocumentKind = rng.choice(("turn", "memory"))
            known.append(documents.add(kind, where, say(rng, rng.random() < 0.1), "ann ferry"))


@pytest.mark.parametrize("seed", range(2))
def test_lists_follow_whatever_becomes_of_documents(
    store: Store, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)  # noqa: S311  (nothing here is secret)
    known: list[int] = []
    with store.write("ann") as tx:
        known += [index_of(tx).add("turn", None, say(rng), "ann ferry") for _ in range(20)]
    assert agree(store, monkeypatch)
    for step in range(40):
        with store.write("ann") as tx:
            change(tx, known, rng)
        if seed % 2 and rng.random() < 0.3:  # somebody else has a part of the file
            with store.write("bob") as tx:
                index_of(tx).add("turn", None, say(rng), "bob ferry")
        if rng.random() < 0.5:
            embed(store, rng.sample(known, 3))
        assert agree(store, monkeypatch), step


def test_who_sees_a_home_is_not_counted_again_for_what_is_new(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    count = Matching._count_queries  # noqa: SLF001

    def counting(matching: Matching, queries: Sequence[str]) -> dict[str, int]:
        asked.extend(query for query in queries if "ferry" not in query)
        return count(matching, queries)

    def total() -> int:
        with store.read("ann") as tx:
            return tx.documents.frequencies(["turn", "memory"], ["ferry"], Filters()).total

    with store.write("ann") as tx:
        n = first = index_of(tx).add("turn", None, "ferry", "")
    assert total() == 1
    monkeypatch.setattr(Matching, "_count_queries", counting)
    for many in range(2, 6):
        with store.write("ann") as tx:
            n = index_of(tx).add("turn", None, "rope", "")
        assert total() == many
        embed(store, [n])
        assert total() == many
    with store.write("ann") as tx:
        index_of(tx).set_current(n, current=False)
    assert total() == many - 1
    assert asked == []
    with store.write("ann") as tx:
        index_of(tx).set_current(first, current=False)  # nobody knows how it stood before
    assert total() == many - 2
    assert asked


@pytest.mark.sqlite("reads visibilities beside lists of words")
def test_a_document_that_is_known_is_not_read_again_until_it_is_changed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.write("ann") as tx:
        ns = [index_of(tx).add("turn", None, "ferry", "") for _ in range(5)]
    embed(store, ns)
    read: list[int] = []
    learn = VisibilityColumns._learn  # noqa: SLF001

    def noted(self: VisibilityColumns, rows: object, unknown: list[int]) -> None:
        read.extend(unknown)
        learn(self, rows, unknown)  # type: ignore[arg-type]

    monkeypatch.setattr(VisibilityColumns, "_learn", noted)

    def match() -> list[int]:
        read.clear()
        with store.read("ann") as tx:
            tx.documents.match(["turn"], ["ferry"], Filters(), 9)
        return read.copy()

    assert match() == ns
    assert match() == []
    with store.write("ann") as tx:
        index_of(tx).mark_processed(ns[2])
    assert match() == [ns[2]]
    with store.write("ann") as tx:
        newest = index_of(tx).add("turn", None, "ferry", "")
    assert match() == [newest]
    with store.write("ann") as tx:
        index_of(tx).erase(ns[0])
    assert match() == [*ns[1:], newest]


@pytest.mark.sqlite("counts statements on FTS5")
def test_lists_that_are_remembered_follow_what_is_said_without_being_read_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(5)  # noqa: S311  (nothing here is secret)

    def say_and_embed() -> int:
        with store.write("ann") as tx:
            n = index_of(tx).add("turn", None, say(rng), "ann ferry")
        embed(store, [n])
        return n

    def count_reads() -> int:
        read: list[str] = []
        with store.read("ann") as tx:
            connection_of(tx).set_trace_callback(read.append)
            tell(tx, len(WORDS))
            connection_of(tx).set_trace_callback(None)
        return sum("occurrences" in each for each in read)

    ns = [say_and_embed() for _ in range(9)]
    assert count_reads()
    assert not count_reads()
    for _ in range(5):
        ns.append(say_and_embed())
        assert not count_reads()
        assert agree(store, monkeypatch)
    for word in ("ferry", "gull"):
        with store.write("ann") as tx:
            index_of(tx).replace_tokens(ns[-1], word, "ann ferry")
        assert count_reads()
        assert agree(store, monkeypatch)
    with store.write("ann") as tx:
        index_of(tx).erase(ns[0])
    assert count_reads()
    assert agree(store, monkeypatch)


@pytest.mark.sqlite("keeps lists of words")
def test_only_so_many_lists_are_remembered(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_FEWEST_PLACES", 200)
    monkeypatch.setattr(words, "_PLACES_OF_EACH", 0)
    with store.write("ann") as tx:
        for n in range(60):
            index_of(tx).add("turn", None, f"ferry word{n}", "")
    for n in range(60):
        with store.read("ann") as tx:
            assert len(tx.documents.match(["turn"], [f"word{n}", "ferry"], Filters(), 99)) == 60
        with image_of(store).lock:
            held = image_of(store).column(PostingLists)._known  # noqa: SLF001
            assert 1 <= len(held) <= 4


def test_a_word_that_stands_nowhere_may_be_asked_for_again_beside_others(store: Store) -> None:
    with store.write("ann") as tx:
        n = index_of(tx).add("turn", None, "ferry", "")
    with store.read("ann") as tx:
        assert tx.documents.match(["turn"], ["nobody"], Filters(), 5) == []
        found = tx.documents.match(["turn"], ["nobody", "ferry"], Filters(), 5)
        assert [each.n for each in found] == [n]


FERRY_WORDS = ("ferry", "harbour")


def note(store: Store, tenant: str, *contents: str) -> None:
    """Memories that their user has not confirmed."""
    reported = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel="test")
    with store.write(tenant) as tx:
        for content in contents:
            memory = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5)
            tx.memories.add(memory, replace(wording(content), provenance=reported))


def contents(store: Store, limit: int) -> list[str]:
    with store.read("ann") as tx:
        return [memory.content for memory in tx.memories.list_unverified(limit)]


def test_the_newest_memories_are_found_however_many_newer_ones_others_have(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "_REACH", 4)
    note(store, "ann", *(f"It is {i}" for i in range(6)))
    assert contents(store, 2) == ["It is 5", "It is 4"]
    note(store, "bob", *(f"Theirs is {i}" for i in range(3)))
    assert contents(store, 2) == ["It is 5", "It is 4"]
    assert contents(store, 9) == [f"It is {i}" for i in (5, 4, 3, 2, 1, 0)]


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("about", "memories_by_subject"),
        ("of_property", "memories_by_subject"),
        ("newest_unverified", "PRIMARY KEY"),
    ],
)
def test_memories_of_a_subject_and_the_newest_are_found_without_reading_all(
    name: str, index: str, tmp_path: Path
) -> None:
    connection = connect(tmp_path / "plans.db", 5000)
    migrate(connection)
    given = dict.fromkeys(("tenant", "workspace", "limit", "subject", "predicate", "reach"), 1)
    plan = connection.execute(f"EXPLAIN QUERY PLAN {statements('memories')[name]}", given)
    first = next(row[3] for row in plan if " m " in row[3])
    connection.close()
    assert first.startswith("SEARCH m USING")
    assert index in first


def match(documents: Documents) -> list[Match]:
    return documents.match(("memory",), FERRY_WORDS, Filters(), 3)


def test_memories_are_matched_by_one_query_in_a_home_of_mostly_turns(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.write("ann") as tx:
        for i in range(40):
            index_of(tx).add("turn", None, "the ferry leaves the harbour", "")
            keep(tx, f"The ferry leaves the harbour at {i}")
    with store.read("ann") as tx:
        expected = match(tx.documents)
    assert len(expected) == 3
    monkeypatch.setattr(matching, "BUDGET", 20)
    monkeypatch.setattr(
        Matching, "_count_in_home", lambda _self, terms, _n: dict.fromkeys(terms, 1)
    )
    asked: list[str] = []
    run = Matching._run_match  # noqa: SLF001

    def noted(own: Matching, statement: str, query: str, limit: int) -> list[Match]:
        asked.append(statement)
        return run(own, statement, query, limit)

    monkeypatch.setattr(Matching, "_run_match", noted)
    with store.read("ann") as tx:
        assert match(tx.documents) == expected
    assert asked == ["match"]


@pytest.mark.sqlite("keeps counts of the whole file")
def test_a_writer_counts_no_word_that_is_counted_and_leaves_no_count_behind(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.write("ann") as tx:
        for i in range(40):
            keep(tx, f"The ferry leaves the harbour at {i}")
    monkeypatch.setattr(matching, "BUDGET", 20)
    counted: list[str] = []
    count = Matching._count_all  # noqa: SLF001

    def noted(own: Matching, queries: list[str], last: int) -> dict[str, int]:
        counted.extend(query for query in queries if any(word in query for word in FERRY_WORDS))
        return count(own, queries, last)

    monkeypatch.setattr(Matching, "_count_all", noted)
    with store.write("ann") as tx:
        match(tx.documents)
    with store.read("ann") as tx:
        match(tx.documents)
    assert len(counted) == 2 * len(FERRY_WORDS)
    with store.write("ann") as tx:
        match(tx.documents)
    assert len(counted) == 2 * len(FERRY_WORDS)
