"""Codex's own interface for editors, in which its users' questions can be answered."""

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, Any

_ABOUT = {"name": "memoria-e2e", "title": None, "version": "1"}

Ask = Callable[..., Any]
"""A method and its parameters; the result."""


@contextmanager
def app_server(program: Path, environment: Mapping[str, str], folder: Path) -> Iterator[Ask]:
    """`codex app-server`, which has been greeted."""
    numbers = count(1)
    with subprocess.Popen(  # noqa: S603  (the client)
        [str(program), "app-server"],
        env=dict(environment),
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the app server has no pipes")
        to_server, from_server = process.stdin, process.stdout

        def ask(method: str, **parameters: object) -> Any:  # noqa: ANN401  (JSON)
            number = next(numbers)
            _send(to_server, {"id": number, "method": method, "params": parameters})
            for line in from_server:
                said = json.loads(line)
                if said.get("id") == number:
                    return said["result"]
            raise RuntimeError(f"the app server ended at {method}")

        ask("initialize", clientInfo=_ABOUT)
        _send(to_server, {"method": "initialized"})
        yield ask
        to_server.close()


def _send(to_server: IO[str], message: Mapping[str, object]) -> None:
    to_server.write(json.dumps(message) + "\n")
    to_server.flush()
