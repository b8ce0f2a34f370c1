"""The extraction queue: every entry once, one a session at a time, whatever dies or is retried."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import open_home

from memoria.config import LONGEST_LEASE_MS, LONGEST_WAIT_MS
from memoria.model import QueueKind, QueueState, Role, Trust, new_id
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LeasedEntry, NewQueueEntry, NewTurn

LEASE_MS = 1000


def say(tx: Transaction, session: str, place: int) -> int:
    """A turn at a place of a session, if there is none; gives the session's number."""
    session_n = tx.conversations.upsert_session("test", session, 1, 1, 1).n
    if not tx.conversations.list_span(session_n, place, place):
        turn = NewTurn(
            id=new_id(),
            session_n=session_n,
            message_id=None,
            turn_index=place,
            version=1,
            role=Role.USER,
            speaker=None,
            at=1,
            at_given=True,
            ingested_at=1,
            trust=Trust.USER,
            suppressed=False,
            fingerprint=f"{session} {place}".encode(),
            content="words",
            tool_name=None,
            tool_args=None,
            tool_result=None,
        )
        tx.conversations.add_turn(turn)
    return session_n


def put(store: Store, session: str, place: int, priority: int = 9, tenant: str = "t") -> bool:
    with store.write(tenant) as tx:
        session_n = say(tx, session, place)
        entry = NewQueueEntry(
            new_id(), QueueKind.EXTRACT, session_n, place, place, priority, "test", 1
        )
        return tx.queue.add(entry)


def lease(store: Store, owner: str, now: int) -> LeasedEntry | None:
    with store.work_queue(write=True) as queue:
        return queue.lease_next(owner, now, LEASE_MS)


def finish(store: Store, work: LeasedEntry, owner: str) -> bool:
    with store.write(work.tenant) as tx:
        return tx.queue.finish(work.n, owner, "ADD 1")


def test_the_same_stretch_is_queued_once(store: Store) -> None:
    assert put(store, "s", 1)
    assert not put(store, "s", 1)
    with store.read("t") as tx:
        assert tx.queue.status().waiting == 1


def test_what_matters_more_is_taken_first_and_then_what_came_first(store: Store) -> None:
    for session, priority in (("a", 9), ("b", 0), ("c", 5), ("d", 0)):
        put(store, session, 1, priority)
    taken = []
    while (work := lease(store, "w", 10)) is not None:
        taken.append(work.session_n)
    assert taken == [2, 4, 3, 1]


def test_a_session_is_with_one_worker_at_a_time(store: Store) -> None:
    put(store, "s", 1)
    put(store, "s", 2)
    first = lease(store, "one", 10)
    assert first is not None
    assert lease(store, "two", 10) is None
    assert finish(store, first, "one")
    second = lease(store, "two", 10)
    assert second is not None
    assert (first.first_index, second.first_index) == (1, 2)


def test_a_dead_workers_entry_is_free_when_its_lease_has_run_out(store: Store) -> None:
    put(store, "s", 1)
    died = lease(store, "dead", 10)
    assert died is not None
    assert lease(store, "two", 10 + LEASE_MS - 1) is None
    again = lease(store, "two", 10 + LEASE_MS)
    assert again is not None
    assert (again.id, again.attempts) == (died.id, 2)
    assert not finish(store, died, "dead")
    assert finish(store, again, "two")


def test_an_entry_put_off_is_left_alone_until_then(store: Store) -> None:
    put(store, "s", 1)
    work = lease(store, "w", 10)
    assert work is not None
    with store.work_queue(write=True) as queue:
        assert queue.release(work, "w", 500, "HTTP 429", blamed=False)
        assert queue.next_due_at(10) == 500
    assert lease(store, "w", 499) is None
    again = lease(store, "w", 500)
    assert again is not None
    assert again.attempts == 1


@pytest.mark.parametrize("ahead", [LONGEST_LEASE_MS, LONGEST_WAIT_MS])
def test_a_lease_or_pause_from_a_clock_that_was_wrong_holds_nobody_up(
    store: Store, ahead: int
) -> None:
    put(store, "s", 1)
    work = lease(store, "w", 10 + ahead + LONGEST_WAIT_MS)
    assert work is not None
    if ahead == LONGEST_WAIT_MS:
        with store.work_queue(write=True) as queue:
            queue.release(work, "w", 20 + 2 * ahead, "later", blamed=True)
    assert lease(store, "other", 10) is not None


def test_a_dead_letter_says_why_and_can_be_tried_again(store: Store) -> None:
    put(store, "s", 1)
    work = lease(store, "w", 10)
    assert work is not None
    with store.work_queue(write=True) as queue:
        assert queue.mark_dead(work, "w", "the answer was no JSON")
    with store.read("t") as tx:
        (entry,) = tx.queue.list_entries(QueueState.DEAD, 10)
        assert entry.last_error == "the answer was no JSON"
        assert entry.finished_at is not None
    assert lease(store, "w", 1 << 50) is None
    with store.write("t") as tx:
        assert tx.queue.retry(entry.id)
        assert not tx.queue.retry(entry.id)
    again = lease(store, "w", 10)
    assert again is not None
    assert again.attempts == 1


def test_what_is_dropped_is_never_taken_and_what_is_done_is_not_dropped(store: Store) -> None:
    put(store, "s", 1)
    put(store, "z", 1)
    work = lease(store, "w", 10)
    assert work is not None
    finish(store, work, "w")
    with store.write("t") as tx:
        done, dropped = (
            tx.queue.drop(entry.id) for entry in reversed(tx.queue.list_entries(None, 9))
        )
        status = tx.queue.status()
    assert (done, dropped) == (False, True)
    assert (status.waiting, status.done, status.dropped) == (0, 1, 1)
    assert lease(store, "w", 1 << 50) is None


def test_workers_that_race_share_the_entries_without_a_double(
    open_store: Callable[[Path], Store], home: Path
) -> None:
    stores = [open_store(home) for _ in range(2)]
    for i in range(40):
        put(stores[0], f"s{i % 7}", i, tenant=f"t{i % 2}")
    done: list[list[str]] = [[], []]

    def work(who: int) -> None:
        store = stores[who]
        for now in range(10_000):
            with store.work_queue(write=False) as queue:
                if queue.next_due_at(now) is None:
                    return
            taken = lease(store, str(who), 10)
            if taken is not None and finish(store, taken, str(who)):
                done[who].append(taken.id)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(done[0]) + len(done[1]) == len({*done[0], *done[1]}) == 40


def test_of_a_session_no_two_entries_are_ever_with_two_workers(
    open_store: Callable[[Path], Store], home: Path
) -> None:
    store = open_store(home)
    sessions, places, workers = 6, 20, 8
    for place in range(places):
        for session in range(sessions):
            put(store, f"s{session}", place)
    held, doubled, done = set[int](), list[int](), list[str]()
    guard = threading.Lock()

    def work(owner: str) -> None:
        while True:
            with store.work_queue(write=False) as queue:
                if queue.next_due_at(2) is None:
                    return
            taken = lease(store, owner, 2)
            if taken is None:
                continue
            with guard:
                doubled.extend({taken.session_n} & held)
                held.add(taken.session_n)
            with guard:
                held.discard(taken.session_n)
            if finish(store, taken, owner):
                done.append(taken.id)

    threads = [threading.Thread(target=work, args=(str(who),)) for who in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert doubled == []
    assert len(done) == len(set(done)) == sessions * places


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["put", "lease", "finish", "die", "fail", "bury", "retry"]),
        st.integers(0, 5),
    ),
    max_size=40,
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_counts_add_up_and_nothing_is_finished_twice(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    store = open_home(tmp_path_factory.mktemp("queue"))
    now, added, finished = 10, 0, list[str]()
    held: list[tuple[LeasedEntry, str]] = []
    for number, (step, which) in enumerate(steps):
        owner = f"worker {number}"
        match step:
            case "put":
                added += put(store, f"s{which % 3}", which)
            case "lease":
                taken = lease(store, owner, now)
                held += [] if taken is None else [(taken, owner)]
            case "die":
                now += LEASE_MS
            case "finish" if held:
                work, owner = held.pop(which % len(held))
                finished += [work.id] if finish(store, work, owner) else []
            case "fail" | "bury" if held:
                work, owner = held.pop(which % len(held))
                with store.work_queue(write=True) as queue:
                    if step == "fail":
                        queue.release(work, owner, now + which, "down", blamed=bool(which % 2))
                    else:
                        queue.mark_dead(work, owner, "no")
            case "retry":
                with store.write("t") as tx:
                    for entry in tx.queue.list_entries(QueueState.DEAD, 10):
                        tx.queue.retry(entry.id)
    with store.read("t") as tx:
        status = tx.queue.status()
        entries = tx.queue.list_entries(None, 100)
    store.close()
    assert len(finished) == len(set(finished)) == status.done
    assert status.waiting + status.done + status.dead + status.dropped == added == len(entries)
    assert {entry.id for entry in entries if entry.state is QueueState.DONE} == set(finished)
