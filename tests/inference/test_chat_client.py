"""The gate: pauses, the day's tokens, and how many questions are under way."""

import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest
from tests.inference.conftest import RED, TENANT, Books, OpenGate, question
from tests.llm.scripted import Asked, Behaviour, ScriptedModel, fails, hangs, rate_limited, says

from memoria.errors import AskingStoppedError, BudgetSpentError, ModelUnavailableError
from memoria.inference.chat.client import ChatClient
from memoria.inference.chat.retry_after import LONGEST_PAUSE_S, retry_pause_s
from memoria.model import DAY_MS, DailyCap, TokenPrice, now_millis

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 30
NOON = 20_000 * DAY_MS + DAY_MS // 2


def red(_: Asked) -> object:
    return {"colour": "red"}


def test_a_long_pause_is_not_waited_for_but_told(server: ScriptedModel, gate_to: OpenGate) -> None:
    server.script.append(fails(429, retry_after="300"))
    server.answer = red
    gate, before = gate_to(server), now_millis()
    for _ in range(2):
        with pytest.raises(ModelUnavailableError) as caught:
            gate.ask(TENANT, question())
        assert caught.value.retry_at is not None
        assert before + 300_000 <= caught.value.retry_at <= now_millis() + 300_000
    assert len(server.requests) == 1


def test_limits_that_a_good_answer_used_up_hold_the_next_question(
    server: ScriptedModel, gate_to: OpenGate
) -> None:
    server.script.append(
        says(
            {"colour": "red"},
            x_ratelimit_remaining_tokens="0",
            x_ratelimit_reset_tokens="6m0s",
        )
    )
    gate = gate_to(server)
    assert gate.ask(TENANT, question()) == RED
    with pytest.raises(ModelUnavailableError, match="wants no request before"):
        gate.ask(TENANT, question())
    assert len(server.requests) == 1


PAUSES = {
    "seconds": ({"retry-after": "7"}, 7),
    "part of a second": ({"retry-after": "0.5"}, 0.5),
    "milliseconds first": ({"retry-after-ms": "20", "retry-after": "7"}, 0.02),
    "a date": ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90),
    "a date gone by": ({"retry-after": "Thu, 01 Jan 1970 00:00:01 GMT"}, 0),
    "beyond belief": ({"retry-after": "999999999"}, LONGEST_PAUSE_S),
    "nonsense": ({"retry-after": "soon"}, None),
    "negative": ({"retry-after": "-5"}, None),
    "not a number": ({"retry-after": "nan"}, None),
    "endless": ({"retry-after": "9" * 5000}, None),
    "nothing": ({}, None),
    "a limit with room": (
        {"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "1s"},
        None,
    ),
    "the longer of two": (
        {
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "1s",
            "x-ratelimit-remaining-tokens": "0",
            "x-ratelimit-reset-tokens": "1h6m0.5s",
        },
        3960.5,
    ),
    "a span of milliseconds": (
        {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"},
        0.02,
    ),
    "a bare span": ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "3"}, 3),
}


@pytest.mark.parametrize("name", PAUSES)
def test_what_headers_ask_for_is_understood(name: str) -> None:
    headers, pause_s = PAUSES[name]
    assert retry_pause_s(headers, now=10_000) == pytest.approx(pause_s)


def test_the_days_tokens_are_never_exceeded_and_come_back_at_midnight(
    server: ScriptedModel, gate_to: OpenGate, books: Books
) -> None:
    server.answer = red
    clock = [NOON]
    gate = gate_to(server, daily_tokens=600, now=lambda: clock[0])
    for _ in range(3):  # 120 tokens each; the fourth might take 277
        gate.ask(TENANT, question())
    with pytest.raises(BudgetSpentError, match="llm_daily_tokens") as caught:
        gate.ask(TENANT, question())
    assert caught.value.retry_at == 20_001 * DAY_MS
    assert gate.ask("bob", question()) == RED
    assert len(server.requests) == 4
    assert books.outcomes() == ["ok"] * 4
    clock[0] = 20_001 * DAY_MS
    assert gate.ask(TENANT, question()) == RED


def test_the_days_money_is_never_exceeded_and_the_error_names_its_setting(
    server: ScriptedModel, gate_to: OpenGate
) -> None:
    server.answer = red
    price = TokenPrice(input=1, output=1)
    cap = DailyCap(tokens=10**6, cost=600 / 10**6, price=price)
    gate = gate_to(server, daily_cap=cap, now=lambda: NOON)
    for _ in range(3):  # as above
        gate.ask(TENANT, question())
    with pytest.raises(BudgetSpentError, match="llm_daily_cost for more") as caught:
        gate.ask(TENANT, question())
    assert caught.value.retry_at == 20_001 * DAY_MS
    less = DailyCap(tokens=10**6, cost=100 / 10**6, price=price)
    with pytest.raises(BudgetSpentError, match="more than a whole day has"):
        gate_to(server, daily_cap=less).ask("bob", question())
    assert len(server.requests) == 3


def test_a_question_larger_than_a_day_is_told_so(server: ScriptedModel, gate_to: OpenGate) -> None:
    with pytest.raises(BudgetSpentError, match="more than a whole day has") as caught:
        gate_to(server, daily_tokens=100).ask(TENANT, question())
    assert caught.value.retry_at is None
    assert server.requests == []


def test_no_more_questions_are_under_way_than_may_be(gate_to: OpenGate) -> None:
    together, lock = threading.Barrier(2), threading.Lock()
    under_way, most = 0, 0

    def answer(_: Asked) -> object:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        together.wait(TIMEOUT_S)  # so that there are two indeed
        with lock:
            under_way -= 1
        return {"colour": "red"}

    with ScriptedModel(answer=answer) as server, ThreadPoolExecutor(6) as threads:
        gate = gate_to(server, concurrency=2)
        answers = [threads.submit(gate.ask, TENANT, question()) for _ in range(6)]
        assert [answer.result(TIMEOUT_S) for answer in answers] == [RED] * 6
    assert most == 2


WAITS: dict[str, tuple[Behaviour, str]] = {
    "for an answer": (hangs(), "open"),
    "between two tries": (rate_limited(19_000), "unavailable"),
}


@pytest.mark.parametrize("name", WAITS)
def test_a_stop_ends_every_wait(
    server: ScriptedModel, gate_to: OpenGate, books: Books, name: str
) -> None:
    behaviour, outcome = WAITS[name]
    server.answer = lambda _: behaviour
    gate = gate_to(server, timeout_s=600, concurrency=1)
    asked, queued = _asked_by_another(gate), _asked_by_another(gate)
    server.wait_for_requests(1)
    books.wait_for(outcome)
    gate.stop()
    for future in (asked, queued):
        assert isinstance(future.exception(10), AskingStoppedError)
    with pytest.raises(AskingStoppedError):
        gate.ask(TENANT, question())
    assert "open" not in books.outcomes()


def _asked_by_another(gate: ChatClient) -> Future[object]:
    """A question asked from a thread that nobody waits for."""
    future: Future[object] = Future()

    def ask() -> None:
        try:
            future.set_result(gate.ask(TENANT, question()))
        except AskingStoppedError as error:
            future.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    return future


def test_a_process_that_is_killed_while_it_asks_leaves_an_entry_at_its_most(
    server: ScriptedModel, books: Books
) -> None:
    program = """
        import sys
        from pathlib import Path
        from tests.inference.conftest import TENANT, Books, question
        from memoria.inference.chat.endpoint import EndpointChat
        from memoria.inference.chat.client import ChatClient, ChatLimits
        from memoria.model import DailyCap
        books = Books(Path(sys.argv[1]))
        model = EndpointChat(sys.argv[2], "tiny", None, 600)
        limits = ChatLimits(600, 1, 1, DailyCap(tokens=100_000))
        client = ChatClient(model, books.ledger, limits)
        client.ask(TENANT, question(most=300))
    """
    server.answer = lambda _: hangs()
    asking = subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, "-c", dedent(program), str(books.path), server.url], cwd=ROOT
    )
    server.wait_for_requests(1)
    asking.kill()
    asking.wait(TIMEOUT_S)
    (call,) = books.calls()
    assert (call.outcome, call.output_tokens) == ("open", 300)


def test_a_failure_that_is_not_the_models_is_entered_by_its_kind_alone(
    gate_to: OpenGate, books: Books
) -> None:
    class Broken:
        name = "broken"

        def ask(self, _: object) -> object:
            raise RuntimeError("the salary is 46,000")

        def close(self) -> None:
            """Nothing to close."""

    with pytest.raises(RuntimeError):
        gate_to(Broken()).ask(TENANT, question())
    (call,) = books.calls()
    assert (call.outcome, call.detail) == ("failed", "RuntimeError")
