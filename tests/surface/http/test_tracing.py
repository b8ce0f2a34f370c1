"""Spans reach from the face to the store, and have nothing in them that anybody said."""

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.surface.http.conftest import Era, StartServer
from tests.surface.http.observed import serve_calls

from memoria.bare.spans import spans
from memoria.errors import InvalidInputError
from memoria.model.access import Access
from memoria.surface.http.observing import Observation
from memoria.surface.http.tracing import Tracing, start_tracing

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CALLER = {"traceparent": f"00-{TRACE}-{PARENT}-01"}


class Traced:
    """Tracing into the memory of the test."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracing = Tracing(provider)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.spans if span.name == name]

    def find_steps(self, call: ReadableSpan) -> set[str]:
        """Names of all that was done within a call, directly or not."""
        within, names = {call.context.span_id}, set[str]()
        for span in sorted(self.spans, key=lambda one: one.start_time or 0):
            if span.parent is not None and span.parent.span_id in within:
                within.add(span.context.span_id)
                names.add(span.name)
        return names


@pytest.fixture
def traced() -> Iterator[Traced]:
    made = Traced()
    yield made
    made.tracing.stop()


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_a_call_is_one_span_with_its_search_and_its_store_below_and_no_word_of_it(
    start_server: StartServer, traced: Traced, era: Era
) -> None:
    async with start_server(observation=Observation(tracing=traced.tracing)) as server:
        served = await serve_calls(server, era)
    searches = traced.named("tools/call search_memory")
    assert len(searches) == 3
    found = [one for one in searches if one.status.is_ok or one.status.is_unset]
    assert len(found) == 2
    for search in found:
        assert traced.find_steps(search) == {"search", "read store"}
    (kept,) = traced.named("tools/call remember")
    assert "write store" in traced.find_steps(kept)
    assert len(traced.named("tools/call unmatched")) == 1
    assert len(traced.named("GET unmatched")) == 1
    (looked, missed) = traced.named("GET /memory/nodes/{memory_id}")
    assert "read store" in traced.find_steps(looked) & traced.find_steps(missed)
    written = "".join(span.to_json() for span in traced.spans)
    assert [one for one in served.secrets if one.lower() in written.lower()] == []
    assert {event for span in traced.spans for event in span.events} == set()
    assert {span.status.description for span in traced.spans} == {None}


@pytest.mark.anyio
async def test_a_call_joins_the_trace_that_its_caller_names(
    start_server: StartServer, traced: Traced
) -> None:
    async with start_server(observation=Observation(tracing=traced.tracing)) as server:
        token = await server.create_token("ann", Access.READ)
        async with server.client(token.text) as http:
            await http.get("/nowhere", headers=CALLER)
            call = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
            given = {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "probe", "version": "1"},
            }
            accept = {"Accept": "application/json, text/event-stream"}
            await http.post("/mcp", json={**call, "params": given}, headers={**accept, **CALLER})
            meta = {"traceparent": f"00-{'1' * 32}-{PARENT}-01"}
            await http.post(
                "/mcp", json={**call, "params": {**given, "_meta": meta}}, headers=accept
            )
    joined = [format(one.context.trace_id, "032x") for one in traced.named("initialize")]
    assert joined == [TRACE, "1" * 32]
    (other,) = traced.named("GET unmatched")
    assert format(other.context.trace_id, "032x") == TRACE


@pytest.mark.anyio
async def test_what_fails_is_marked_by_its_kind_and_not_by_its_message(traced: Traced) -> None:
    with pytest.raises(ValueError, match="quokka"), spans.time("embed", texts=2):
        raise ValueError("the quokka is too long")
    (span,) = traced.spans
    assert json.loads(span.to_json())["attributes"] == {
        "memoria.texts": 2,
        "error.type": "ValueError",
    }
    assert not span.status.is_ok
    assert "quokka" not in span.to_json()


def test_nothing_is_timed_unless_the_standard_variables_ask_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for asked in (
        {},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_TRACES_EXPORTER": "none"},
    ):
        with monkeypatch.context() as patch:
            patch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
            for name, value in asked.items():
                patch.setenv(name, value)
            assert start_tracing() is None
    assert spans.begin is None
    assert isinstance(spans.time("embed", texts=1), nullcontext)
    assert spans.time("embed", texts=1) is spans.time("search")


def test_who_asks_for_spans_without_the_extra_is_told_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp", None)
    with pytest.raises(InvalidInputError, match=r"memoria-server\[otel\]"):
        start_tracing()


def test_spans_are_sent_under_the_service_s_name(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    exporter = InMemorySpanExporter()
    tracing = start_tracing(exporter)
    assert tracing is not None
    with spans.time("embed", texts=1):
        pass
    tracing.stop()
    (span,) = exporter.get_finished_spans()
    assert span.resource.attributes["service.name"] == "memoria"
    assert spans.begin is None
