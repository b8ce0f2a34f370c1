"""The piece of configuration that plugs Memoria into an MCP client."""

import os
import shutil
import sys
from pathlib import Path

from memoria.surface.cli.console import Options


def client_entry(options: Options) -> dict[str, object]:
    """An `mcpServers` entry that starts this very installation."""
    home = options.home or os.environ.get("MEMORIA_HOME")
    tenant = options.tenant or os.environ.get("MEMORIA_TENANT")
    given = {
        "MEMORIA_HOME": str(Path(home).expanduser().absolute()) if home else None,
        "MEMORIA_TENANT": tenant,
    }
    environment = {name: value for name, value in given.items() if value is not None}
    entry: dict[str, object] = {"command": _find_command(), "args": ["serve"]}
    if environment:
        entry["env"] = environment
    return {"mcpServers": {"memoria": entry}}


def _find_command() -> str:
    """The console script of this installation."""
    beside = shutil.which("memoria", path=str(Path(sys.executable).parent))
    return beside or shutil.which("memoria") or "memoria"
