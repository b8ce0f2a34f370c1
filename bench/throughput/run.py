"""One measurement: a copy of a filled home, so many clients, and what became of it."""

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
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


@dataclass(frozen=True, slots=True)
class Crowd:
    """So many clients, for so long."""

    clients: int
    seconds: float
    lead_s: float = 0.0
    """How long tasks of a memory call before they are counted: a crowd is measured that lasts."""


def write_script(said: Speech) -> Script:
    """What there is to ask and to say, drawn once for all that are compared."""
    rng = random.Random(22)  # noqa: S311  (nothing here is secret)
    questions = rng.sample(said.questions, len(said.questions))
    return Script(TENANT, questions, [turn_text(said, rng) for _ in range(_TURNS)])


def measure(
    way: Way, home: Path, script: Script, crowd: Crowd, checkout: Path, name: str
) -> Verdict:
    """Have so many clients ask on a copy of a home.

    Args:
        way: how they ask.
        home: a filled one; it is left as it is.
        script: what they ask and say.
        crowd: how many, and how long.
        checkout: whose `memoria` answers; a floor is of this one.
        name: what the checkout is called.
    """
    with _copy(home) as own:
        if way is Way.FLOOR:
            account = anyio.run(run_bare, own, script, crowd.clients, crowd.seconds)
            return judge("floor", Way.TASKS, crowd.clients, account)
        if way is Way.PROCESSES:
            account = anyio.run(run_servers, checkout, own, script, crowd.clients, crowd.seconds)
        else:
            account = _run_tasks(checkout, own, script, crowd)
        return judge(name, way, crowd.clients, account)


def _run_tasks(checkout: Path, home: Path, script: Script, crowd: Crowd) -> Account:
    file = home.parent / "script.json"
    file.write_text(json.dumps(asdict(script)), "utf-8")
    numbers = map(str, (crowd.clients, crowd.seconds, crowd.lead_s))
    command = [python_of(checkout), str(_CLIENTS), str(home), str(file), *numbers]
    # Run in the checkout, whose environment has its own `memoria`.
    done = subprocess.run(command, cwd=checkout, stdout=subprocess.PIPE, check=True)  # noqa: S603
    return Account(**json.loads(done.stdout))


@contextmanager
def _copy(home: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="memoria-throughput-") as folder:
        shutil.copytree(home, Path(folder) / "home")
        yield Path(folder) / "home"
