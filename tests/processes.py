"""Processes, each forked from one that has imported the program.

An interpreter that starts imports for one to two seconds, which is most of what a test of several
processes would take. What is forked has its own id, can be killed, and shares nothing with the
others but files. Where a system can't fork, each is an interpreter of its own.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

from memoria.surface.cli.commands import VERBS

_CAN_FORK = "forkserver" in get_all_start_methods()
PROCESSES = get_context("forkserver") if _CAN_FORK else get_context("spawn")
_COMMANDS = [
    f"memoria.surface.cli.{name}" for name in ("main", *{one.module for one in VERBS.values()})
]
_LATER = [
    "anyio._backends._asyncio",
    "httpcore2",
    "memoria.inference.chat.endpoint",
    "openai.resources.chat.completions",
    "typer.rich_utils",
]
"""What commands import as they work; but NumPy, which starts threads."""
PROCESSES.set_forkserver_preload(["tests.processes", *_COMMANDS, *_LATER])


@dataclass(frozen=True)
class Running:
    """A process of the program."""

    process: BaseProcess
    errors: Path

    @property
    def pid(self) -> int:
        """Its id."""
        assert self.process.pid is not None
        return self.process.pid

    def wait(self, timeout_s: float) -> tuple[int, str]:
        """Its exit code, negative where a signal ended it, and what it said on standard error."""
        self.process.join(timeout_s)
        assert self.process.exitcode is not None, "it still runs"
        return self.process.exitcode, self.errors.read_text("utf-8", "replace")


def run_memoria(arguments: Sequence[str], environment: Mapping[str, str], errors: Path) -> Running:
    """Start `memoria …` as a process of its own.

    Args:
        arguments: what follows `memoria` on the command line.
        environment: all that the process has of one.
        errors: the file to which its standard error goes.
    """
    given = (list(arguments), dict(environment), str(errors))
    process = PROCESSES.Process(target=_run, args=given, daemon=True)
    process.start()
    return Running(process, errors)


def _run(arguments: list[str], environment: dict[str, str], errors: str) -> None:
    from memoria.surface.cli.main import run  # noqa: PLC0415  (imported before the fork)

    os.environ.clear()
    os.environ.update(environment)
    for place, stream in ((os.devnull, 1), (errors, 2)):
        os.dup2(os.open(place, os.O_WRONLY | os.O_CREAT), stream)
    sys.argv = ["memoria", *arguments]
    run()
