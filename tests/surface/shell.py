"""The real `memoria` command, in a process of its own, or in this one where only answers count."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from memoria.surface.cli.main import app

_TIMEOUT_S = 60
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

    def __call__(self, *arguments: str | Path, **environment: str) -> Output:
        """Run `memoria --home HOME …` as a process of its own."""
        return self.run("--home", str(self.home), *map(str, arguments), **environment)

    def run(self, *arguments: str, **environment: str) -> Output:
        """Run `memoria …`; nothing of the surrounding environment's settings reaches it."""
        kept = {"PATH": os.environ["PATH"], **_SETTINGS}
        done = subprocess.run(  # noqa: S603  (our own program)
            [sys.executable, "-m", "memoria", *arguments],
            env={**kept, **self.environment, **environment},
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        return Output(done.returncode, done.stdout.decode(), done.stderr.decode())

    def json(self, *arguments: str | Path, code: int = 0) -> Any:  # noqa: ANN401  (what it prints)
        """Run a command in this process; it must print one JSON document and nothing else."""
        line = ["--home", str(self.home), *map(str, arguments), "--json"]
        result = CliRunner().invoke(app, line, env=_SETTINGS, catch_exceptions=False)
        assert (result.exit_code, result.stderr) == (code, "")
        return json.loads(result.stdout)
