"""What the server refuses by its form, the OpenAPI document refuses as well."""

from datetime import date
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no type information
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surface.http.rest.conftest import StartSeeded

from memoria.model.moments import parse_instant
from memoria.surface.http.rest.openapi import build_openapi

REFUSED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/memory/search", {"query": " "}),
    ("/memory/search", {"query": "a", "queries": [""]}),
    ("/memory/search", {"query": "a", "queries": ["b"] * 9}),
    ("/memory/search", {"query": "a", "without": ["luck"]}),
    ("/memory/search", {"query": "a", "since": "2026-02-29"}),
    ("/memory/search", {"query": "a", "as_of": ""}),
    ("/memory/traces", {"query": "a", "until": "soon"}),
    ("/memory/recall", {"query": "a", "max_tokens": 199}),
    ("/memory/recall", {"query": "a", "max_tokens": 100_001}),
    ("/memory/recall", {"query": "a", "short_term_turns": 1_001}),
    ("/memory/nodes", {"content": ""}),
    ("/memory/nodes", {"content": "Ben reviews.", "entities": [""]}),
    ("/memory/nodes", {"content": "Ben reviews.", "entities": list("abcdefghi")}),
    ("/memory/nodes", {"content": "Ben reviews.", "entities": [{"name": ""}]}),
    ("/memory/nodes", {"content": "Ben reviews.", "entities": [{"name": "a" * 101}]}),
    ("/memory/nodes", {"content": "Ben reviews.", "valid_from": "soon"}),
    ("/memory/nodes", {"content": "Ben reviews.", "quote": "Ben"}),
    ("/memory/ingest", {}),
    ("/memory/ingest", {"turns": [{"role": "user", "content": "a", "at": "soon"}]}),
    ("/memory/ingest", {"turns": [{"role": "user"}]}),
    ("/memory/ingest", {"turns": [{"role": "user", "content": "a", "session_id": ""}]}),
    ("/memory/ingest", {"turns": [{"role": "user", "content": "a", "speaker": "b" * 501}]}),
    ("/memory/webhooks", {"url": "events.example.com"}),
    ("/memory/ingest", {"turns": [{"role": "tool", "content": "", "tool_result": None}]}),
    ("/memory/nodes/batch", {"memories": []}),
    ("/memory/nodes/batch", {"memories": [{"content": "Ben reviews."}] * 51}),
    ("/memory/consolidate", {"steps": ["luck"]}),
    ("/memory/consolidate", {"since": "soon"}),
    ("/memory/forget/preview", {}),
    ("/memory/forget/preview", {"topic": ""}),
    ("/memory/forget/preview", {"ids": ["a"], "topic": "b"}),
    ("/memory/forget/preview", {"topic": "b", "since": "soon"}),
)


def is_allowed(path: str, body: dict[str, Any]) -> bool:
    """Return whether the document allows a body."""
    document = build_openapi()
    told = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    schema = {**told, "components": document["components"]}
    return bool(jsonschema.Draft202012Validator(schema).is_valid(body))


@pytest.mark.anyio
async def test_what_is_refused_for_its_form_is_not_allowed_by_the_document(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        for path, body in REFUSED:
            answer = await seeded.admin.post(path, json=body)
            assert answer.status_code == 422, (path, body, answer.text)
            assert not is_allowed(path, body), (path, body)


@pytest.mark.anyio
async def test_a_whole_number_may_be_written_with_a_point(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        answer = await seeded.admin.post(
            "/memory/search",
            content='{"query": "checkout", "limit": 1.0}',
            headers={"Content-Type": "application/json"},
        )
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["hits"]) == 1


def _pattern() -> str:
    search = build_openapi()["paths"]["/memory/search"]["post"]["requestBody"]["content"]
    return str(search["application/json"]["schema"]["properties"]["since"]["pattern"])


@given(st.from_regex(_pattern(), fullmatch=True))
def test_a_date_that_the_document_allows_is_one(text: str) -> None:
    parse_instant(text)


@given(st.dates())
def test_the_document_allows_every_day_of_the_years_1000_to_2999(day: date) -> None:
    body = {"query": "a", "since": day.isoformat()}
    assert is_allowed("/memory/search", body) == (1000 <= day.year < 3000)
