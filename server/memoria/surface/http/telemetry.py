"""Telemetry of a server: metrics, logs and spans, each where it was asked for."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from tempfile import TemporaryDirectory

from memoria.config import Settings
from memoria.surface.http.addresses import parse_address
from memoria.surface.http.logs import LogForm, RequestLog, start_logging
from memoria.surface.http.observing import Observation, Observer
from memoria.surface.http.tracing import start_tracing

_SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Variable of prometheus-client: the folder in which processes count that are summed up."""


def start_observing(log: LogForm | None, *, counts: bool) -> Observation:
    """Start what this process tells of the requests that it serves.

    Spans are made where the standard variables of OpenTelemetry ask for them.

    Args:
        log: form of the lines that are written for requests; None for none.
        counts: whether requests are counted, for metrics.

    Raises:
        InvalidInputError: spans are asked for, and what sends them is not installed.
    """
    start_logging(log)
    observers: list[Observer] = [] if log is None else [RequestLog()]
    if counts:
        from memoria.surface.http.metrics import count_calls  # noqa: PLC0415  (only who asks pays for it)

        observers.append(count_calls())
    return Observation(observers, start_tracing())


@contextmanager
def show_metrics(address: str | None, settings: Settings, workers: int = 1) -> Iterator[None]:
    """Show metrics as long as the block runs, in which the processes that serve are started.

    Args:
        address: where; None for nowhere.
        settings: those of the home whose figures are shown.
        workers: number of processes that serve; one serves in this process.

    Raises:
        InvalidInputError: the address can't be read, or nobody can listen there.
    """
    if address is None:
        yield
        return
    host, port = parse_address(address, "--metrics")
    with ExitStack() as stack:
        if workers > 1:  # before anything imports the client: it looks only once
            folder = stack.enter_context(TemporaryDirectory(prefix="memoria-metrics-"))
            os.environ[_SHARED_FOLDER] = folder
            stack.callback(os.environ.pop, _SHARED_FOLDER, None)
        from memoria.surface.http.metrics import HomeReader, build_registry, serve_metrics  # noqa: PLC0415  (as above)

        read = None
        if settings.homes is None:  # of thousands of homes nobody opens each to count
            read = stack.enter_context(closing(HomeReader(settings))).read
        registry = build_registry(read, os.environ.get(_SHARED_FOLDER))
        stack.enter_context(serve_metrics(registry, host, port))
        yield
