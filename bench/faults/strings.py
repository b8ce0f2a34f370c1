"""The strings a puppet hangs on."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

from bench.faults.server import ROOT, process_environment

_HANG_S = 120.0
"""One that takes longer is killed, and its end is the error."""


class PuppetError(Exception):
    """The puppet met with an error: ours, by its name; or it is dead, by its last words."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message


@dataclass(frozen=True, slots=True)
class Strings:
    """A puppet at work."""

    process: "subprocess.Popen[str]"

    def tell(self, do: str, **arguments: object) -> Any:  # noqa: ANN401  (what the deed gives)
        """Have it do something; gives what that gives.

        Raises:
            PuppetError: it could not, or it died.
        """
        self.send(do, **arguments)
        answer = self.hear()
        if "error" in answer:
            raise PuppetError(answer["error"], answer["message"])
        return answer.get("done")

    def send(self, do: str, **arguments: object) -> None:
        """Say what to do, without waiting."""
        if self.process.stdin is None:
            raise PuppetError("dead", "it has no ears")
        self.process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """The next line it says."""
        line = "" if self.process.stdout is None else self.process.stdout.readline()
        if not line:
            words = "" if self.process.stderr is None else self.process.stderr.read()
            raise PuppetError("dead", f"exit code {self.process.wait()}: {words.strip()}")
        said: dict[str, Any] = json.loads(line)
        return said


@contextmanager
def puppet(path: Path | None = None) -> Iterator[Strings]:
    """A puppet, until the end of the block.

    Args:
        path: the folder of another edition of Memoria, instead of this one.
    """
    environment = {**process_environment(), "MEMORIA_WORKSPACE": "none"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.faults.puppet"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    watchdog = Timer(_HANG_S, process.kill)
    watchdog.start()
    try:
        with process:
            yield Strings(process)
            process.kill()
    finally:
        watchdog.cancel()
        process.kill()
