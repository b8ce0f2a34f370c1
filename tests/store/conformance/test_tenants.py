"""Many tenants share a file, and what one of them does costs the others nothing."""

from collections.abc import Sequence

import numpy as np
import pytest
from tests.store.insides import index_of

from memoria.lifecycle.runner import hold_lease
from memoria.model import Vector, now_millis
from memoria.store.engine import Store
from memoria.store.rows import documents as concurrent_read
from memoria.store.rows import matching
from memoria.store.rows.matching import Matching
from memoria.store.values import Filters

MODEL = "ones/8"
VECTOR: Vector = np.full(8, 8**-0.5, np.float32)


@pytest.fixture
def shared(store: Store) -> Store:
    """A home with a document of ann's and one of bob's, each with its vector."""
    with store.backlog(write=True) as backlog:
        backlog.choose_model(MODEL)
    for tenant in ("ann", "bob"):
        say(store, tenant)
    return store


def say(store: Store, tenant: str) -> int:
    with store.write(tenant) as tx:
        n = index_of(tx).add("turn", None, "tea", "")
        tx.backlog.add_vectors(MODEL, {n: VECTOR})
    return n


def ask(store: Store, tenant: str) -> int:
    """How many documents a search by meaning finds, through what is held in memory."""
    with store.read(tenant) as tx:
        return len(tx.documents.nearest("turn", MODEL, VECTOR, Filters(), 10))


def test_an_erasure_is_counted_for_its_own_tenant_alone(shared: Store) -> None:
    n = say(shared, "bob")
    with shared.read("ann") as tx:
        before = tx.backlog.last_erasure()
    with shared.write("bob") as tx:
        index_of(tx).erase(n)
        assert tx.backlog.last_erasure() > 0
    with shared.read("ann") as tx:
        assert tx.backlog.last_erasure() == before


def test_what_waits_for_a_vector_is_told_to_its_own_tenant_alone(shared: Store) -> None:
    with shared.write("bob") as tx:
        index_of(tx).add("turn", None, "coffee", "")
        assert tx.backlog.awaits_vector()
    with shared.read("ann") as tx:
        assert not tx.backlog.awaits_vector()


def test_what_another_tenant_writes_in_between_stops_no_concurrent_read(
    shared: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrent_read, "BUDGET", 0)
    with shared.read("ann") as tx:
        say(shared, "bob")
        with tx.read_concurrently(lambda other: other is tx) as in_turn:
            assert not in_turn()
    with shared.read("ann") as tx:
        say(shared, "ann")
        with tx.read_concurrently(lambda other: other is tx) as in_turn:
            assert in_turn()


def test_what_another_tenant_writes_makes_nobody_count_anew(
    shared: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    count = Matching._count_all  # noqa: SLF001

    def counting(self: Matching, queries: Sequence[str], last: int) -> dict[str, int]:
        counted.extend(queries)
        return count(self, queries, last)

    monkeypatch.setattr(matching, "BUDGET", 0)
    monkeypatch.setattr(Matching, "_count_all", counting)

    def match() -> int:
        counted.clear()
        with shared.read("ann") as tx:
            assert len(tx.documents.match(["turn"], ["tea"], Filters(), 10)) == 1
        return sum("turn1" in query for query in counted)

    assert [match(), match()] == [1, 0]
    say(shared, "bob")
    assert match() == 0


def test_a_tenant_whose_documents_are_few_is_searched_as_such_in_a_large_home(
    shared: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        say(shared, "bob")
    monkeypatch.setattr(matching, "BUDGET", 2)
    with shared.read("ann") as tx:
        frequencies = tx.documents.frequencies(["turn"], ["tea"], Filters())
    assert (frequencies.total, frequencies.by_term) == (1, {"tea": 1})


def test_one_process_embeds_for_one_tenant_and_another_for_the_next(shared: Store) -> None:
    now = now_millis()

    def takes(tenant: str, owner: str) -> bool:
        with shared.write(tenant) as tx:
            return tx.leases.take("embedding", owner, now, 60_000)

    assert takes("ann", "one")
    assert takes("bob", "other")
    assert not takes("ann", "other")
    with shared.write("ann") as tx:
        tx.leases.release("embedding", "one")
    with shared.read("bob") as tx:
        assert tx.leases.owner("embedding", now) == "other"
    assert takes("ann", "other")


def test_nightly_maintenance_of_two_tenants_runs_at_once(shared: Store) -> None:
    with hold_lease(shared, "ann", "one", 60_000), hold_lease(shared, "bob", "other", 60_000):
        with shared.read("ann") as tx:
            assert tx.leases.owner("nightly", now_millis()) == "one"
        with shared.read("bob") as tx:
            assert tx.leases.owner("nightly", now_millis()) == "other"


def test_a_tenants_backlog_holds_no_document_of_anothers(shared: Store) -> None:
    with shared.write("ann") as tx:
        own = index_of(tx).add("turn", None, "coffee", "")
    with shared.read("bob") as tx:
        assert tx.backlog.list_due(1, 10, 5) == []
    with shared.backlog(write=False) as backlog:
        assert backlog.list_due_tenants(1, 5) == ["ann"]
    with shared.write("bob") as tx:
        tx.backlog.add_vectors(MODEL, {own: VECTOR})
        tx.backlog.postpone([own], 10**15, "not bob's")
    with shared.backlog(write=False) as backlog:
        assert backlog.list_due_tenants(1, 5) == ["ann"]
        assert backlog.status(5).last_error is None
    assert ask(shared, "ann") == ask(shared, "bob") == 1
