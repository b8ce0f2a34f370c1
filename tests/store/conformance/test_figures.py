"""Figures of a home are sums over its tenants, and have nothing in them that a tenant said."""

from functools import partial
from operator import add

import pytest
from tests.store.tenant_life import CALL, SAID, live

from memoria.model import DAY_MS, use_clock
from memoria.model.forgetting import ForgetReport
from memoria.model.nightly import RunOptions, RunState
from memoria.model.status import QueueState
from memoria.store.engine import Store

NOON = 1_795_176_000_000
TENANTS = ("ann", "ben")
ATTEMPTS = 5
NIGHTS: tuple[tuple[str, int, RunState], ...] = (
    ("ann", 1, "finished"),
    ("ann", 2, "finished"),
    ("ben", 0, "finished"),
    ("ben", 3, "stopped"),
)


def test_figures_are_the_sums_of_what_each_tenant_has(store: Store) -> None:
    for tenant in TENANTS:
        live(store, tenant, SAID)
    with store.backlog(write=True) as backlog:
        backlog.choose_model("another model")
    with store.write("ben") as tx:
        (document, *_) = tx.backlog.list_due(NOON, 1, ATTEMPTS)
        for _ in range(ATTEMPTS):
            tx.backlog.postpone([document.n], 0, "it can't be embedded")
    figures = store.figures()
    found = []
    for tenant in TENANTS:
        with store.read(tenant) as tx:
            found.append(tx.statistics())
    assert figures.tenants == 2
    assert figures.pending == sum(one.backlog.pending for one in found) > 0
    assert figures.failed == sum(one.backlog.failed for one in found) == 1
    assert figures.queue[QueueState.WAITING] == sum(one.queue.waiting for one in found) > 0
    assert figures.oldest_waiting_at == min(one.queue.oldest_waiting_at or 0 for one in found)
    assert figures.database_bytes == found[0].database_bytes
    assert figures.calls["ok"].calls == 2 * 1
    text = figures.model_dump_json()
    assert not any(word in text for word in (*TENANTS, *SAID, "port"))


def test_tokens_count_once_a_call_has_ended(store: Store) -> None:
    with store.write("ann") as tx:
        n = tx.ledger.add(CALL.model_copy(update={"outcome": "open", "output_tokens": 900}))
    assert store.figures().calls == {}
    with store.write("ann") as tx:
        tx.ledger.settle(n, CALL.model_copy(update={"input_tokens": 70, "output_tokens": 3}))
    with store.write("ben") as tx:
        tx.ledger.add(CALL.model_copy(update={"outcome": "failed", "input_tokens": 5}))
    calls = store.figures().calls
    assert (calls["ok"].calls, calls["ok"].input_tokens, calls["ok"].output_tokens) == (1, 70, 3)
    assert (calls["failed"].calls, calls["failed"].input_tokens) == (1, 5)


def test_nights_are_those_that_ended_last_for_each_tenant(store: Store) -> None:
    assert store.figures().newest_night_at is None
    for tenant, day, state in NIGHTS:
        with store.write(tenant) as tx:
            run = tx.nightly_runs.begin_run(f"run {day}", NOON + day * DAY_MS, RunOptions(steps=()))
            tx.nightly_runs.set_state(run, state, NOON)
    figures = store.figures()
    assert figures.nights == {"finished": 1, "stopped": 1}
    assert figures.newest_night_at == NOON + 2 * DAY_MS
    assert figures.oldest_night_at == NOON


def test_who_never_had_a_night_waits_since_the_first_word(store: Store) -> None:
    assert store.figures().oldest_night_at is None
    for tenant, day in (("ann", 1), ("ben", 2)):
        with use_clock(partial(add, NOON, day * DAY_MS)), store.write(tenant) as tx:
            tx.scratchpads.put("s", None, (), NOON, 5)
    assert store.figures().oldest_night_at == NOON + DAY_MS
    with store.write("ann") as tx:
        run = tx.nightly_runs.begin_run("run", NOON + 3 * DAY_MS, RunOptions(steps=()))
        tx.nightly_runs.set_state(run, "finished", NOON)
    assert store.figures().oldest_night_at == NOON + 2 * DAY_MS


def test_a_forget_is_overdue_when_its_grace_is_over_and_it_is_not_purged(store: Store) -> None:
    for tenant, days in (("ann", 7), ("ben", 1)):
        report = ForgetReport(
            id=f"report of {tenant}",
            at=NOON,
            by="test",
            selected_by=(),
            state="hidden",
            purge_at=NOON + days * DAY_MS,
            items={},
            removed={},
            remaining={},
        )
        with store.write(tenant) as tx:
            tx.erasures.add_report(report)
    told = []
    for day in (0, 1, 7):
        with use_clock(partial(add, NOON, day * DAY_MS)):
            figures = store.figures()
        told.append((figures.hidden_forgets, figures.overdue_forgets))
    assert told == [(2, 0), (2, 1), (2, 2)]
    with store.write("ben") as tx:
        tx.hidden.purge("report of ben", NOON + DAY_MS)
    with use_clock(lambda: NOON + 7 * DAY_MS):
        figures = store.figures()
    assert (figures.hidden_forgets, figures.overdue_forgets) == (1, 1)


@pytest.mark.sqlite("wipes the file")
def test_what_may_still_be_readable_in_the_file_is_told_until_it_is_wiped(store: Store) -> None:
    assert not store.figures().is_scrub_pending
    with store.write("ann") as tx:
        tx.erasures.erase_all()
    assert store.figures().is_scrub_pending
    assert store.scrub()
    assert not store.figures().is_scrub_pending
