"""By file, by error and by command: what failed, what worked afterwards, and what was said."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import JsonValue

import memoria
from memoria import Memoria
from memoria.errors import InvalidInputError
from memoria.language.budget import price_text
from memoria.surface.text import result_text

pytestmark = pytest.mark.anyio
LOCKED = (
    'Exit code 1\nTraceback (most recent call last):\n  File "/home/ann/shop/load.py", line 12\n'
    "sqlite3.OperationalError: database is locked"
)


def call(line: str, result: str, *, failed: bool = False) -> dict[str, JsonValue]:
    told: JsonValue = {"is_error": True, "content": result} if failed else result
    return {
        "role": "tool",
        "tool_name": "Bash",
        "tool_args": {"command": line},
        "tool_result": told,
    }


def edit(path: str, *, failed: bool = False) -> dict[str, JsonValue]:
    return {
        "role": "tool",
        "tool_name": "Edit",
        "tool_args": {"file_path": path, "old_string": "a", "new_string": "b"},
        "tool_result": {"is_error": True, "content": "no"} if failed else "updated",
    }


FIRST: list[dict[str, JsonValue]] = [
    {"role": "user", "content": "Load the catalogue, please."},
    call("python load.py --all", LOCKED, failed=True),
    call("ls data", "a.csv"),
    edit("/home/ann/shop/load.py"),
    call("cd /home/ann/shop && python load.py --all | tail -3", "1200 rows"),
    {"role": "assistant", "content": "The database is locked while the server runs; WAL helps."},
    call("npm install zod", "Exit code 1\nnpm error Unsupported URL Type", failed=True),
    call("pnpm add zod", "added 1"),
    {"role": "assistant", "content": "We take pnpm here, npm knows no workspace: URL."},
    call("git mv src/lexer.rs src/scan/scanner.rs", ""),
]
SECOND: list[dict[str, JsonValue]] = [
    {"role": "user", "content": "The scanner.rs stays hand-written, a generator lost the spans."},
    edit("src/scan/scanner.rs"),
    call("python load.py --all", LOCKED.replace("12", "99"), failed=True),
]
OTHER: list[dict[str, JsonValue]] = [
    call("python load.py --all", "Exit code 1\nValueError: another shop", failed=True)
]


@pytest.fixture(scope="module")
async def memory(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    home: Path = tmp_path_factory.mktemp("home")
    async with memoria.open(home) as opened:
        for number, (session, project) in enumerate(
            [(FIRST, "shop"), (SECOND, "shop"), (OTHER, "bakery")]
        ):
            day = f"2026-03-0{number + 2}T09:0"
            turns = [{**turn, "at": f"{day}{i % 10}:00Z"} for i, turn in enumerate(session)]
            await opened.record_conversation(turns, session_id=f"s{number}", workspace=project)
        yield opened


async def test_a_failure_is_told_with_what_worked_and_what_was_changed_in_between(
    memory: Memoria,
) -> None:
    found = await memory.search_memory(command="python load.py", workspace="shop")
    (outcome,) = found.calls
    assert (outcome.failed.what, outcome.times) == ("python load.py --all", 1)
    assert outcome.error == "sqlite3.OperationalError: database is locked"
    assert outcome.worked is not None
    assert outcome.worked.what.endswith("python load.py --all | tail -3")
    assert (outcome.way, [one.what for one in outcome.between]) == (
        "same",
        ["Edit /home/ann/shop/load.py"],
    )
    assert outcome.said is not None
    assert outcome.said.what.startswith("The database is locked")
    turn = await memory.get_turn(outcome.worked.id)
    assert turn.turn.tool_result == "1200 rows"


@pytest.mark.parametrize(
    "pasted",
    [
        "database is locked",
        'File "/srv/x/load.py", line 7\nsqlite3.OperationalError: database is locked\n',
    ],
)
async def test_an_error_is_known_whatever_line_and_path_were_pasted_with_it(
    memory: Memoria, pasted: str
) -> None:
    found = await memory.search_conversation_traces(error=pasted, workspace="shop")
    (outcome,) = found.calls
    assert outcome.worked is not None
    assert (await memory.search_memory(error="disk is full", workspace="shop")).calls == ()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"error": "port in use"}, "Nothing on record failed so. Nearest:"),
        ({"command": "terraform apply catalogue"}, "Nothing on record was run so. Nearest:"),
    ],
)
async def test_where_no_call_is_as_asked_the_first_line_says_so(
    memory: Memoria, asked: dict[str, str], told: str
) -> None:
    found = await memory.search_memory(workspace="shop", **asked)
    assert not found.answered
    assert result_text(found).splitlines()[0] == told


async def test_what_only_somebody_said_of_an_error_is_an_answer(memory: Memoria) -> None:
    found = await memory.search_memory(error="a generator lost the spans", workspace="shop")
    assert found.answered
    assert "lost the spans" in found.hits[0].text


async def test_a_port_in_use_is_found_by_the_words_that_its_errors_have(tmp_path: Path) -> None:
    said = ("EADDRINUSE: address already in use :::8080", "Error: port 8080 is already in use")
    async with memoria.open(tmp_path) as opened:
        for n, text in enumerate(said):
            turns = [call(f"node s{n}.js", text, failed=True), call(f"node s{n}.js", "it serves")]
            await opened.record_conversation(turns, session_id=f"p{n}", workspace="shop")
        found = await opened.search_memory(error="already in use", workspace="shop")
    assert {one.error for one in found.calls} == {*said}
    assert all(one.worked is not None for one in found.calls)


async def test_another_command_of_its_kind_counts_as_what_worked(memory: Memoria) -> None:
    found = await memory.search_memory(command="npm install", workspace="shop")
    (outcome,) = found.calls
    assert outcome.worked is not None
    assert (outcome.worked.what, outcome.way) == ("pnpm add zod", "other")
    assert outcome.said is not None
    assert outcome.said.what.startswith("We take pnpm here")


@pytest.mark.parametrize("path", ["lexer.rs", "src/lexer.rs", "/home/ann/shop/src/lexer.rs"])
async def test_a_file_is_followed_through_its_rename(memory: Memoria, path: str) -> None:
    found = await memory.search_memory(file=path, workspace="shop")
    assert found.hits[0].text.startswith("The scanner.rs stays hand-written")
    assert not found.calls


async def test_a_question_beside_a_file_orders_what_was_said_about_it(memory: Memoria) -> None:
    found = await memory.search_memory("why by hand", file="scanner.rs", workspace="shop")
    assert found.query == "why by hand"
    assert "hand-written" in found.hits[0].text


async def test_other_projects_have_their_own_outcomes(memory: Memoria) -> None:
    found = await memory.search_memory(command="python load.py", workspace="bakery")
    (outcome,) = found.calls
    assert (outcome.error, outcome.worked) == ("ValueError: another shop", None)
    assert "nothing on record has worked since" in result_text(found)


async def test_a_small_budget_holds_outcomes_and_hits(memory: Memoria) -> None:
    for tokens in (50, 120, 400):
        found = await memory.search_memory(
            command="python load.py", workspace="shop", max_tokens=tokens
        )
        assert price_text(result_text(found)) <= tokens


async def test_a_search_without_words_and_without_a_file_error_or_command_is_refused(
    memory: Memoria,
) -> None:
    with pytest.raises(InvalidInputError, match="query is empty"):
        await memory.search_memory(file=" ")


async def test_what_is_forgotten_is_in_no_outcome(tmp_path: Path) -> None:
    settings = memoria.Settings(home=tmp_path, forget_grace_days=7)
    async with memoria.open(settings=settings) as opened:
        receipt = await opened.record_conversation(FIRST, session_id="s")
        failed = receipt.turns[1].id
        assert (await opened.search_memory(command="python load.py")).calls
        preview = await opened.preview_forget([failed], include_source=True)
        await opened.forget_memory(ids=[failed], include_source=True, token=preview.token)
        assert not (await opened.search_memory(command="python load.py")).calls
        (report,) = await opened.list_forget_reports()
        await opened.undo_forget(report.id)
        (outcome,) = (await opened.search_memory(command="python load.py")).calls
        assert outcome.failed.id == failed
