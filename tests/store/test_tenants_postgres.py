"""Tenants of one database are written to at once, and nothing of one is lost by another's write."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.databases import Databases
from tests.store.insides import any_connection_of, index_of

from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.language.words.analyser import FORM
from memoria.store.engine import Store
from memoria.store.rows.word_renewal import read_mark, set_mark

pytest.importorskip("psycopg")


@pytest.fixture
def stores(databases: Databases, home: Path) -> Iterator[tuple[Store, Store]]:
    """Stores of two servers of one database."""
    with databases.dropping():
        named = Settings.from_values(home=home, **databases.settings_of(home))
        with closing(open_store(named)) as one, closing(open_store(named)) as other:
            yield one, other


def add(store: Store, tenant: str) -> int:
    with store.write(tenant) as tx:
        return index_of(tx).add("turn", None, "words", "")


def mark_of(store: Store) -> tuple[int, int]:
    with store.read("ann") as tx:
        return read_mark(any_connection_of(tx))


def test_a_change_of_one_tenant_waits_for_no_other_tenant(stores: tuple[Store, Store]) -> None:
    one, other = stores
    add(one, "ann")
    with one.write("ann") as tx:
        index_of(tx).add("turn", None, "words", "")
        for tenant in ("bob", "cy"):
            add(other, tenant)
            add(other, tenant)
    with one.read("ann") as tx:
        assert len(tx.documents.page("turn", 0, 10)) == 2


def test_the_first_document_of_a_tenant_says_nothing_of_the_words_that_others_have(
    stores: tuple[Store, Store],
) -> None:
    one, _ = stores
    last = add(one, "ann")
    assert mark_of(one) == (FORM, last)
    with one.write("ann") as tx:
        set_mark(any_connection_of(tx), 0)  # as an older version leaves it
    newest = add(one, "bob")
    assert mark_of(one) == (FORM, 0)
    while one.renew_words(10):
        pass
    assert mark_of(one) == (FORM, newest)
    after = add(one, "cy")
    assert mark_of(one) == (FORM, after)
