"""Logs: calls to chat models, and actions on memories and turns."""

import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from textwrap import dedent
from typing import cast

import pytest
from tests.databases import change_rows

import memoria
from memoria import Memoria, Settings
from memoria.errors import InvalidInputError
from memoria.memories.changes import ACTION as NOTE_TO_UNDO
from memoria.model import COMMAND_LINE, DAY_MS, DailyCap, ModelCall, TokenPrice
from memoria.store.engine import Store, StoreLedger
from memoria.store.rows.transaction import Transaction

OpenStore = Callable[[Path], Store]
TODAY = 20_000 * DAY_MS
HUNDRED = DailyCap(tokens=100)
SPENDER = """
    import sys
    from memoria.app.engine import open_store
    from memoria.config import Settings
    from memoria.model import DailyCap, ModelCall
    from memoria.store.engine import StoreLedger

    store = open_store(Settings.load(home=sys.argv[1]))
    ledger, today = StoreLedger(store), int(sys.argv[2])
    call = ModelCall(at=today + 5, purpose="extract", prompt="x/1", model="m",
                     input_tokens=10, output_tokens=90, outcome="open")
    done = 1
    cap = DailyCap(tokens=4050)
    assert ledger.reserve("ann", call, today, cap)  # so that each of them spends something
    print("ready", flush=True)
    sys.stdin.readline()
    while (n := ledger.reserve("ann", call, today, cap)) is not None:
        done += 1
        if done % 3:  # the others are never settled: their process might have died
            ledger.settle("ann", n, call.model_copy(update={"output_tokens": 40, "outcome": "ok"}))
    print(done, flush=True)
    store.close()
"""


def call(at: int = TODAY, tokens: int = 10, outcome: str = "open") -> ModelCall:
    return ModelCall(
        at=at,
        purpose="extract",
        prompt="x/1",
        model="m",
        input_tokens=tokens,
        output_tokens=tokens,
        outcome=outcome,
    )


def test_two_processes_together_spend_no_more_than_the_cap(store: Store, home: Path) -> None:
    arguments = [sys.executable, "-c", dedent(SPENDER), str(home), str(TODAY)]
    spenders = [
        subprocess.Popen(  # noqa: S603  (our own program)
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for spender in spenders:
        assert spender.stdout is not None
        assert spender.stdout.readline() == "ready\n"
    done = [0, 0]
    for spender in spenders:
        assert spender.stdin is not None
        spender.stdin.write("go\n")
        spender.stdin.flush()
    for i, spender in enumerate(spenders):
        out, _ = spender.communicate(timeout=60)
        assert spender.returncode == 0
        done[i] = int(out)
    with store.read("ann") as tx:
        spent = tx.ledger.spending(TODAY, TODAY + DAY_MS)
    assert spent.calls == sum(done)
    assert 4050 - 100 < spent.tokens <= 4050


class Announcing:
    """A store that says when somebody is about to change it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.about_to_write = threading.Event()
        self.read = store.read

    def write(self, tenant: str, *, only_adds: bool = False) -> AbstractContextManager[Transaction]:
        self.about_to_write.set()
        return self._store.write(tenant, only_adds=only_adds)


def test_who_waits_for_another_process_counts_what_that_one_spent(
    open_store: OpenStore, home: Path
) -> None:
    one, other = open_store(home), Announcing(open_store(home))
    with ThreadPoolExecutor(1) as thread:
        with one.write("ann") as tx:
            ledger = StoreLedger(cast("Store", other))
            entered = thread.submit(ledger.reserve, "ann", call(tokens=50), TODAY, HUNDRED)
            assert other.about_to_write.wait(30)
            tx.ledger.add(call(tokens=50))
        assert entered.result(30) is None


def test_a_call_that_was_never_settled_counts_at_its_most(store: Store) -> None:
    ledger = StoreLedger(store)
    assert ledger.reserve("ann", call(tokens=50), TODAY, DailyCap(tokens=150)) is not None
    assert ledger.reserve("ann", call(tokens=50), TODAY, DailyCap(tokens=150)) is None
    assert ledger.reserve("bob", call(tokens=50), TODAY, DailyCap(tokens=150)) is not None


def test_calls_of_another_day_count_for_nothing(store: Store) -> None:
    ledger = StoreLedger(store)
    for at in (TODAY - 1, TODAY + DAY_MS):  # the clock may have been wrong
        with store.write("ann") as tx:
            tx.ledger.add(call(at, 50))
    assert ledger.reserve("ann", call(tokens=50), TODAY, HUNDRED) is not None


def test_a_call_is_read_back_as_it_went(store: Store) -> None:
    ledger = StoreLedger(store)
    n = ledger.reserve("ann", call(), TODAY, HUNDRED)
    assert n is not None
    went = call(outcome="refused").model_copy(update={"duration_ms": 12, "detail": "HTTP 400"})
    ledger.settle("bob", n, call(outcome="ok"))  # nobody settles another's
    ledger.settle("ann", n, went)
    with store.read("ann") as tx:
        assert tx.ledger.newest() == went
    with store.read("nobody") as tx:
        assert tx.ledger.newest() is None


@pytest.mark.parametrize("tokens", [50, 51])
def test_the_last_token_of_the_day_may_be_spent_and_no_more(store: Store, tokens: int) -> None:
    entered = StoreLedger(store).reserve("ann", call(tokens=tokens), TODAY, HUNDRED)
    assert (entered is not None) == (tokens == 50)


PRICE = TokenPrice(input=2, output=10)


@pytest.mark.parametrize(("cost", "allowed"), [(0.0012, True), (0.0011, False)])
def test_the_days_money_holds_where_its_tokens_would_suffice(
    store: Store, cost: float, *, allowed: bool
) -> None:
    ledger, cap = StoreLedger(store), DailyCap(tokens=10**6, cost=cost, price=PRICE)
    assert ledger.reserve("ann", call(tokens=50), TODAY, cap)  # .0006: 50 at 2, 50 at 10 a million
    assert (ledger.reserve("ann", call(tokens=50), TODAY, cap) is not None) == allowed
    assert ledger.reserve("bob", call(tokens=50), TODAY, cap)


def test_money_that_is_left_over_buys_no_more_than_the_days_tokens(store: Store) -> None:
    cap = DailyCap(tokens=100, cost=10**6, price=PRICE)
    ledger = StoreLedger(store)
    assert ledger.reserve("ann", call(tokens=50), TODAY, cap)
    assert ledger.reserve("ann", call(tokens=1), TODAY, cap) is None


def test_what_was_not_spent_after_all_can_be_spent_again(store: Store) -> None:
    ledger, cap = StoreLedger(store), DailyCap(tokens=10**6, cost=0.0006, price=PRICE)
    n = ledger.reserve("ann", call(tokens=50), TODAY, cap)
    assert n is not None
    ledger.settle("ann", n, call(tokens=50).model_copy(update={"output_tokens": 0}))
    assert ledger.reserve("ann", call(tokens=51), TODAY, cap) is None
    assert ledger.reserve("ann", call(tokens=41), TODAY, cap) is not None


@pytest.fixture
async def plain(home: Path) -> AsyncIterator[Memoria]:
    """A memory without vectors."""
    settings = Settings.load(home=home, tenant="ann", embedder="off")
    async with memoria.open(settings=settings) as opened:
        yield opened


def log(home: Path) -> list[tuple[object, ...]]:
    with change_rows(home) as connection:
        return connection.tuples(
            "SELECT channel, action, subject, detail FROM audit_log ORDER BY n"
        )


async def test_every_change_of_a_memory_is_a_line_without_its_words(
    plain: Memoria, home: Path
) -> None:
    kept = await plain.remember("Ann likes oolong")
    await plain.revise_memory(kept.id, "correct", "Ann likes sencha")
    await plain.with_channel(COMMAND_LINE).revise_memory(kept.id, "confirm")
    await plain.revise_memory(kept.id, "archive")
    await plain.remember("Ann likes sencha")
    lines = log(home)
    deeds = [line for line in lines if line[1] != NOTE_TO_UNDO]
    assert [(channel, action) for channel, action, _, _ in deeds] == [
        ("library", "remember"),
        ("library", "correct"),
        ("cli", "confirm"),
        ("library", "archive"),
        ("library", "restore"),
    ]
    assert {subject for _, _, subject, _ in deeds} == {kept.id}
    assert len(lines) == 2 * len(deeds)
    assert "oolong" not in str(lines)
    assert "sencha" not in str(lines)


async def test_what_was_refused_is_not_written_down(plain: Memoria, home: Path) -> None:
    with pytest.raises(InvalidInputError):
        await plain.remember("   ")
    assert log(home) == []


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM audit_log",
        "UPDATE audit_log SET action = 'nothing'",
        pytest.param(
            "REPLACE INTO audit_log SELECT n, tenant_id, at, channel, client, 'x', subject, "
            "detail, caller FROM audit_log",
            marks=pytest.mark.sqlite("REPLACE is SQLite's"),
        ),
    ],
    ids=["delete", "update", "replace"],
)
async def test_a_line_can_be_neither_changed_nor_taken_out(
    plain: Memoria, home: Path, change: str
) -> None:
    await plain.remember("Ann likes oolong")
    before = log(home)
    with pytest.raises(Exception, match="append-only"), change_rows(home) as connection:
        connection.execute(change)
    assert log(home) == before
