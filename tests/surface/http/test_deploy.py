"""What is deployed by the files of `deploy/` fits the program, and each other."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry
from tests.docs.commands import Line, problem
from tests.docs.pages import DOCS, ROOT
from tests.surface.http.conftest import StartServer
from tests.surface.http.test_metrics import FIGURES

from memoria.app.open_home import in_thread
from memoria.config import Settings
from memoria.surface.http.addresses import parse_address
from memoria.surface.http.health import PROBES
from memoria.surface.http.metrics import CallMetrics, HomeCollector
from memoria.surface.http.rest.routes import ROUTES

DEPLOY = ROOT / "deploy"
DOCKERFILE = ROOT / "Dockerfile"
FILES = (DOCKERFILE, *sorted(DEPLOY.iterdir()))
COMPOSED: dict[str, dict[str, Any]] = {
    name: yaml.safe_load((DEPLOY / name).read_text("utf-8"))
    for name in ("compose.yaml", "compose.postgres.yaml")
}
SERVICE: dict[str, Any] = COMPOSED["compose.yaml"]["services"]["memoria"]
HTTP_PORT, METRICS_PORT = 8420, 9464
_COMMAND = re.compile(r"(?:/opt/memoria/bin/memoria|run .*\bmemoria) +([a-z-].*)$", re.MULTILINE)


def list_commands() -> Iterator[Line]:
    """Every command line of ours in the files, comments included."""
    for file in FILES:
        for found in _COMMAND.finditer(file.read_text("utf-8")):
            yield Line(file, ("memoria", *shlex.split(found[1].split("  ")[0], comments=True)), "")
    for name, compose in COMPOSED.items():
        yield Line(DEPLOY / name, ("memoria", *compose["services"]["memoria"]["command"]), "")


def list_addresses(option: str) -> Iterator[tuple[str, int]]:
    """The addresses that the files give to an option."""
    for line in list_commands():
        given = " ".join(line.words).replace("=", " ").split()
        for name, value in pairwise(given):
            if name == option:
                yield parse_address(value)


def test_every_command_line_is_one_that_the_program_takes() -> None:
    found = [*list_commands()]
    assert {line.page.name for line in found} == {
        "Dockerfile",
        "compose.yaml",
        "compose.postgres.yaml",
        "memoria.service",
        "memoria-nightly@.service",
        "memoria-backup@.service",
    }
    assert [(line.page.name, line.words, why) for line in found if (why := problem(line))] == []


def test_every_variable_of_ours_is_a_setting() -> None:
    text = "".join(file.read_text("utf-8") for file in FILES)
    named = set(re.findall(r"\bMEMORIA_[A-Z_]*[A-Z]\b", text))
    assert named
    assert named <= {f"MEMORIA_{name.upper()}" for name in Settings.model_fields}


def test_servers_of_one_database_keep_nothing_of_their_own() -> None:
    services = COMPOSED["compose.postgres.yaml"]["services"]
    assert services["memoria"]["scale"] == 2
    assert "volumes" not in services["memoria"]
    assert [name for name, one in services.items() if "ports" in one] == ["proxy"]
    assert {"MEMORIA_DATABASE_URL", "MEMORIA_TOMBSTONE_KEY"} <= {
        *services["memoria"]["environment"]
    }
    assert f"dynamic a memoria {HTTP_PORT} " in (DEPLOY / "Caddyfile.servers").read_text("utf-8")


def test_all_name_the_same_ports_and_the_machine_itself_listens_on_loopback_alone() -> None:
    assert {port for _, port in list_addresses("--http")} == {HTTP_PORT}
    assert {port for _, port in list_addresses("--metrics")} == {METRICS_PORT}
    assert [*map(int, SERVICE["expose"])] == [HTTP_PORT, METRICS_PORT]
    assert "ports" not in SERVICE
    assert f"memoria:{HTTP_PORT} " in (DEPLOY / "Caddyfile").read_text("utf-8")
    scraped = yaml.safe_load((DEPLOY / "prometheus.yml").read_text("utf-8"))["scrape_configs"]
    assert scraped[0]["static_configs"][0]["targets"] == [f"memoria:{METRICS_PORT}"]
    unit = (DEPLOY / "memoria.service").read_text("utf-8")
    assert set(re.findall(r"--(?:http|metrics) ([\d.]+):", unit)) == {"127.0.0.1"}


def test_the_container_keeps_its_home_on_a_volume_and_runs_as_nobody_s_root() -> None:
    dockerfile = DOCKERFILE.read_text("utf-8")
    assert "MEMORIA_HOME=/data" in dockerfile
    assert "VOLUME /data" in dockerfile
    assert SERVICE["volumes"] == ["memoria:/data"]
    assert re.findall(r"^USER (\w+)", dockerfile, re.MULTILINE) == ["memoria"]


async def test_the_container_s_check_of_health_asks_whether_the_server_is_ready(
    start_server: StartServer,
) -> None:
    kind, program, *arguments = SERVICE["healthcheck"]["test"]
    assert (kind, program) == ("CMD", "python")
    url = re.search(r'"(http://127\.0\.0\.1:8420(/\w+))"', arguments[-1])
    assert url is not None
    assert url[2] in PROBES
    async with start_server() as server:
        check = arguments[-1].replace(url[1], f"{server.url}{url[2]}")
        # In a thread: the server answers in this one.
        ended = await _run_beside([sys.executable, *arguments[:-1], check])
    assert ended == 0
    assert await _run_beside([sys.executable, *arguments[:-1], check]) != 0


@pytest.mark.parametrize(
    "file", [DEPLOY / "alerts.yml", DOCS / "guide" / "deploy.md"], ids=lambda file: file.name
)
def test_every_metric_that_is_named_is_shown(file: Path) -> None:
    registry = CollectorRegistry()
    CallMetrics(registry)
    registry.register(HomeCollector(lambda: FIGURES))
    shown = {family.name for family in registry.collect()}
    text = file.read_text("utf-8")
    named = {
        re.sub(r"_(total|bucket|count|sum)$", "", name)
        for name in re.findall(r"\bmemoria_[a-z_]+[a-z]", text)
    }
    assert named
    assert named <= shown


def test_the_unit_s_first_lines_need_nothing_that_is_not_in_the_repository() -> None:
    unit = (DEPLOY / "memoria.service").read_text("utf-8")
    (copied,) = re.findall(r"cp (.+) /etc/systemd/system/", unit)
    found = {file.name for pattern in copied.split() for file in ROOT.glob(pattern)}
    assert found == {
        file.name for file in DEPLOY.iterdir() if file.suffix in {".service", ".timer"}
    }
    (timers,) = re.findall(r"enable --now memoria (.+)", unit)
    assert {re.sub("@.+", "@.timer", one) for one in timers.split()} < found
    assert re.findall(r"pip install (\S+)", unit) == ["."]
    folder = unit.index("install -d -o memoria -g memoria -m 700 /var/lib/memoria\n")
    assert folder < unit.index("token create")


def test_nights_run_without_a_word_of_whoever_deploys() -> None:
    name = "MEMORIA_NIGHTLY_IDLE_MINUTES"
    unit = (DEPLOY / "memoria.service").read_text("utf-8")
    assert re.findall(rf"^Environment={name}=(\d+)$", unit, re.MULTILINE) == ["30"]
    assert SERVICE["environment"][name] == f"${{{name}:-30}}"


def test_slow_searches_are_watched_at_every_path_that_searches() -> None:
    alerts = (DEPLOY / "alerts.yml").read_text("utf-8")
    (ends,) = re.findall(r'route=~"/memory/\(([a-z|]+)\)"', alerts)
    asked = {"search_memory", "search_conversation_traces", "recall"}
    paths = {route.path for route in ROUTES if route.name in asked}
    assert {f"/memory/{end}" for end in ends.split("|")} == paths


def test_yaml_files_can_be_read() -> None:
    read = [yaml.safe_load(file.read_text("utf-8")) for file in FILES if "ml" in file.suffix]
    assert len(read) == 4
    assert all(isinstance(one, dict) for one in read)


async def _run_beside(command: list[str]) -> int:
    """Run a command while this process serves; return its exit code."""
    done = await in_thread(lambda: subprocess.run(command, check=False, stderr=subprocess.DEVNULL))  # noqa: S603
    return done.returncode
