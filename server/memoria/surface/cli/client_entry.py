"""The piece of configuration that plugs Memoria into an MCP client."""

import os
from pathlib import Path

from memoria.connectors.clients.program import find_program
from memoria.surface.cli.console import Options


def client_entry(options: Options) -> dict[str, object]:
    """Return an `mcpServers` entry that starts this very installation."""
    home = options.home or os.environ.get("MEMORIA_HOME")
    tenant = options.tenant or os.environ.get("MEMORIA_TENANT")
    given = {
        "MEMORIA_HOME": str(Path(home).expanduser().absolute()) if home else None,
        "MEMORIA_TENANT": tenant,
    }
    environment = {name: value for name, value in given.items() if value is not None}
    entry: dict[str, object] = {"command": find_program(), "args": ["serve"]}
    if environment:
        entry["env"] = environment
    return {"mcpServers": {"memoria": entry}}
