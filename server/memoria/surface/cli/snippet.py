"""The piece of configuration that plugs Memoria into an MCP client."""

import json
import shutil
import sys
from pathlib import Path

from memoria.surface.cli.console import Options


def snippet(options: Options) -> dict[str, object]:
    """An `mcpServers` entry that starts this very installation."""
    given = {"MEMORIA_HOME": options.home, "MEMORIA_TENANT": options.tenant}
    environment = {name: value for name, value in given.items() if value is not None}
    entry: dict[str, object] = {"command": _command(), "args": ["serve"]}
    if environment:
        entry["env"] = environment
    return {"mcpServers": {"memoria": entry}}


def print_snippet(options: Options) -> None:
    """Print the entry as JSON."""
    sys.stdout.write(json.dumps(snippet(options), indent=2, ensure_ascii=False) + "\n")


def _command() -> str:
    """The console script of this installation."""
    beside = shutil.which("memoria", path=str(Path(sys.executable).parent))
    return beside or shutil.which("memoria") or "memoria"
