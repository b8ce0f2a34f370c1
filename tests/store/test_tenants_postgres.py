"""Tenants of one database are written to at once, and nothing of one is lost by another's write."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.databases import Databases
from tests.store.insides import index_of
from tests.store.own_database import connected
from tests.store.tenant_life import marks

from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.memories.statements import Statements
from memoria.model import LIBRARY, MemoryType
from memoria.store.engine import Store

pytest.importorskip("psycopg")

TIMEOUT_S = 60


@pytest.fixture
def own(databases: Databases, home: Path) -> Iterator[Settings]:
    """Settings of a home in a database of its own."""
    with databases.dropping():
        yield Settings.from_values(home=home, **databases.settings_of(home))


@pytest.fixture
def stores(own: Settings) -> Iterator[tuple[Store, Store]]:
    """Stores of two servers of one database."""
    with closing(open_store(own)) as one, closing(open_store(own)) as other:
        yield one, other


def add(store: Store, tenant: str) -> int:
    with store.write(tenant) as tx:
        return index_of(tx).add("turn", None, "words", "")


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


def wait_until_locked(own: Settings, thread: threading.Thread) -> None:
    """Wait until somebody waits for a lock in the database, or the thread has ended."""
    waiting = (
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() "
        "AND wait_event_type = 'Lock'"
    )
    with connected(own) as raw:
        while thread.is_alive() and not raw.execute(waiting).fetchone():
            thread.join(0.01)


def test_words_are_not_read_anew_over_a_change_that_is_under_way(
    own: Settings, stores: tuple[Store, Store]
) -> None:
    one, other = stores
    Statements(one, "ann", LIBRARY, marks("ann")).remember("the port is 8080", MemoryType.FACT)
    with one.write("ann") as tx:
        (n,) = tx.documents.page("memory", 0, 10)
        index_of(tx).replace_tokens(n, "as an older version read them", "")
    with connected(own) as raw:
        raw.execute("UPDATE search_index SET form = 0")
    renewal = threading.Thread(target=other.renew_words, args=(10,))
    with one.write("ann") as tx:
        index_of(tx).replace_tokens(n, "changed", "")
        renewal.start()
        wait_until_locked(own, renewal)
    renewal.join(TIMEOUT_S)
    with one.read("ann") as tx:
        assert tx.documents.distinct_words([n]) == {n: {"changed"}}


def test_mending_waits_for_who_writes_to_a_tenant_and_holds_up_no_other(
    own: Settings, stores: tuple[Store, Store]
) -> None:
    one, other = stores
    for tenant in ("ann", "bob"):
        add(one, tenant)
    mending = threading.Thread(target=other.mend, args=("backlog", lambda _done, _of: None))
    with one.write("ann"):
        mending.start()
        wait_until_locked(own, mending)
        assert mending.is_alive()
        add(other, "bob")
    mending.join(TIMEOUT_S)
    assert not mending.is_alive()


def test_a_server_has_a_folder_for_what_is_of_its_machine_where_one_can_be_made(
    own: Settings, tmp_path: Path
) -> None:
    open_store(own).close()
    assert own.home_path.is_dir()
    (tmp_path / "file").touch()
    nowhere = own.model_copy(update={"home": tmp_path / "file" / "home"})
    with closing(open_store(nowhere)) as store:
        assert add(store, "ann")
