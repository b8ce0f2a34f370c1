"""Whatever a chat endpoint does, a question ends in its answer or in the error that fits."""

import gzip
import logging
import sqlite3
import traceback
from dataclasses import dataclass

import pytest
from tests.inference.conftest import KEY, PRIVATE, RED, TENANT, Books, OpenGate, question
from tests.llm.scripted import (
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
    ChatModelError,
    InvalidAnswerError,
    ModelMisconfiguredError,
    ModelRefusedError,
    ModelUnavailableError,
)
from memoria.inference.chat.base import ChatRequest
from memoria.inference.chat.endpoint import EndpointChat
from memoria.inference.tasks import Extraction
from memoria.model import Add

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
    kept = "".join(sqlite3.connect(books.path).iterdump())
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
