"""Health tells the truth: alive, and ready once calls can be served as well as they ever will."""

import threading
from collections.abc import Callable
from typing import Never

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from memoria.errors import StoreUnavailableError
from memoria.inference import LazyEmbedder
from memoria.inference.base import Embedder
from memoria.surface.http.health import Readiness


def fail_to_load() -> Never:
    raise OSError("the model's file is damaged")


def fail_to_read() -> Never:
    raise StoreUnavailableError("disk I/O error")


async def ask(readiness: Readiness) -> tuple[int, object]:
    app = Starlette(routes=[Route("/readyz", readiness.answer)])
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/readyz")
        return answer.status_code, answer.json().get("reason", "")


def load_when(event: threading.Event) -> Callable[[], Embedder]:
    def load() -> Embedder:
        event.wait()
        return fail_to_load()

    return load


@pytest.mark.anyio
async def test_a_server_is_ready_from_when_its_home_is_open_until_it_stops() -> None:
    readiness = Readiness()
    assert await ask(readiness) == (503, "the home is not open")
    readiness.begin(lambda: None, None)
    assert await ask(readiness) == (200, "")
    readiness.end()
    assert await ask(readiness) == (503, "the home is not open")


@pytest.mark.anyio
async def test_a_server_is_not_ready_while_its_model_loads_and_is_when_that_failed() -> None:
    may_end = threading.Event()
    embedder = LazyEmbedder("a model", load_when(may_end))
    readiness = Readiness()
    readiness.begin(lambda: None, embedder)
    assert await ask(readiness) == (503, "the embedding model is loading")
    may_end.set()
    with pytest.raises(Exception, match="can't be loaded"):
        embedder.wait_for_embedder(None)
    assert await ask(readiness) == (200, "")


@pytest.mark.anyio
async def test_a_server_whose_store_does_not_answer_is_not_ready() -> None:
    readiness = Readiness()
    readiness.begin(fail_to_read, None)
    status, reason = await ask(readiness)
    assert status == 503
    assert "store" in str(reason)
