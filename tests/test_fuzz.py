"""The fuzzer: a small share of it runs here, always the same, and it finds what it is for."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from bench.fuzz import judge
from bench.fuzz.campaign import Campaign, Tally, shown
from bench.fuzz.draw import COMMANDS, formats, schema_of
from bench.fuzz.judge import Problem
from bench.fuzz.values import Deep, Given, Long, Odd, real, replaced
from bench.fuzz.world import usual_server
from pydantic import BaseModel

from memoria import Memoria
from memoria.config import Settings
from memoria.errors import InvalidInputError, StoreUnavailableError
from memoria.inference.base import Embedder
from memoria.surface.cli.main import app
from memoria.surface.mcp.server import MemoriaServer


def campaign(first_seed: int, count: int, sequences: int, **options: Any) -> Tally:  # noqa: ANN401
    """Rounds without vectors, because the model takes seconds to load."""
    said: list[str] = []
    run = Campaign(first_seed, sequences=sequences, vectors=False, say=said.append, **options)
    return run.run(rounds=count)


def test_nothing_a_caller_sends_breaks_a_promise() -> None:
    tally = campaign(1, 2, sequences=40)
    assert [shown(find) for find in tally.finds.values()] == []
    assert tally.sequences >= 80
    faces = {name.partition(" ")[0] for name, _, _ in tally.outcomes}
    assert faces >= {"tool", "library", "resource", "prompt", "settings", "command", "import"}
    assert {outcome for name, outcome, _ in tally.outcomes if name.startswith("tool")} >= {
        "done",
        "refused",
    }


def test_the_same_seed_is_the_same_run() -> None:
    first, again = (campaign(5, 1, sequences=8) for _ in range(2))
    assert (first.calls, first.outcomes) == (again.calls, again.outcomes)


class Wire(BaseModel):
    """What the broken tools promise."""

    n: int


def crashes(level: int = 0) -> Wire:
    """A tool that breaks when asked for much."""
    return Wire(n=100 // max(4 - level, 0))


def promises(words: str) -> Wire:
    """A tool that gives what its schema does not say."""
    raise InvalidInputError("no sentence at all" if words else "nothing")


def with_broken_tools(settings: Settings, embedder: Embedder | None) -> MemoriaServer:
    server = usual_server(settings, embedder)
    for tool in (crashes, promises):
        server.tools.add(tool)
    return server


def test_what_is_broken_is_found_once_and_shrunk_and_the_run_goes_on() -> None:
    tally = campaign(3, 1, sequences=40, serve=with_broken_tools)
    crash = tally.finds["raised ZeroDivisionError", "tool crashes"]
    assert crash.steps == ["ToolCall(tool='crashes', arguments={'level': 4})"]
    assert (crash.seed, crash.era, crash.reproduced) == (3, "legacy", True)
    assert "no" in tally.finds["error is no sentence", "tool promises"].detail
    assert set(tally.finds) == {
        ("raised ZeroDivisionError", "tool crashes"),
        ("error is no sentence", "tool promises"),
    }
    assert tally.sequences > 40


def problems(*found: Iterator[Problem]) -> list[str]:
    return [problem.kind for one in found for problem in one]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Error executing tool search_memory", "error says 'Error executing tool'"),
        ("1 validation error for X [type=missing, input_value=3].", "error says 'input_value'"),
        ("The store failed: disk I/O error. Try again.", "error says 'store failed'"),
        ("x" * 3_000, "error longer than 2000 characters"),
        ("nope", "error is no sentence"),
        ("There is no half \ud83d of it.", "answer can't be sent: UnicodeEncodeError"),
    ],
)
def test_an_error_that_helps_nobody_is_a_find(text: str, kind: str) -> None:
    assert kind in problems(judge.refusal(text, "tool x"))


def test_an_error_that_says_what_to_do_is_none() -> None:
    assert problems(judge.refusal("There is no memory x. Find its id with a search.", "x")) == []
    assert problems(judge.raised(InvalidInputError("query is empty. Ask in words."), "x")) == []


def test_an_exception_that_is_not_ours_is_a_find_and_so_is_one_that_blames_the_store() -> None:
    assert problems(judge.raised(TypeError("x"), "x")) == ["raised TypeError"]
    blamed = StoreUnavailableError("The store failed. Try again.")
    assert problems(judge.raised(blamed, "x")) == ["bad input blamed on the store"]


def test_an_answer_must_be_what_it_promises() -> None:
    schema = Wire.model_json_schema()
    assert problems(judge.answer({"n": 1}, "one", schema, "x")) == []
    assert problems(judge.answer({"n": "1"}, "one", schema, "x")) == [
        "answer does not fit its schema"
    ]
    assert problems(judge.answer(None, "one", schema, "x")) == ["answer without structured content"]
    assert problems(judge.answer({"n": 1}, " ", schema, "x")) == ["answer without a text twin"]
    assert problems(judge.answer({"n": float("nan")}, "x", {}, "x")) == [
        "answer can't be sent: ValueError"
    ]
    assert problems(judge.budget("word " * 1_000, 100, "x")) == ["answer beyond its budget"]
    assert problems(judge.pace(60.0, "x")) == ["slow"]


def test_what_there_is_to_call_is_read_from_the_product() -> None:
    assert "jsonl" in formats()
    parameters = inspect.signature(Memoria.search_memory).parameters
    assert set(schema_of(Memoria.search_memory)["properties"]) == set(parameters) - {"self"}
    group: Any = typer.main.get_command(app)
    assert {"remember", "search", "traces", "show", "revise"} <= set(COMMANDS) & set(group.commands)


def test_placeholders_stand_for_what_they_say() -> None:
    value = {"a": [Given(3), Long("ab", 5), Deep(2, None), Deep(1, "k")]}
    assert real(value, ["x", "y"]) == {"a": ["y", "ababa", [["bottom"]], {"k": "bottom"}]}
    assert real(Odd("a tuple"), []) == ("a", 1)


def test_a_path_leads_as_far_as_it_can() -> None:
    value = {"a": [1, {"b": 2}]}
    assert replaced(value, (), 9) == 9
    assert replaced(value, (0, 1, 5, 7), 9) == {"a": [1, {"b": 9}]}
    assert replaced(value, (0, 2), 9) == {"a": [9, {"b": 2}]}
