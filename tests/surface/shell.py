"""The real `memoria` command, in a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_TIMEOUT_S = 60


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
    """Runs commands on a home. Nothing of the surrounding environment's settings reaches them."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str | Path, **environment: str) -> Output:
        """Run `memoria --home HOME …`."""
        return self.run("--home", str(self.home), *map(str, arguments), **environment)

    def run(self, *arguments: str, **environment: str) -> Output:
        """Run `memoria …`."""
        kept = {"PATH": os.environ["PATH"], "MEMORIA_EMBEDDER": "off"}
        done = subprocess.run(  # noqa: S603  (our own program)
            [sys.executable, "-m", "memoria", *arguments],
            env={**kept, **self.environment, **environment},
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        return Output(done.returncode, done.stdout.decode(), done.stderr.decode())

    def json(self, *arguments: str | Path) -> Any:  # noqa: ANN401  (whatever it prints)
        """Run a command that must succeed and print one JSON document and nothing else."""
        output = self(*arguments, "--json")
        assert (output.code, output.err) == (0, "")
        return output.document
