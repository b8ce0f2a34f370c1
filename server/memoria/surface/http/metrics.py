"""Metrics for Prometheus: requests and calls of this process, and figures of the whole home.

No figure has a tenant: a label a tenant would multiply the series, and tell whoever reads them who
uses the memory and how much. None derives from what was said either.

Where several processes serve, each counts in a folder that they share, and whoever has started them
shows the sums.
"""

import logging
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    make_wsgi_app,
    start_http_server,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from memoria.app.engine import open_store
from memoria.bare.remote import is_own_machine
from memoria.config import Settings
from memoria.errors import InvalidInputError, StoreError
from memoria.model.status import HomeFigures, QueueState
from memoria.store.engine import Store
from memoria.surface.http.addresses import strip_port

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication

    from memoria.surface.http.observing import ObservedRequest

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the histograms' buckets."""
_KEPT_S = 10.0
"""Seconds for which figures of the home are kept: so often a scrape reads the store at most."""
_MS_PER_S = 1000
_LOG = logging.getLogger(__name__)
_OWN = CollectorRegistry()
"""What this process counts."""
disable_created_metrics()  # type: ignore[no-untyped-call]  # a series more for each; nobody asks


class CallMetrics:
    """Counts the requests and calls of this process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "memoria_http_requests",
            "Requests over HTTP, by the template of their path and the status of the answer.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._request_seconds = Histogram(
            "memoria_http_request_seconds",
            "Time until the last byte of an answer; a stream's, until it was closed.",
            ("method", "route"),
            registry=registry,
            buckets=_SECONDS,
        )
        self._in_progress = Gauge(
            "memoria_http_requests_in_progress",
            "Requests that are not answered yet, open streams included.",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._calls = Counter(
            "memoria_mcp_calls",
            "Calls of MCP, by the tool, or the method of other calls, and how they ended.",
            ("name", "outcome"),
            registry=registry,
        )
        self._call_seconds = Histogram(
            "memoria_mcp_call_seconds",
            "Time of a call of MCP.",
            ("name",),
            registry=registry,
            buckets=_SECONDS,
        )

    def begin_request(self) -> None:
        """Count a request as under way."""
        self._in_progress.inc()

    def end_request(self, request: "ObservedRequest") -> None:
        """Count a request that was answered."""
        self._in_progress.dec()
        self._requests.labels(request.method, request.route, str(request.status)).inc()
        self._request_seconds.labels(request.method, request.route).observe(request.seconds)

    def end_call(self, name: str, outcome: str, seconds: float) -> None:
        """Count a call that was answered."""
        self._calls.labels(name, outcome).inc()
        self._call_seconds.labels(name).observe(seconds)


@cache
def count_calls() -> CallMetrics:
    """Return what counts the calls of this process, the same for everybody in it."""
    return CallMetrics(_OWN)


class HomeReader:
    """Reads the figures of a home, through a store of its own: whoever serves may be others."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._store: Store | None = None

    def read(self) -> HomeFigures:
        """Return the figures; the store is opened when they are first asked for.

        Raises:
            StoreError: the store can't be opened or read.
        """
        if self._store is None:
            self._store = open_store(self._settings)
        return self._store.figures()

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()


class HomeCollector(Collector):
    """Figures of the home, read when somebody asks for them and kept for some seconds."""

    def __init__(
        self, read: Callable[[], HomeFigures], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._clock = clock
        self._lock = Lock()
        self._kept: tuple[float, HomeFigures | None] | None = None

    def describe(self) -> list[Metric]:
        """Return nothing, so that a server starts before its home can be read."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the figures; of a home that can't be read, only that it is so."""
        figures = self._find()
        yield _gauge("memoria_home_up", "1 if the home can be read.", int(figures is not None))
        if figures is not None:
            yield from _describe_home(figures)

    def _find(self) -> HomeFigures | None:
        with self._lock:  # two who ask at once read the store once
            if self._kept is None or self._clock() - self._kept[0] >= _KEPT_S:
                self._kept = (self._clock(), self._try())
            return self._kept[1]

    def _try(self) -> HomeFigures | None:
        try:
            return self._read()
        except StoreError as error:
            _LOG.warning("The home's figures can't be read: %s", error)
            return None


class SummedCollector(Collector):
    """Sums of what several processes have counted in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sums = MultiProcessCollector(None, str(folder))  # type: ignore[no-untyped-call]

    def describe(self) -> list[Metric]:
        """Return nothing: what there is, is known when processes have counted."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the sums, of what is under way those of living processes alone."""
        for file in self._folder.glob("gauge_live*_*.db"):
            number = int(file.stem.rpartition("_")[2])
            if not _is_running(number):
                mark_process_dead(number, str(self._folder))  # type: ignore[no-untyped-call]
        yield from self._sums.collect()  # type: ignore[no-untyped-call]


def build_registry(
    read: Callable[[], HomeFigures] | None, folder: str | None = None
) -> CollectorRegistry:
    """Build the registry of everything that is shown.

    Args:
        read: reads the figures of the home, or raises StoreError; None where tenants have one each.
        folder: where other processes count; None where this process serves.
    """
    registry = CollectorRegistry()
    if read is not None:
        registry.register(HomeCollector(read))
    if folder is not None:
        registry.register(SummedCollector(Path(folder)))
        return registry
    registry.register(_OWN)
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    GCCollector(registry=registry)
    return registry


@contextmanager
def serve_metrics(registry: CollectorRegistry, host: str, port: int) -> Iterator[int]:
    """Show metrics to whoever asks at an address, as long as the block runs.

    At an address of this machine nobody is answered who calls it by another name, as a page in a
    browser could. Yields the port, which is a free one where 0 was given.

    Raises:
        InvalidInputError: nobody can listen there.
    """
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        raise InvalidInputError(
            f"--metrics: nothing can be served at {host}:{port}: {error.strerror}. Give another "
            "address."
        ) from error
    if is_own_machine(host):
        server.set_app(_check_name(make_wsgi_app(registry)))
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _check_name(app: "WSGIApplication") -> "WSGIApplication":
    """Return an application that answers whoever names this machine, and others with 421."""

    def answer(environ: dict[str, Any], start: "StartResponse") -> Iterable[bytes]:
        if is_own_machine(strip_port(environ.get("HTTP_HOST", "")).strip("[]")):
            return app(environ, start)
        start("421 Misdirected Request", [("Content-Type", "text/plain")])
        return [b"Call these metrics by the name of this machine, such as 127.0.0.1.\n"]

    return answer


def _is_running(number: int) -> bool:
    """Check whether a process that this one has started is running."""
    return any(one.pid == number for one in multiprocessing.active_children())


def _describe_home(figures: HomeFigures) -> Iterator[Metric]:
    yield _gauge("memoria_tenants", "Tenants that ever stored something.", figures.tenants)
    yield _gauge("memoria_database_bytes", "Size of the database.", figures.database_bytes)
    yield _gauge("memoria_embedding_pending", "Documents that wait for a vector.", figures.pending)
    yield _gauge("memoria_embedding_failed", "Documents whose vector was given up.", figures.failed)
    yield _by(
        "memoria_extraction_queue",
        "Segments in the extraction queue; finished ones are kept until the night.",
        "state",
        {state.value: figures.queue.get(state, 0) for state in QueueState},
    )
    yield _moment(
        "memoria_extraction_oldest_waiting",
        "When the oldest waiting segment came.",
        figures.oldest_waiting_at,
    )
    yield from _describe_calls(figures)
    yield _by(
        "memoria_nights",
        "Tenants by the state of their last night.",
        "state",
        {str(state): total for state, total in figures.nights.items()},
    )
    yield _moment(
        "memoria_night_newest",
        "When the last night that was finished began.",
        figures.newest_night_at,
    )
    yield _moment(
        "memoria_night_oldest",
        "When the last finished night began of the tenant whose last one is longest ago; "
        "of a tenant without one, when the tenant was first known.",
        figures.oldest_night_at,
    )
    yield _gauge(
        "memoria_forgets_hidden",
        "Forgets whose matter is hidden and not erased yet.",
        figures.hidden_forgets,
    )
    yield _gauge(
        "memoria_forgets_overdue",
        "Those of them whose period of grace is over.",
        figures.overdue_forgets,
    )
    yield _gauge(
        "memoria_scrub_pending",
        "1 if erased rows may still be readable in the files of the database.",
        int(figures.is_scrub_pending),
    )


def _describe_calls(figures: HomeFigures) -> Iterator[Metric]:
    calls = CounterMetricFamily(
        "memoria_chat_calls", "Calls of chat models that have ended.", labels=("outcome",)
    )
    for outcome, spent in figures.calls.items():
        calls.add_metric((outcome,), spent.calls)
    yield calls
    tokens = CounterMetricFamily(
        "memoria_chat_tokens", "Tokens that these calls took.", labels=("direction",)
    )
    spending = figures.calls.values()
    tokens.add_metric(("input",), sum(one.input_tokens for one in spending))
    tokens.add_metric(("output",), sum(one.output_tokens for one in spending))
    yield tokens


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value)


def _moment(name: str, meaning: str, at: int | None) -> Metric:
    """Return a moment as seconds since 1970; without a value where there is none."""
    value = None if at is None else at / _MS_PER_S
    return GaugeMetricFamily(f"{name}_timestamp_seconds", meaning, value)


def _by(name: str, meaning: str, label: str, values: dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, meaning, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), value)
    return family
