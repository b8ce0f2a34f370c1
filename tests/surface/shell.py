"""The `memoria` command: in this process, or where the process is the promise, in one of its own.

A command in this process is the same program from the arguments to the exit code. What it shares
with the tests is the start of the interpreter and the imports, a second of work each time.
"""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.databases import process_environment
from tests.empty_home import lay_empty_home
from typer.testing import CliRunner

from memoria.surface.cli.console import err, out, warn_of_settings
from memoria.surface.cli.main import app

_TIMEOUT_S = 300
_SETTINGS = {"MEMORIA_EMBEDDER": "off"}


@dataclass(frozen=True)
class Output:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:  # noqa: ANN401  (whatever the command prints)
        """Standard output as the one JSON document it must be."""
        return json.loads(self.out)


@dataclass(frozen=True)
class Shell:
    """Runs commands on a home, without vectors: the model takes seconds to load."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def begin(self) -> "Shell":
        """Make the home, with nothing in it, as a client does that is connected for the first time.

        What only reads makes none.
        """
        lay_empty_home(self.home)
        return self

    def __call__(self, *arguments: str | Path, **environment: str) -> Output:
        """Run `memoria --home HOME …` in this process."""
        return self.run("--home", str(self.home), *map(str, arguments), **environment)

    def run(self, *arguments: str, **environment: str) -> Output:
        """Run `memoria …` in this process."""
        given = {**_SETTINGS, "COLUMNS": None, **self.environment, **environment}
        # A thread of its own, as a command starts an event loop and a test may be in one.
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(_invoke, list(arguments), given).result()

    def process(self, *arguments: str | Path, **environment: str) -> Output:
        """Run `memoria --home HOME …` as a process of its own.

        Nothing of the surrounding environment's settings reaches it.
        """
        done = subprocess.run(  # noqa: S603  (our own program)
            [sys.executable, "-m", "memoria", "--home", str(self.home), *map(str, arguments)],
            env=process_environment(self.home, **{**self.environment, **environment}),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        coding = environment.get("PYTHONIOENCODING", "utf-8")
        return Output(done.returncode, done.stdout.decode(coding), done.stderr.decode(coding))

    def json(self, *arguments: str | Path, code: int = 0) -> Any:  # noqa: ANN401  (what it prints)
        """Run a command in this process; it must print one JSON document and nothing else."""
        output = self(*arguments, "--json")
        assert (output.code, output.err) == (code, "")
        return output.document


def _invoke(arguments: list[str], environment: dict[str, str | None]) -> Output:
    for console in (out, err):
        console.cache_clear()  # they keep the width of the first terminal they saw
    warn_of_settings.cache_clear()  # it speaks once in a process
    result = CliRunner().invoke(app, arguments, env=environment, catch_exceptions=False)
    return Output(result.exit_code, result.stdout, result.stderr)
