"""The real server as a client starts it, with its process id in hand."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent

ROOT = Path(__file__).resolve().parents[2]
_TELLS_ITS_PID = (
    "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid()));"
    "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)
"""Writes down its process id and becomes the server."""


def process_environment(embedder: str = "off") -> dict[str, str]:
    """The environment of a process on a home, which the same database keeps as for this one."""
    given = ("PATH", "MEMORIA_DATABASE_URL", "MEMORIA_TOMBSTONE_KEY")
    kept = {name: os.environ[name] for name in given if name in os.environ}
    return {**kept, "MEMORIA_EMBEDDER": embedder}


@dataclass(frozen=True, slots=True)
class Served:
    """A connected client and the server it talks to."""

    client: Client
    pid: int
    errors: Path
    """What the server wrote on standard error."""

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool that must succeed.

        Raises:
            RuntimeError: it refused.
        """
        refusal, answer = await self.ask(tool, **arguments)
        if refusal is not None:
            logged = self.errors.read_text("utf-8")
            raise RuntimeError(f"{tool} was refused: {refusal}\n{logged}")
        return answer

    async def ask(self, tool: str, **arguments: object) -> tuple[str | None, dict[str, Any]]:
        """Call a tool; gives its refusal, if it refuses, and its answer."""
        result = await self.client.call_tool(tool, arguments)
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        return (text if result.is_error else None), result.structured_content or {}


@asynccontextmanager
async def serve_home(
    home: Path, embedder: str = "off", **environment: str
) -> AsyncIterator[Served]:
    """Start `memoria serve` on a home and connect to it."""
    with TemporaryDirectory(prefix="memoria-faults-") as name:
        pid_file, errors = Path(name) / "pid", Path(name) / "stderr"
        command = ["-m", "memoria", "--home", str(home), "--workspace", "none", "serve"]
        server = StdioServerParameters(
            command=sys.executable,
            args=["-c", _TELLS_ITS_PID, str(pid_file), *command],
            env={**process_environment(embedder), **environment},
        )
        with errors.open("w", encoding="utf-8") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                yield Served(client, int(pid_file.read_text()), errors)
