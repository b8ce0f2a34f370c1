"""The endpoint is asked for JSON in the surest form it takes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.databases import open_home
from tests.inference.conftest import KEY, PRIVATE, RED, TENANT, Books, OpenGate, question
from tests.inference.test_imports import loaded_by
from tests.llm.scripted import Asked, ScriptedModel, fails, rate_limited, says, scripted_command

import memoria
from memoria.config import Settings
from memoria.errors import InvalidInputError, ModelMisconfiguredError, ModelRefusedError
from memoria.inference.chat.base import ChatRequest
from memoria.inference.chat.client import ChatClient, chat_limits, choose_chat_model
from memoria.inference.chat.command import CommandChat
from memoria.inference.chat.endpoint import EndpointChat
from memoria.inference.chat.schema import first_form, schema_without_limits
from memoria.model import DAY_MS, Finding, ModelCall, Operation, now_millis
from memoria.store.engine import StoreLedger


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


URL = "http://127.0.0.1:11434/v1"


def test_there_is_none_until_one_is_configured() -> None:
    assert choose_chat_model(Settings.load()) is None


def test_an_endpoint_is_switched_on_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORIA_LLM_BASE_URL", URL)
    monkeypatch.setenv("MEMORIA_LLM_MODEL", "qwen3:8b")
    model = choose_chat_model(Settings.load())
    assert isinstance(model, EndpointChat)
    assert model.name == "qwen3:8b"


def test_a_command_is_switched_on_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORIA_LLM_COMMAND", "/opt/bin/claude -p --model haiku")
    model = choose_chat_model(Settings.load())
    assert isinstance(model, CommandChat)
    assert model.name == "command:claude"


def test_from_settings_to_an_answer(server: ScriptedModel, books: Books) -> None:
    settings = Settings.from_values(llm_base_url=server.url, llm_model="tiny", llm_attempts=2)
    model = choose_chat_model(settings)
    assert model is not None
    gate = ChatClient(model, StoreLedger(books.store), chat_limits(settings))
    server.script.extend([rate_limited(), says({"colour": "red"})])
    assert gate.ask(TENANT, question()) == RED
    assert books.outcomes() == ["unavailable", "ok"]
    gate.stop()


PRICES = {"llm_input_price": 2.0, "llm_output_price": 10.0}
REFUSED: dict[str, tuple[dict[str, object], str]] = {
    "a URL alone": ({"llm_base_url": URL}, "MEMORIA_LLM_MODEL"),
    "a model alone": ({"llm_model": "m"}, "MEMORIA_LLM_BASE_URL"),
    "a key alone": ({"llm_api_key": KEY}, "MEMORIA_LLM_BASE_URL"),
    "both ways": ({"llm_base_url": URL, "llm_model": "m", "llm_command": "x"}, "one of the two"),
    "a key and a command": ({"llm_api_key": KEY, "llm_command": "x"}, "one of the two"),
    "no URL": ({"llm_base_url": "localhost:11434", "llm_model": "m"}, "MEMORIA_LLM_BASE_URL"),
    "no port": ({"llm_base_url": "http://h:x/v1", "llm_model": "m"}, "MEMORIA_LLM_BASE_URL"),
    "a command without end": ({"llm_command": "x" * 5000}, "at most 4096 characters"),
    "an open quote": ({"llm_command": "claude 'p"}, "no closing quotation"),
    "nothing a day": ({"llm_daily_tokens": 0}, "MEMORIA_LLM_DAILY_TOKENS"),
    "no money a day": ({**PRICES, "llm_daily_cost": 0}, "MEMORIA_LLM_DAILY_COST"),
    "half a price": ({"llm_input_price": 1}, "MEMORIA_LLM_OUTPUT_PRICE"),
    "money without a price": ({"llm_daily_cost": 1}, "MEMORIA_LLM_INPUT_PRICE"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_half_a_configuration_is_refused_by_name(name: str) -> None:
    given, reason = REFUSED[name]
    with pytest.raises(InvalidInputError, match=reason) as caught:
        Settings.from_values(**given)
    assert KEY not in str(caught.value)


def test_choosing_a_command_loads_no_model_library() -> None:
    program = """
        from memoria.config import Settings
        from memoria.inference.chat.client import choose_chat_model
        assert choose_chat_model(Settings.from_values(llm_command="claude -p")) is not None
    """
    assert loaded_by(program) == set()


async def finding(home: Path, **given: object) -> Finding:
    settings = Settings.from_values(home=home, tenant="ann", embedder="off", **given)
    async with memoria.open(settings=settings) as opened:
        health = await opened.health()
    assert KEY not in repr(health)
    return next(one for one in health.findings if one.check == "chat model")


def spend(home: Path, tokens: int, outcome: str = "ok", at: int | None = None) -> None:
    store = open_home(home)
    with store.write("ann") as tx:
        tx.ledger.add(
            ModelCall(
                at=now_millis() if at is None else at,
                purpose="extract",
                prompt="x/1",
                model="m",
                input_tokens=tokens,
                output_tokens=0,
                outcome=outcome,
                detail=None if outcome == "ok" else "Check the key.",
            )
        )
    store.close()


async def test_doctor_says_how_to_switch_one_on(home: Path) -> None:
    found = await finding(home)
    assert (found.state, found.cure) == ("ok", None)
    assert "memoria model" in found.detail


async def test_doctor_names_host_and_model_and_the_days_tokens_and_asks_nothing(
    home: Path, server: ScriptedModel
) -> None:
    spend(home, 1234)
    spend(home, 99, at=now_millis() - DAY_MS)
    where = server.url.replace("http://", f"http://me:{KEY}@")
    found = await finding(home, llm_base_url=where, llm_model="tiny", llm_api_key=KEY)
    assert found.state == "ok"
    host = server.url.removeprefix("http://").removesuffix("/v1")
    assert found.detail == f"tiny at {host}; today 1 calls, 1,234 of 500,000 tokens"
    assert server.requests == []


async def test_doctor_says_what_the_day_cost_where_prices_are_stated(home: Path) -> None:
    spend(home, 1_500)
    model = {"llm_base_url": URL, "llm_model": "tiny", **PRICES}
    found = await finding(home, **model)
    assert found.detail.endswith("today 1 calls, 1,500 of 500,000 tokens, 0.003 in money")
    capped = await finding(home, **model, llm_daily_cost=1.25)
    assert "0.003 of 1.25 in money" in capped.detail
    assert capped.state == "ok"
    spend(home, 610_000)
    spent = await finding(home, **model, llm_daily_cost=1.25, llm_daily_tokens=10**7)
    assert spent.state == "warning"
    assert "llm_daily_cost" in (spent.cure or "")


async def test_doctor_names_the_command_without_its_arguments(home: Path, tmp_path: Path) -> None:
    command = scripted_command(tmp_path, "")
    found = await finding(home, llm_command=f"{command} --key {KEY}")
    assert found.state == "ok"
    assert found.detail.startswith("the command ")
    assert "--key" not in found.detail


WARNINGS: dict[str, tuple[tuple[int, str], dict[str, str], str]] = {
    "cap": ((499_000, "ok"), {"llm_base_url": URL, "llm_model": "m"}, "llm_daily_tokens"),
    "last call": ((1, "misconfigured"), {"llm_base_url": URL, "llm_model": "m"}, "Check the key."),
    "no program": ((1, "ok"), {"llm_command": "/nowhere/llm"}, "llm_command"),
}


@pytest.mark.parametrize("name", WARNINGS)
async def test_doctor_warns_of_what_keeps_questions_from_an_answer(home: Path, name: str) -> None:
    (tokens, outcome), given, cure = WARNINGS[name]
    spend(home, tokens, outcome)
    found = await finding(home, **given)
    assert found.state == "warning"
    assert cure in (found.cure or "")


def test_no_key_is_in_the_settings_shown() -> None:
    settings = Settings.from_values(llm_base_url=URL, llm_model="m", llm_api_key=KEY)
    assert KEY not in repr(settings)


async def test_a_setting_is_named_as_whoever_set_it_has_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"llm_command": "/nowhere/llm"}
    by_file = await finding(home, **given)
    assert by_file.cure == "Check llm_command. See memoria config."
    with pytest.raises(ModelMisconfiguredError, match=r"Check llm_command\. See memoria config\."):
        CommandChat("/nowhere/llm", 5).ask(question())
    monkeypatch.setenv("MEMORIA_LLM_COMMAND", "/nowhere/llm")
    by_environment = await finding(home, **given)
    assert by_environment.cure == "Check MEMORIA_LLM_COMMAND."
    with pytest.raises(ModelMisconfiguredError, match=r"Check MEMORIA_LLM_COMMAND\.$"):
        CommandChat("/nowhere/llm", 5).ask(question())
