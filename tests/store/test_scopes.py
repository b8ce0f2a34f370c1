"""What is hidden from a question counts for nothing, however the words of a home are looked up."""

from collections.abc import Callable
from itertools import product

import pytest
from tests.store.insides import connection_of, index_of
from tests.store.plain import keep, wording

from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite import SqliteStore
from memoria.store.values import DocumentKind, Filters, Frequencies, Match

WORDS = ("harbour", "ferry", "港口", "unheard")
KINDS: tuple[tuple[DocumentKind, ...], ...] = (("turn",), ("memory", "turn"))
SIGHTS = [
    (kinds, Filters(include_history=history, include_processed=processed, workspace=place))
    for kinds, history, processed, place in product(
        KINDS, (False, True), (False, True), (None, "red")
    )
]


def fill(store: SqliteStore, place: str | None) -> None:
    """Turns that are seen, and a few documents of every kind that is hidden from some question."""
    with store.write("ann") as tx:
        for i in range(40):
            words = f"harbour {'ferry' if i % 3 else '港口'} {'tide ' * (i % 5)}"
            index_of(tx).add("turn", None, words, "ann")
        for flag in (True, False):
            index_of(tx).add("turn", None, "harbour ferry", "ann", suppressed=flag)
        gone = index_of(tx).add("turn", None, "harbour 港口", "ann")
        index_of(tx).set_current(gone, current=False)
        old = keep(tx, "The ferry leaves the harbour at six", workspace=place)
        tx.memories.add_version(old, wording("The ferry leaves the harbour at eight"))


def ask(store: SqliteStore) -> list[tuple[list[Match], list[Match], Frequencies]]:
    asked = []
    for kinds, filters in SIGHTS:
        with store.read("ann") as tx:
            few = tx.documents.match(kinds, WORDS, filters, 5)
            many = tx.documents.match(kinds, WORDS, filters, 30)
            assert tx.documents.match(kinds, WORDS, filters, 5) == few
            assert tx.documents.match(kinds, WORDS, filters, 50)[:30] == many
            asked.append((few, many, tx.documents.frequencies(kinds, WORDS, filters)))
    return asked


@pytest.mark.parametrize("place", [None, "red"])
def test_a_question_finds_and_counts_the_same_whether_or_not_others_share_its_home(
    store: SqliteStore, place: str | None
) -> None:
    fill(store, place)
    alone = ask(store)
    with store.write("bob"):
        pass  # somebody else, who has said nothing yet
    assert ask(store) == alone
    assert len({str(one) for one in alone}) > 4  # the sights do differ


def list_statements(store: SqliteStore, ask: Callable[[Transaction], object]) -> set[str]:
    """The statements that a question of Ann runs, without the index's own."""
    run: list[str] = []
    with store.read("ann") as tx:
        connection_of(tx).set_trace_callback(run.append)
        try:
            ask(tx)
        finally:
            connection_of(tx).set_trace_callback(None)
    return {sql for sql in run if not sql.startswith("--")}


@pytest.mark.parametrize("others", [(), ("bob",)])
def test_the_words_of_a_long_question_are_counted_by_as_many_statements_as_one_word(
    store: SqliteStore, others: tuple[str, ...]
) -> None:
    fill(store, None)
    for name in others:
        with store.write(name):
            pass

    def count(*words: str) -> int:
        asked = list_statements(
            store, lambda tx: tx.documents.frequencies(["turn"], words, Filters())
        )
        return len(asked)

    one_word = count("harbour")
    assert 0 < count("ferry", "港口", *(f"word{i}" for i in range(30))) <= one_word


def test_where_nothing_is_hidden_what_is_found_is_not_looked_at_again(store: SqliteStore) -> None:
    with store.write("ann") as tx:
        said = index_of(tx).add("turn", None, "harbour ferry 港口", "ann")

    def find(tx: Transaction) -> None:
        assert [one.n for one in tx.documents.match(["turn"], WORDS, Filters(), 5)] == [said]

    assert not [sql for sql in list_statements(store, find) if f"json_each('[{said}]')" in sql]
