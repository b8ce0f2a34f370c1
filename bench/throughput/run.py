"""One measurement: a copy of a filled home, so many clients, and what became of it."""

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path

import anyio

from bench.checkouts import python_of
from bench.latency.fill import TENANT
from bench.latency.speech import Speech, turn_text
from bench.throughput.bare import run_bare
from bench.throughput.clients import Account, Script
from bench.throughput.pipes import run_servers
from bench.throughput.verdict import Verdict, judge

_CLIENTS = Path(__file__).with_name("clients.py")
_TURNS = 500
MOST_SERVERS = 8
"""More clients than that, each with a server of its own, are no case that anybody has."""


class Way(StrEnum):
    """How clients ask."""

    TASKS = "tasks"
    PROCESSES = "processes"
    FLOOR = "floor"


def write_script(said: Speech) -> Script:
    """What there is to ask and to say, drawn once for all that are compared."""
    rng = random.Random(22)  # noqa: S311  (nothing here is secret)
    questions = rng.sample(said.questions, len(said.questions))
    return Script(TENANT, questions, [turn_text(said, rng) for _ in range(_TURNS)])


def measure(
    way: Way, home: Path, script: Script, clients: int, seconds: float, checkout: Path, name: str
) -> Verdict:
    """Have so many clients ask on a copy of a home.

    Args:
        way: how they ask.
        home: a filled one; it is left as it is.
        script: what they ask and say.
        clients: how many.
        seconds: how long calls begin.
        checkout: whose `memoria` answers; a floor is of this one.
        name: what the checkout is called.
    """
    with _copy(home) as own:
        if way is Way.FLOOR:
            account = anyio.run(run_bare, own, script, clients, seconds)
            return judge("floor", Way.TASKS, clients, account)
        if way is Way.PROCESSES:
            account = anyio.run(run_servers, checkout, own, script, clients, seconds)
        else:
            account = _run_tasks(checkout, own, script, clients, seconds)
        return judge(name, way, clients, account)


def _run_tasks(checkout: Path, home: Path, script: Script, clients: int, seconds: float) -> Account:
    file = home.parent / "script.json"
    file.write_text(json.dumps(asdict(script)), "utf-8")
    command = [python_of(checkout), str(_CLIENTS), str(home), str(file), str(clients), str(seconds)]
    # Run in the checkout, whose environment has its own `memoria`.
    done = subprocess.run(command, cwd=checkout, stdout=subprocess.PIPE, check=True)  # noqa: S603
    return Account(**json.loads(done.stdout))


@contextmanager
def _copy(home: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="memoria-throughput-") as folder:
        shutil.copytree(home, Path(folder) / "home")
        yield Path(folder) / "home"
