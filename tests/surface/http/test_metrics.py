"""Metrics move with what is served and kept, and tell of nobody and of nothing that was said."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families
from tests.surface.http.conftest import Era, StartServer
from tests.surface.http.observed import serve_calls

from memoria import Settings
from memoria.app.engine import open_store
from memoria.errors import InvalidInputError, StoreUnavailableError
from memoria.model.status import HomeFigures, TokenSpending
from memoria.surface.http.metrics import (
    CallMetrics,
    HomeCollector,
    HomeReader,
    build_registry,
    serve_metrics,
)
from memoria.surface.http.observing import Observation
from memoria.surface.http.telemetry import show_metrics

LABELS = {"method", "route", "status", "name", "outcome", "state", "direction", "le"}
FIGURES = HomeFigures(
    tenants=2,
    database_bytes=4096,
    pending=3,
    failed=1,
    queue={"waiting": 5, "done": 7},
    oldest_waiting_at=1_700_000_000_500,
    calls={
        "ok": TokenSpending(calls=2, input_tokens=100, output_tokens=10),
        "failed": TokenSpending(calls=1, input_tokens=7, output_tokens=0),
    },
    nights={"finished": 1, "stopped": 1},
    newest_night_at=1_700_000_000_000,
    oldest_night_at=None,
    hidden_forgets=4,
    overdue_forgets=2,
    is_scrub_pending=True,
)
Values = dict[tuple[str, ...], float]


def read_values(text: str) -> Values:
    """Values by name and labels; of no sample may the labels be others than ours."""
    families = text_string_to_metric_families(text)
    samples = [one for family in families for one in family.samples]
    assert {label for one in samples for label in one.labels} <= LABELS
    return {(one.name, *one.labels.values()): one.value for one in samples}


def scrape(port: int) -> str:
    answer = httpx2.get(f"http://127.0.0.1:{port}/metrics")
    assert answer.status_code == 200
    return answer.text


@pytest.mark.anyio
@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_metrics_count_what_was_served_by_tool_route_and_outcome_and_name_nothing_else(
    start_server: StartServer, era: Era
) -> None:
    registry = CollectorRegistry()
    async with start_server(observation=Observation([CallMetrics(registry)])) as server:
        served = await serve_calls(server, era)
        registry.register(HomeCollector(server.home.store.figures))
        with serve_metrics(registry, "127.0.0.1", 0) as port:
            text = scrape(port)
    values = read_values(text)
    assert values["memoria_mcp_calls_total", "search_memory", "ok"] == 2
    assert values["memoria_mcp_calls_total", "search_memory", "error"] == 1
    assert values["memoria_mcp_calls_total", "remember", "ok"] == 1
    assert values["memoria_mcp_calls_total", "unmatched", "error"] == 1
    assert values["memoria_mcp_calls_total", "resources/read", "error"] == 1
    assert values["memoria_mcp_call_seconds_count", "search_memory"] == 3
    assert values["memoria_http_requests_total", "POST", "unmatched", "401"] == 2
    assert values["memoria_http_requests_total", "GET", "unmatched", "404"] == 1
    assert values["memoria_http_requests_total", "unmatched", "unmatched", "404"] == 1
    assert values["memoria_http_requests_total", "GET", "/readyz", "200"] == 1
    node, pad = "/memory/nodes/{memory_id}", "/memory/scratchpads/{session_id}"
    assert values["memoria_http_requests_total", "GET", node, "200"] == 1
    assert values["memoria_http_requests_total", "GET", node, "404"] == 1
    assert values["memoria_http_requests_total", "PUT", pad, "200"] == 1
    assert values["memoria_http_request_seconds_count", "GET", "/readyz"] == 1
    assert values["memoria_http_requests_total", "POST", "/mcp", "200"] >= 6
    assert values["memoria_http_requests_in_progress",] == 0
    assert values["memoria_home_up",] == 1
    assert values["memoria_tenants",] == 1
    assert [one for one in served.secrets if one.lower() in text.lower()] == []


def test_metrics_at_loopback_are_shown_to_nobody_who_calls_it_by_another_name() -> None:
    with serve_metrics(CollectorRegistry(), "127.0.0.1", 0) as port:
        statuses = {
            host: httpx2.get(f"http://127.0.0.1:{port}/metrics", headers={"Host": host}).status_code
            for host in (f"localhost:{port}", "[::1]:80", f"evil.example:{port}", "")
        }
    assert [*statuses.values()] == [200, 200, 421, 421]
    with serve_metrics(CollectorRegistry(), "0.0.0.0", 0) as port:  # noqa: S104  (as in a container)
        answer = httpx2.get(f"http://127.0.0.1:{port}/metrics", headers={"Host": "memoria:9464"})
    assert answer.status_code == 200


def test_figures_of_the_home_are_shown_by_their_kinds() -> None:
    registry = CollectorRegistry()
    registry.register(HomeCollector(lambda: FIGURES))
    with serve_metrics(registry, "127.0.0.1", 0) as port:
        values = read_values(scrape(port))
    assert values == {
        ("memoria_home_up",): 1,
        ("memoria_tenants",): 2,
        ("memoria_database_bytes",): 4096,
        ("memoria_embedding_pending",): 3,
        ("memoria_embedding_failed",): 1,
        ("memoria_extraction_queue", "waiting"): 5,
        ("memoria_extraction_queue", "done"): 7,
        ("memoria_extraction_queue", "dead"): 0,
        ("memoria_extraction_queue", "dropped"): 0,
        ("memoria_extraction_oldest_waiting_timestamp_seconds",): 1_700_000_000.5,
        ("memoria_chat_calls_total", "ok"): 2,
        ("memoria_chat_calls_total", "failed"): 1,
        ("memoria_chat_tokens_total", "input"): 107,
        ("memoria_chat_tokens_total", "output"): 10,
        ("memoria_nights", "finished"): 1,
        ("memoria_nights", "stopped"): 1,
        ("memoria_night_newest_timestamp_seconds",): 1_700_000_000,
        ("memoria_forgets_hidden",): 4,
        ("memoria_forgets_overdue",): 2,
        ("memoria_scrub_pending",): 1,
    }


def test_the_store_is_read_once_in_ten_seconds_however_often_somebody_asks() -> None:
    reads: list[float] = []
    now = 0.0

    def read() -> HomeFigures:
        reads.append(now)
        return FIGURES

    collector = HomeCollector(read, lambda: now)
    for later in (0.0, 0.1, 9.9, 10.0, 19.0, 20.0):
        now = later
        assert list(collector.collect())
    assert reads == [0.0, 10.0, 20.0]


def test_a_home_that_cannot_be_read_is_told_and_read_again_later() -> None:
    answers: Iterator[HomeFigures | None] = iter([None, FIGURES])
    now = 0.0

    def read() -> HomeFigures:
        found = next(answers)
        if found is None:
            raise StoreUnavailableError("disk I/O error")
        return found

    collector = HomeCollector(read, lambda: now)
    (up,) = collector.collect()
    assert up.samples[0].value == 0
    now = 10.0
    assert next(iter(collector.collect())).samples[0].value == 1


def test_the_home_is_read_through_a_store_that_is_opened_when_somebody_asks(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")
    with closing(HomeReader(settings)) as reader:
        with closing(open_store(settings)) as store, store.write("ann"):
            pass  # which begins the tenant
        assert reader.read().tenants == 1
        with closing(open_store(settings)) as store, store.write("ben"):
            pass
        assert reader.read().tenants == 2


def test_an_address_that_is_taken_or_none_is_refused_with_what_to_do(home: Path) -> None:
    settings = Settings.from_values(home=home, embedder="off")
    with serve_metrics(CollectorRegistry(), "127.0.0.1", 0) as port:
        for address in (f"127.0.0.1:{port}", "9464", "127.0.0.1:x"):
            with (
                pytest.raises(InvalidInputError, match=r"--metrics: .*Give"),
                show_metrics(address, settings),
            ):
                pass


COUNT = """
from memoria.surface.http.metrics import count_calls
count_calls().begin_request()
count_calls().end_call("remember", "ok", 0.01)
"""


def test_what_several_processes_count_is_summed_and_what_is_under_way_ends_with_its_process(
    tmp_path: Path,
) -> None:
    shared = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", COUNT], check=True, env=shared)  # noqa: S603
    assert [*tmp_path.glob("gauge_livesum_*.db")]
    registry = build_registry(lambda: FIGURES, str(tmp_path))
    with serve_metrics(registry, "127.0.0.1", 0) as port:
        values = read_values(scrape(port))
    assert values["memoria_mcp_calls_total", "remember", "ok"] == 2
    assert values["memoria_mcp_call_seconds_count", "remember"] == 2
    assert values.get(("memoria_http_requests_in_progress",), 0) == 0
    assert values["memoria_tenants",] == 2
