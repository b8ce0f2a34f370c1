"""A request is told by the template of its path, whatever stands in it and however it ends."""

import anyio
import httpx2
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from memoria.surface.http.observing import Observation, ObservedRequest, ObserveRequests
from memoria.surface.http.tracing import Tracing


class Told:
    """An observer that remembers."""

    def __init__(self) -> None:
        self.begun = 0
        self.ended = list[tuple[str, str, int]]()

    def begin_request(self) -> None:
        self.begun += 1

    def end_request(self, request: ObservedRequest) -> None:
        assert request.seconds > 0
        self.ended.append((request.method, request.route, request.status))

    def end_call(self, name: str, outcome: str, seconds: float) -> None:
        raise AssertionError((name, outcome, seconds))


async def test_a_request_that_nobody_waits_for_is_no_failure_of_the_server() -> None:
    told = Told()
    leaving = anyio.CancelScope()

    async def wait(_scope: Scope, _receive: Receive, _send: Send) -> None:
        leaving.cancel()
        await anyio.sleep_forever()

    async def nothing() -> Message:
        raise AssertionError("nothing is read")

    async def no_one(_message: Message) -> None:
        raise AssertionError("nothing is sent")

    observed = ObserveRequests(wait, Observation([told]))
    with leaving:
        await observed({"type": "http", "method": "GET", "path": "/"}, nothing, no_one)
    assert told.ended == [("GET", "unmatched", 499)]


async def answer(request: Request) -> Response:
    if request.path_params["thing"] == "koala":
        raise ValueError("the koala is asleep")
    return Response("fine")


@pytest.mark.anyio
async def test_a_request_is_told_by_its_template_and_a_failure_by_its_status() -> None:
    told, exporter, provider = Told(), InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracing = Tracing(provider)
    app = Starlette(routes=[Route("/things/{thing}", answer, methods=["GET"])])
    app.add_middleware(ObserveRequests, observation=Observation([told], tracing))
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        for method, path in (
            ("GET", "/things/wombat?q=dingo"),
            ("GET", "/things/koala"),
            ("DELETE", "/things/wombat"),
            ("GET", "/wombat"),
        ):
            await client.request(method, path)
    tracing.stop()
    assert told.begun == 4
    assert told.ended == [
        ("GET", "/things/{thing}", 200),
        ("GET", "/things/{thing}", 500),
        ("DELETE", "/things/{thing}", 405),
        ("GET", "unmatched", 404),
    ]
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == [f"{one[0]} {one[1]}" for one in told.ended]
    statuses = [(span.attributes or {}).get("http.response.status_code") for span in spans]
    assert statuses == [200, 500, 405, 404]
    assert [span.status.is_unset for span in spans] == [True, False, True, True]
    written = "".join(span.to_json() for span in spans)
    assert not any(word in written for word in ("wombat", "koala", "dingo"))
