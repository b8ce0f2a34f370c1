"""All clients, by name."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from memoria.connectors.clients import tried, untried
from memoria.connectors.clients.interface import Client
from memoria.connectors.packages import CLIENTS_GROUP, guard_call, load_connectors
from memoria.errors import ClientError

CLIENTS: tuple[Client, ...] = (
    *(tried.CLAUDE_CODE, untried.CLAUDE_DESKTOP, tried.CODEX, tried.GEMINI, untried.CURSOR),
    *(untried.VSCODE, tried.OPENCODE, untried.WINDSURF, tried.CLINE, untried.GOOSE, untried.ZED),
    *(tried.QWEN, tried.COPILOT, tried.KILO, untried.ANTIGRAVITY, untried.KIRO, tried.DROID),
    *(untried.ROO, untried.CRUSH, untried.JUNIE, untried.WARP, tried.OPENCLAW, tried.HERMES),
    tried.CONTINUE,
)


def list_clients(packages: Sequence[str], warn: Callable[[str], None]) -> tuple[Client, ...]:
    """List all clients: first ours, then those of other packages."""
    taken = [one.name for one in CLIENTS]
    loaded = load_connectors(packages, CLIENTS_GROUP, Client, taken, warn)
    return (*CLIENTS, *(_keep_apart(one, warn) for one in loaded))


def _keep_apart(client: Client, warn: Callable[[str], None]) -> Client:
    """Guard a client's functions, so that an error in one does not end the search for others."""
    none: tuple[Path, ...] = ()
    config = guard_call(client.name, client.config, None, warn)
    folders = guard_call(client.name, client.folders, none, warn)
    return replace(client, config=config, folders=folders)


def find_client(name: str, clients: Sequence[Client] = CLIENTS) -> Client:
    """Return the client that has a name.

    Raises:
        ClientError: no client has the name.
    """
    for client in clients:
        if client.name == name:
            return client
    names = [client.name for client in clients]
    near = [one for one in names if one.startswith(name) or name.startswith(one)]
    near = near or get_close_matches(name, names, 1)
    meant = f" Did you mean {' or '.join(near)}?" if name and near else ""
    raise ClientError(f"There is no client {name!r} here.{meant} Known are {', '.join(names)}.")
