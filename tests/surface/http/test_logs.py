"""A line a request says what was called, and nothing of what was said."""

import json
import logging
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Never

import pytest
from tests.surface.http.conftest import Era, StartServer
from tests.surface.http.observed import serve_calls

from memoria.surface.http.logs import LogForm, RequestLog, list_exception, start_logging
from memoria.surface.http.observing import Observation, ObservedRequest

FORMS: tuple[LogForm, ...] = ("text", "json")
PATHS = {"/mcp", "/memory/nodes/{memory_id}", "/memory/scratchpads/{session_id}", "unmatched"}


def fail(error: Exception) -> Never:
    raise error


@pytest.fixture
def _logging_as_before() -> Iterator[None]:
    """What a server does to the process's logging ends with the test."""
    root, requests = logging.getLogger(), logging.getLogger("memoria.requests")
    before, level, requests_level = root.handlers[:], root.level, requests.level
    yield
    root.handlers[:] = before
    root.setLevel(level)
    requests.setLevel(requests_level)


@pytest.mark.anyio
@pytest.mark.usefixtures("_logging_as_before")
@pytest.mark.parametrize("era", ["auto", "legacy"])
@pytest.mark.parametrize("form", FORMS)
async def test_each_request_is_a_line_without_content_token_or_query(
    start_server: StartServer, capsys: pytest.CaptureFixture[str], form: LogForm, era: Era
) -> None:
    start_logging(form)
    async with start_server(observation=Observation([RequestLog()])) as server:
        served = await serve_calls(server, era)
    written = capsys.readouterr().err
    assert [one for one in served.secrets if one.lower() in written.lower()] == []
    end = served.token.token.id[-8:]
    lines = written.splitlines()
    if form == "json":
        rows = [row for line in lines if "method" in (row := json.loads(line))]
        assert {row["route"] for row in rows} <= PATHS
        kept = next(row for row in rows if row.get("call") == "tools/call remember")
        assert (kept["method"], kept["status"], kept["token"]) == ("POST", 200, end)
        assert isinstance(kept["ms"], int)
        assert datetime.fromisoformat(kept["time"]).tzinfo is not None
        assert [row["status"] for row in rows].count(401) == 2
    else:
        (kept_line,) = [line for line in lines if "tools/call remember" in line]
        assert " POST /mcp tools/call remember 200 " in kept_line
        assert kept_line.endswith(f" ms token {end}")
        assert sum(" POST unmatched 401 " in line for line in lines) == 2
    assert "readyz" not in written


@pytest.mark.usefixtures("_logging_as_before")
@pytest.mark.parametrize("form", [None, *FORMS])
def test_an_exception_is_logged_with_its_kind_and_place_and_without_its_message(
    capsys: pytest.CaptureFixture[str], form: LogForm | None
) -> None:
    start_logging(form)
    try:
        try:
            fail(ValueError("the quokka hangs"))
        except ValueError as error:
            raise OSError(28, "No space for the wombat", "/home/koala") from error
    except OSError:
        logging.getLogger("memoria.test").exception("It failed")
    written = capsys.readouterr().err
    assert "It failed" in written
    assert "builtins.ValueError" in written
    assert "builtins.OSError ENOSPC" in written
    assert "test_logs.py:" in written
    assert not any(word in written for word in ("quokka", "wombat", "koala"))


def test_every_exception_of_a_group_and_what_it_came_from_is_listed() -> None:
    try:
        try:
            fail(KeyError("first"))
        except KeyError:
            raise ExceptionGroup("both", [TypeError("second"), RuntimeError("third")])  # noqa: B904
    except ExceptionGroup:
        lines = list_exception(sys.exc_info())
    kinds = [line.removeprefix("builtins.") for line in lines if not line.startswith(" ")]
    assert kinds == ["KeyError", "ExceptionGroup", "TypeError", "RuntimeError"]


@pytest.mark.usefixtures("_logging_as_before")
def test_without_a_form_requests_are_not_logged_and_warnings_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    start_logging(None)
    RequestLog().end_request(ObservedRequest("GET", status=200))
    logging.getLogger("memoria.test").warning("The disk is nearly full")
    assert capsys.readouterr().err.endswith("WARNING memoria.test: The disk is nearly full\n")
