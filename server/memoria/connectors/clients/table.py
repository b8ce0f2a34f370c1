"""All clients, by name."""

from difflib import get_close_matches

from memoria.connectors.clients import tried, untried
from memoria.connectors.clients.interface import Client
from memoria.errors import ClientError

CLIENTS: tuple[Client, ...] = (
    *(tried.CLAUDE_CODE, untried.CLAUDE_DESKTOP, tried.CODEX, tried.GEMINI, untried.CURSOR),
    *(untried.VSCODE, tried.OPENCODE, untried.WINDSURF, tried.CLINE, untried.GOOSE, untried.ZED),
    *(tried.QWEN, tried.COPILOT, tried.KILO, untried.ANTIGRAVITY, untried.KIRO, tried.DROID),
    *(untried.ROO, untried.CRUSH, untried.JUNIE, untried.WARP, tried.OPENCLAW, tried.HERMES),
    tried.CONTINUE,
)


def find_client(name: str) -> Client:
    """Return the client of a name.

    Raises:
        ClientError: there is none.
    """
    for client in CLIENTS:
        if client.name == name:
            return client
    names = [client.name for client in CLIENTS]
    near = [one for one in names if one.startswith(name) or name.startswith(one)]
    near = near or get_close_matches(name, names, 1)
    meant = f" Did you mean {' or '.join(near)}?" if name and near else ""
    raise ClientError(f"There is no client {name!r} here.{meant} Known are {', '.join(names)}.")
