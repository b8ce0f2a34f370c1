"""The calls that the page on REST shows do what they say."""

import json
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from tests.docs.pages import DOCS, blocks
from tests.surface.http.rest.conftest import StartSeeded

from memoria.surface.http.rest.routes import ROUTES

EXPORT = "@mine.jsonl"
PAGE: Path = DOCS / "guide" / "rest.md"


def list_calls(values: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield each `curl` of the page as a request; words such as ID are looked up as they come."""
    for block in blocks(PAGE, "bash"):
        for words in _split(block.code):
            yield _read_call([_fill_in(word, values) for word in words])


def _split(text: str) -> Iterator[list[str]]:
    """Yield the words of each `curl`, which may go over several lines."""
    words = shlex.split(text)
    starts = [i for i, word in enumerate(words) if word == "curl"]
    for start, end in pairwise([*starts, len(words)]):
        yield words[start + 1 : end]


def _fill_in(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def _read_call(words: list[str]) -> dict[str, Any]:
    request: dict[str, Any] = {"method": "GET", "headers": {}}
    given = iter(words)
    for word in given:
        match word:
            case "--oauth2-bearer":
                assert next(given) == "$MEMORIA_TOKEN"
            case "--json":
                method = request["method"]
                request |= {"json": json.loads(next(given))}
                request["method"] = "POST" if method == "GET" else method
            case "-i" | "-G":
                continue
            case "--data-urlencode":
                request["params"].append(tuple(next(given).split("=", 1)))
            case "--output":
                assert next(given) == EXPORT.removeprefix("@")
            case "--data-binary":
                request |= {"content": next(given), "method": "POST"}
            case "-X":
                request["method"] = next(given)
            case "-H":
                name, _, value = next(given).partition(": ")
                request["headers"][name] = value
            case url:
                parts = urlsplit(url.removeprefix("$URL"))
                request |= {"url": parts.path, "params": parse_qsl(parts.query)}
    return request


def read_next(answer: httpx2.Response) -> str:
    """Return what a later call takes of an answer: the lines of an export, or a preview's token."""
    if answer.headers["content-type"] != "application/json":
        return answer.text
    return f'"{answer.json().get("token")}"'


@pytest.mark.anyio
async def test_every_call_of_the_page_is_answered(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        values = {'"ID"': f'"{seeded.ids["memory"]}"', "/ID": f"/{seeded.ids['memory']}"}
        called = 0
        for request in list_calls(values):
            answer = await seeded.admin.request(**request)
            assert answer.status_code == 200, (request, answer.text)
            values[EXPORT if request["url"] == "/memory/export" else '"TOKEN"'] = read_next(answer)
            values['"ETAG"'] = answer.headers.get("etag", "")
            called += 1
        assert called > 10


def test_the_page_names_every_path_that_there_is() -> None:
    text = PAGE.read_text("utf-8")
    for route in ROUTES:
        stem = route.open_path.partition("/{")[0]
        assert stem in text, route.path
