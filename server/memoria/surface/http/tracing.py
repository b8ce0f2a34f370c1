"""Tracing: spans of calls from face to store, sent by OpenTelemetry where its variables say so.

A span has names and numbers of ours: no text, no id, no tenant, no message of an error. That is why
the SDK's own spans of MCP are not sent, and why no provider is made the process's.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

from opentelemetry.context import Context
from opentelemetry.propagate import extract
from opentelemetry.trace import Span, SpanKind, StatusCode, get_current_span

from memoria.bare.spans import Figure, spans
from memoria.errors import InvalidInputError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_SERVICE = "memoria"
_PARTS = frozenset(("read store", "write store"))
"""Steps that are timed within others alone: what looks for work in the background has many."""
_STOPS_WITHIN_S = 2.0
"""Seconds for which a stop waits for spans to be sent: their collector may be away."""


class CallSpan:
    """A span of a call under way."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def name(self, name: str) -> None:
        """Name it anew, now that more is known."""
        self._span.update_name(name)

    def note(self, figures: Mapping[str, Figure]) -> None:
        """Add attributes."""
        self._span.set_attributes(figures)

    def fail(self, kind: str) -> None:
        """Mark it as failed.

        Args:
            kind: what went wrong, by the name of its kind and never in words.
        """
        self._span.set_attribute("error.type", kind)
        self._span.set_status(StatusCode.ERROR)


class Tracing:
    """Makes spans of calls and of their steps."""

    def __init__(self, provider: "TracerProvider") -> None:
        """Begin to time the steps of this process.

        Args:
            provider: where spans go.
        """
        self._provider = provider
        self._tracer = provider.get_tracer(_SERVICE)
        spans.begin = self.time_step

    @contextmanager
    def time_call(self, name: str, carriers: Sequence[Mapping[str, object]]) -> Iterator[CallSpan]:
        """Time a call as a span, part of the caller's trace where the caller names one.

        Args:
            name: of the call.
            carriers: where the caller may name its trace, the first of them first.
        """
        with self._time(name, SpanKind.SERVER, {}, _find_caller(carriers)) as span:
            yield CallSpan(span)

    @contextmanager
    def time_step(self, name: str, figures: Mapping[str, Figure]) -> Iterator[None]:
        """Time a step of whatever is under way in this thread, or one that is work by itself."""
        if name in _PARTS and not get_current_span().get_span_context().is_valid:
            yield
            return
        named = {f"{_SERVICE}.{key}": value for key, value in figures.items()}
        with self._time(name, SpanKind.INTERNAL, named, None):
            yield

    @contextmanager
    def _time(
        self, name: str, kind: SpanKind, figures: Mapping[str, Figure], caller: Context | None
    ) -> Iterator[Span]:
        with self._tracer.start_as_current_span(
            name,
            caller,
            kind,
            figures,
            record_exception=False,  # its message may quote what somebody said
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except Exception as error:
                CallSpan(span).fail(type(error).__qualname__)
                raise

    def stop(self) -> None:
        """Time nothing more, and send what is left, within two seconds or not at all."""
        spans.begin = None
        ending = Thread(target=self._provider.shutdown, daemon=True)
        ending.start()
        ending.join(_STOPS_WITHIN_S)


def start_tracing(exporter: "SpanExporter | None" = None) -> Tracing | None:
    """Start tracing as the standard variables say; None where they name no endpoint.

    Args:
        exporter: takes the spans, instead of an exporter to the endpoint.

    Raises:
        InvalidInputError: the variables ask for it, and the extra is not installed.
    """
    if exporter is None and not _is_wanted():
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise InvalidInputError(
            f"{_ENDPOINTS[0]} asks for spans, and what sends them is not installed: pip install "
            "'memoria-server[otel]'. OTEL_SDK_DISABLED=true goes on without."
        ) from error

    name = os.environ.get("OTEL_SERVICE_NAME", _SERVICE)
    provider = TracerProvider(
        resource=Resource.create({"service.name": name}), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
    return Tracing(provider)


def _is_wanted() -> bool:
    """Check whether the standard variables ask for spans over OTLP."""
    is_off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    exporter = os.environ.get("OTEL_TRACES_EXPORTER", "otlp")
    return not is_off and exporter == "otlp" and any(map(os.environ.get, _ENDPOINTS))


def _find_caller(carriers: Sequence[Mapping[str, object]]) -> Context:
    """Return the trace that a caller names; an empty one, which begins a new trace, for none."""
    for carrier in carriers:
        texts = {key: value for key, value in carrier.items() if isinstance(value, str)}
        found = extract(texts, Context())
        if get_current_span(found).get_span_context().is_valid:
            return found
    return Context()
