"""The endpoint is asked for JSON in the surest form it takes."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel
from tests.inference.conftest import KEY, PRIVATE, RED, TENANT, Books, OpenGate, question
from tests.llm.scripted import Asked, ScriptedModel, fails, says

from memoria.errors import ModelRefusedError
from memoria.inference.chat.answers import schema_without_limits
from memoria.inference.chat.base import ChatRequest
from memoria.inference.chat.endpoint import EndpointChat
from memoria.inference.chat.forms import first_form
from memoria.model import Operation


def red(_: Asked) -> object:
    return {"colour": "red"}


def test_a_question_is_sent_with_key_model_schema_and_cap(
    server: ScriptedModel, gate_to: OpenGate, books: Books
) -> None:
    server.answer = red
    assert gate_to(server).ask(TENANT, question()) == RED
    (asked,) = server.requests
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert (asked.instructions, asked.text) == ("Name the colour.", PRIVATE)
    assert (asked.body["model"], asked.body["max_tokens"]) == ("tiny", 200)
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    (call,) = books.calls()
    assert (call.purpose, call.prompt, call.model) == ("extract", "colour/7", "tiny")
    assert (call.input_tokens, call.output_tokens, call.outcome) == (100, 20, "ok")
    assert call.detail is None


def test_tokens_that_are_not_reported_are_estimated(
    server: ScriptedModel, gate_to: OpenGate, books: Books
) -> None:
    server.script.append(says({"colour": "red"}, usage=None))
    gate_to(server).ask(TENANT, question("x" * 400))
    (call,) = books.calls()
    assert (call.input_tokens, call.output_tokens) == (104, 5)


FORMS = {
    "all": (["json_schema", "json_object", "text"], ["json_schema"]),
    "no schema": (["json_object", "text"], ["json_schema", "json_schema", "json_object"]),
    "words alone": (["text"], ["json_schema", "json_schema", "json_object", "text"]),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_that_is_refused_gives_way_to_the_next_and_what_worked_is_remembered(
    gate_to: OpenGate, name: str
) -> None:
    taken, tried = FORMS[name]
    with ScriptedModel(answer=red, forms=taken) as server:
        gate = gate_to(server)
        assert gate.ask(TENANT, question()) == RED
        assert [asked.form for asked in server.requests] == tried
        assert gate.ask(TENANT, question()) == RED
        assert [asked.form for asked in server.requests[len(tried) :]] == [tried[-1]]
        in_words = "shades?: [string]" in server.requests[-1].instructions
        assert in_words == (tried[-1] != "json_schema")


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("http://127.0.0.1:11434/v1", "bounded_schema"),
        ("http://[::1]:8080/v1", "bounded_schema"),
        ("http://192.168.1.20:8000/v1", "bounded_schema"),
        ("http://ollama:11434/v1", "bounded_schema"),
        ("http://shed.local/v1", "bounded_schema"),
        ("https://api.example.com/v1", "json_object"),
        ("https://8.8.8.8/v1", "json_object"),
    ],
)
def test_a_server_nearby_is_sent_a_schema_and_any_other_the_form_in_words(
    url: str, form: str
) -> None:
    assert first_form(url) == form


def test_an_endpoint_that_calls_the_cap_otherwise_is_asked_its_way(gate_to: OpenGate) -> None:
    with ScriptedModel(answer=red, caps=["max_completion_tokens"]) as server:
        gate = gate_to(server)
        gate.ask(TENANT, question())
        gate.ask(TENANT, question())
    capped = ["max_completion_tokens" in asked.body for asked in server.requests]
    assert capped == [False, True, True]
    assert {asked.form for asked in server.requests} == {"json_schema"}


def test_a_question_that_is_refused_in_every_form_changes_none(
    server: ScriptedModel, gate_to: OpenGate
) -> None:
    server.script.extend([fails(400)] * 4)
    server.answer = red
    gate = gate_to(server)
    with pytest.raises(ModelRefusedError):
        gate.ask(TENANT, question())
    assert gate.ask(TENANT, question()) == RED
    assert server.requests[-1].form == "json_schema"


def test_a_key_of_the_environment_is_never_sent(
    server: ScriptedModel, gate_to: OpenGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.answer = red
    gate_to(EndpointChat(server.url, "tiny", None, timeout_s=30)).ask(TENANT, question())
    assert KEY not in str(server.requests[0].headers)


class Operations(BaseModel):
    """The largest answer there is."""

    operations: tuple[Operation, ...]


def bounded(asked: Asked) -> bool:
    return "maxLength" in str(asked.body["response_format"])


def test_lengths_are_part_of_the_schema_where_the_endpoint_takes_them(
    server: ScriptedModel, gate_to: OpenGate
) -> None:
    server.answer = lambda asked: (
        fails(400) if asked.form == "json_schema" and bounded(asked) else {"operations": []}
    )
    gate = gate_to(server)
    wanted = ChatRequest("extract", "colour/7", "Keep it.", PRIVATE, Operations, 200)
    for _ in range(2):
        assert gate.ask(TENANT, wanted) == Operations(operations=())
    assert [bounded(asked) for asked in server.requests] == [True, False, False]
    assert {asked.form for asked in server.requests} == {"json_schema"}


def objects(schema: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  (any JSON)
    """Every object that a schema describes."""
    if isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for inner in schema.values():
            yield from objects(inner)


def test_a_strict_schema_requires_every_field_and_allows_no_other() -> None:
    found = list(objects(schema_without_limits(Operations)))
    assert {"quote", "modality"} <= {name for one in found for name in one["properties"]}
    for one in found:
        assert one["required"] == list(one["properties"])
        assert one["additionalProperties"] is False
    text = str(schema_without_limits(Operations))
    assert [word for word in ("default", "maxLength", "'title'", "oneOf") if word in text] == []


class Odd(BaseModel):
    """Fields that are named like the words of a schema."""

    default: str = "x"
    title: str | None = None


def test_a_field_may_be_named_like_a_word_of_the_schema() -> None:
    assert list(schema_without_limits(Odd)["properties"]) == ["default", "title"]
