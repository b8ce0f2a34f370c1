"""The gate: pauses, the day's tokens, and how many questions are under way."""

import gzip
import logging
import subprocess
import sys
import threading
import traceback
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest
from tests.inference.conftest import KEY, PRIVATE, RED, TENANT, Books, OpenGate, question
from tests.llm.scripted import (
    Asked,
    Behaviour,
    ScriptedModel,
    cuts,
    drips,
    empty,
    fails,
    hangs,
    prose,
    rate_limited,
    refuses,
    says,
)

from memoria.errors import (
    AskingStoppedError,
    BudgetSpentError,
    ChatModelError,
    InvalidAnswerError,
    ModelMisconfiguredError,
    ModelRefusedError,
    ModelUnavailableError,
)
from memoria.inference.chat.base import ChatRequest
from memoria.inference.chat.client import ChatClient
from memoria.inference.chat.endpoint import LONGEST_PAUSE_S, EndpointChat, retry_pause_s
from memoria.inference.tasks import Extraction
from memoria.model import DAY_MS, Add, DailyCap, TokenPrice, now_millis

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
        says({"colour": "red"}, x_ratelimit_remaining_tokens="0", x_ratelimit_reset_tokens="6m0s")
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
        [sys.executable, "-c", dedent(program), str(books.home), server.url], cwd=ROOT
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


GOOD = says({"colour": "red"})
TELLING = (KEY, "salary", "46,000", "Certainly", "Name the colour")
ECHO = f"{KEY} was refused for {PRIVATE}"


@dataclass(frozen=True)
class Fault:
    """What the model does for ever, and what comes of it."""

    behaviour: Behaviour
    error: type[ChatModelError]
    requests: int
    reason: str
    timeout_s: float = 30


UNAVAILABLE = {
    "rate limited": Fault(rate_limited(), ModelUnavailableError, 3, "HTTP 429"),
    "server error": Fault(fails(500, message=ECHO), ModelUnavailableError, 3, "HTTP 500"),
    "overloaded": Fault(fails(529), ModelUnavailableError, 3, "HTTP 529"),
    "hangs": Fault(hangs(), ModelUnavailableError, 1, "no answer within 0.2 s", 0.2),
    "drips": Fault(drips(), ModelUnavailableError, 1, "no answer within 0.2 s", 0.2),
    "cut": Fault(cuts(), ModelUnavailableError, 3, "broke off"),
    "web page": Fault(Behaviour(b"<html>Hello"), ModelUnavailableError, 3, "no chat completion"),
    "garbled body": Fault(Behaviour(b'{"choices": ['), ModelUnavailableError, 3, "no chat compl"),
    "without end": Fault(
        says("Certainly! " * 2_000_000), ModelUnavailableError, 3, "broke off its answer"
    ),
    "packed": Fault(
        Behaviour(gzip.compress(GOOD.body), headers={"content-encoding": "gzip"}),
        ModelUnavailableError,
        3,
        "broke off its answer",
    ),
    "no choice": Fault(Behaviour(b'{"choices": []}'), ModelUnavailableError, 3, "no chat compl"),
    "error with status 200": Fault(
        Behaviour(b'{"error": {"message": "no"}}'), ModelUnavailableError, 3, "no chat completion"
    ),
}
INVALID = {
    "invalid JSON": Fault(says('{"colour" "red"}'), InvalidAnswerError, 2, "json_invalid"),
    "wrong schema": Fault(says({"colour": "sad"}), InvalidAnswerError, 2, "colour literal_error"),
    "another field alone": Fault(says({PRIVATE: KEY}), InvalidAnswerError, 2, "extra_forbidden"),
    "a list": Fault(says(["red"]), InvalidAnswerError, 2, "model_type"),
    "empty": Fault(empty(), InvalidAnswerError, 2, "it is empty"),
    "nothing": Fault(says(None), InvalidAnswerError, 2, "it is empty"),
    "prose": Fault(prose(), InvalidAnswerError, 2, "json_invalid"),
    "cut off": Fault(
        says('{"colour": "r', finish="length"), InvalidAnswerError, 2, "cut off after 20 tokens"
    ),
    "deep": Fault(says("[" * 200_000), InvalidAnswerError, 2, "json_invalid"),
}
REFUSED = {
    "refusal": Fault(refuses(), ModelRefusedError, 1, "refused to answer"),
    "filtered": Fault(says("", finish="content_filter"), ModelRefusedError, 1, "refused"),
    "question filtered": Fault(fails(400, code="content_filter"), ModelRefusedError, 1, "filter"),
    "too long": Fault(
        fails(400, code="context_length_exceeded"), ModelRefusedError, 1, "context_length_exceeded"
    ),
    "too long for llama.cpp": Fault(
        fails(400, message="request (9 tokens) exceeds the available context size (8 tokens)"),
        ModelRefusedError,
        1,
        "Serve it with a larger context",
    ),
    "too long for vLLM": Fault(
        fails(400, message="This model's maximum context length is 8 tokens."),
        ModelRefusedError,
        1,
        "lower llm_output_tokens",
    ),
    "in no form": Fault(fails(400, message=ECHO), ModelRefusedError, 4, "HTTP 400"),
}
MISCONFIGURED = {
    "key": Fault(fails(401, message=ECHO), ModelMisconfiguredError, 1, "llm_api_key"),
    "rights": Fault(fails(403), ModelMisconfiguredError, 1, "llm_api_key"),
    "model": Fault(fails(404, code="model_not_found"), ModelMisconfiguredError, 1, "llm_model"),
    "path": Fault(fails(404, message=ECHO), ModelMisconfiguredError, 1, "llm_base_url"),
    "redirect": Fault(
        Behaviour(status=307, headers={"location": "http://127.0.0.1:9/v1/chat/completions"}),
        ModelMisconfiguredError,
        1,
        "HTTP 307: it sends us elsewhere",
    ),
    "quota": Fault(
        fails(429, code="insufficient_quota"), ModelMisconfiguredError, 1, "nothing left"
    ),
}
FAULTS = {**UNAVAILABLE, **INVALID, **REFUSED, **MISCONFIGURED}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_the_right_error_without_a_word_of_key_question_or_answer(
    server: ScriptedModel,
    gate_to: OpenGate,
    books: Books,
    name: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    fault = FAULTS[name]
    server.answer = lambda _: fault.behaviour
    gate = gate_to(server, timeout_s=fault.timeout_s)
    with pytest.raises(ChatModelError, match=fault.reason) as caught:
        gate.ask(TENANT, question())
    assert isinstance(caught.value, fault.error)
    assert len(server.requests) == fault.requests
    assert (caught.value.retry_at is not None) == (name in UNAVAILABLE)
    calls = fault.requests if name != "in no form" else 1  # one question in several forms
    assert books.outcomes() == [fault.error.outcome] * calls
    kept = books.text()
    shown = (kept, caplog.text, *traceback.format_exception(caught.value))
    assert "colour/7" in kept
    assert "colour/7" in caplog.text
    assert [word for word in TELLING for said in shown if word in said] == []


@pytest.mark.parametrize("name", [*sorted(UNAVAILABLE.keys() - {"hangs", "drips"}), *INVALID])
def test_what_passes_ends_in_the_answer(
    server: ScriptedModel, gate_to: OpenGate, books: Books, name: str
) -> None:
    server.script.extend([FAULTS[name].behaviour, GOOD])
    assert gate_to(server).ask(TENANT, question()) == RED
    assert len(server.requests) == 2
    assert books.outcomes() == [FAULTS[name].error.outcome, "ok"]


def test_an_endpoint_that_is_not_there_costs_nothing(gate_to: OpenGate, books: Books) -> None:
    absent = EndpointChat("http://127.0.0.1:9/v1", "tiny", KEY, timeout_s=5)
    with pytest.raises(ModelUnavailableError, match="can't be reached"):
        gate_to(absent).ask(TENANT, question())
    assert [(call.input_tokens, call.output_tokens) for call in books.calls()] == [(0, 0)] * 3


@pytest.mark.parametrize("name", ["hangs", "cut", "web page"])
def test_what_nobody_counted_is_entered_at_its_most(
    server: ScriptedModel, gate_to: OpenGate, books: Books, name: str
) -> None:
    fault = FAULTS[name]
    server.answer = lambda _: fault.behaviour
    with pytest.raises(ModelUnavailableError):
        gate_to(server, timeout_s=fault.timeout_s).ask(TENANT, question(most=300))
    assert {call.output_tokens for call in books.calls()} == {300}
    assert all(call.input_tokens > 0 for call in books.calls())


def test_tokens_that_no_request_can_take_are_estimated_instead(
    server: ScriptedModel, gate_to: OpenGate, books: Books
) -> None:
    server.script.append(says({"colour": "red"}, usage=(10**30, 10**30)))
    assert gate_to(server).ask(TENANT, question(most=300)) == RED
    (call,) = books.calls()
    assert 0 < call.input_tokens + call.output_tokens < 1_000


def test_an_unfit_answer_is_sent_back_with_what_is_wrong(
    server: ScriptedModel, gate_to: OpenGate, books: Books
) -> None:
    server.script.extend([says({"colour": "sad"}), GOOD])
    assert gate_to(server).ask(TENANT, question()) == RED
    first, second = server.requests
    assert second.text.startswith(first.text)
    assert '{"colour": "sad"}' in second.text
    assert "colour: Input should be 'red' or 'green'" in second.text
    assert "shades?: [string]" in second.text
    assert [call.prompt for call in books.calls()] == ["colour/7", "colour/7+repair/2"]


def test_of_an_answer_that_was_cut_off_little_is_sent_back(
    server: ScriptedModel, gate_to: OpenGate
) -> None:
    server.script.extend([says('{"colour": "' + "red " * 1000, finish="length"), GOOD])
    assert gate_to(server).ask(TENANT, question()) == RED
    first, second = (len(asked.text) for asked in server.requests)
    assert second - first < 2000
    assert "cut off after 20 tokens; be much shorter" in server.requests[1].text


ADD = {"op": "ADD", "type": "fact", "content": "c", "quote": "q", "turn": 1, "subject": "user"}
UNFIT = {key: value for key, value in ADD.items() if key != "content"}


def reading() -> ChatRequest[Extraction]:
    return ChatRequest("extract", "extract/1", "Read.", PRIVATE, Extraction, 200)


def test_a_flawed_operation_is_told_of_its_own_flaw_alone(
    server: ScriptedModel, gate_to: OpenGate
) -> None:
    server.answer = lambda _: {"operations": [UNFIT]}
    with pytest.raises(InvalidAnswerError) as caught:
        gate_to(server).ask(TENANT, reading())
    assert ": operations.0.ADD.content missing, " in str(caught.value)


def test_of_an_answer_the_unfit_operations_alone_are_asked_for_again(
    server: ScriptedModel, gate_to: OpenGate, books: Books
) -> None:
    server.script.append(says({"operations": [ADD, UNFIT, {"op": "NOTE", "text": "c"}]}))
    server.script.append(says({"operations": [{**ADD, "content": "d"}]}))
    answer = gate_to(server).ask(TENANT, reading())
    assert [one.content for one in answer.operations if isinstance(one, Add)] == ["c", "d"]
    again = server.requests[1].text
    assert PRIVATE not in again
    assert '{"item": {"op": "ADD", "type": "fact", "quote": "q", ' in again
    assert "content: it is missing" in again
    assert "op: it is none of ADD, UPDATE" in again
    assert [call.prompt for call in books.calls()] == ["extract/1", "extract/1+mend/1"]


@pytest.mark.parametrize("name", ["server error", "empty", "refusal", "key"])
def test_sound_operations_are_kept_whatever_comes_of_the_others(
    server: ScriptedModel, gate_to: OpenGate, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.script.append(says({"operations": [ADD, UNFIT]}))
    server.answer = lambda _: FAULTS[name].behaviour
    answer = gate_to(server).ask(TENANT, reading())
    assert len(answer.operations) == 1
    assert "1 items of an answer were left out: " in caplog.text


def test_a_question_that_is_repaired_holds_the_form_once(gate_to: OpenGate) -> None:
    with ScriptedModel([says("no"), GOOD], forms=["text"]) as server:
        assert gate_to(server).ask(TENANT, question()) == RED
        first, second = server.requests[-2:]
    for asked in (first, second):
        assert (asked.instructions + asked.text).count("shades?: [string]") == 1


def test_200_kilobytes_of_prose_are_not_sent_back(server: ScriptedModel, gate_to: OpenGate) -> None:
    server.script.extend([prose(200_000), GOOD])
    assert gate_to(server).ask(TENANT, question()) == RED
    assert len(server.requests[1].text) < 10_000


@pytest.mark.parametrize(
    "fence", ["Red: {}", "[{}]", "```json\n{}\n```", "```\n{}```\n", "\n```JSON\n{}\n```\n\n"]
)
def test_what_is_around_an_answer_is_taken_off(
    server: ScriptedModel, gate_to: OpenGate, fence: str
) -> None:
    server.script.append(says(fence.replace("{}", '{"colour": "red"}')))
    assert gate_to(server).ask(TENANT, question()) == RED
    assert len(server.requests) == 1


def test_a_key_that_no_header_can_hold_is_named_by_its_setting(
    server: ScriptedModel, gate_to: OpenGate
) -> None:
    model = EndpointChat(server.url, "tiny", "sk-密钥", timeout_s=5)
    with pytest.raises(ModelMisconfiguredError, match="llm_api_key"):
        gate_to(model).ask(TENANT, question())
