"""A question's common words are left out where reading them costs more than they tell."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.databases import open_home
from tests.store.insides import connection_of, index_of

from memoria.store.engine import Store
from memoria.store.image.counts import BUDGET, choose_affordable
from memoria.store.rows.document_index import DocumentIndex
from memoria.store.sql.statements import statements
from memoria.store.values import Filters

COUNTS = st.dictionaries(st.text("abcdef", min_size=1, max_size=3), st.integers(0, 40))


@given(COUNTS, st.integers(1, 60))
def test_the_rarest_terms_are_kept_within_the_budget(counts: dict[str, int], budget: int) -> None:
    terms = list(counts)
    kept = choose_affordable(terms, counts.__getitem__, budget)
    dropped = counts.keys() - set(kept)
    known = [term for term in kept if counts[term]]
    assert sum(counts[term] for term in known) <= budget or len(known) == 1
    assert all(counts[term] >= counts[rarer] for term in dropped for rarer in kept)
    assert bool(known) == any(counts.values())
    assert [term for term in terms if term in kept] == list(kept)
    if sum(counts.values()) <= budget:
        assert list(kept) == terms


@pytest.fixture(scope="module")
def crowded(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Everything Ann ever said holds "common", one thing in a thousand "rare", and Bob said one."""
    if engine == "postgres":
        pytest.skip("20,001 documents take PostgreSQL half a minute")
    home = tmp_path_factory.mktemp(engine)
    store = open_home(home)
    with store.write("ann") as tx:
        for i in range(BUDGET + 1):
            index_of(tx).add("turn", None, "common rare" if i % 1000 == 0 else "common", "")
    with store.write("bob") as tx:
        index_of(tx).add("turn", None, "common", "")
    yield store
    store.close()


def found(store: Store, tenant: str, *terms: str) -> int:
    with store.read(tenant) as tx:
        return len(tx.documents.match(["turn"], terms, Filters(), 400))


def test_a_common_word_is_left_out_of_a_large_search(crowded: Store) -> None:
    assert found(crowded, "ann", "common", "rare", "unheard") == 21
    assert found(crowded, "ann", "rare", "common") == 21


def test_a_common_word_asked_alone_is_still_found(crowded: Store) -> None:
    assert found(crowded, "ann", "common") == 400
    assert found(crowded, "ann", "common", "unheard") == 400


def test_a_small_tenant_of_a_large_home_keeps_every_word(crowded: Store) -> None:
    assert found(crowded, "bob", "common", "rare") == 1


def test_a_small_home_keeps_every_word(store: Store) -> None:
    with store.write("ann") as tx:
        for words in ("common rare", "common", "common"):
            index_of(tx).add("turn", None, words, "")
    assert found(store, "ann", "common", "rare") == 3


@pytest.mark.parametrize("name", ["match", "match_filtered"])
@pytest.mark.sqlite("reads SQLite's plan")
def test_a_text_search_matches_once_and_not_once_for_every_allowed_document(
    store: Store, name: str
) -> None:
    sql = statements("documents")[name]
    parameters = dict.fromkeys(re.findall(r":(\w+)", sql), 1) | {"query": "a", "allowed": "[1]"}
    with store.read("ann") as tx:
        plan = connection_of(tx).execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()
    (step,) = [row["detail"] for row in plan if "search_index" in row["detail"]]
    assert "=" not in step  # by rowid, FTS5 says, as in "INDEX 0:=M3"


def test_a_count_that_is_remembered_is_of_the_record_as_it_is(tmp_path: Path) -> None:
    store = open_home(tmp_path)
    ns: list[int] = []

    def count(tenant: str) -> tuple[int, int]:
        with store.read(tenant) as tx:
            counted = tx.documents.frequencies(["turn"], ["harbour"], Filters())
        return counted.total, counted.by_term["harbour"]

    for tenant in ("ann", "bob", "ann"):
        with store.write(tenant) as tx:
            ns.append(index_of(tx).add("turn", None, "harbour", ""))
            index_of(tx).add("turn", None, "orchid", "")
        assert count(tenant) == count(tenant)
    assert (count("ann"), count("bob")) == ((4, 2), (2, 1))
    changes: list[Callable[[DocumentIndex], object]] = [
        lambda documents: documents.set_current(ns[0], current=False),
        lambda documents: documents.replace_tokens(ns[2], "train", ""),
        lambda documents: documents.erase(ns[2]),
    ]
    for change in changes:
        with store.write("ann") as tx:
            change(index_of(tx))
        with store.read("ann") as tx:
            found = len(tx.documents.match(["turn"], ["harbour"], Filters(), 9))
            shown = len(tx.documents.match(["turn"], ["harbour", "orchid", "train"], Filters(), 9))
        assert count("ann") == (shown, found)
    store.close()
