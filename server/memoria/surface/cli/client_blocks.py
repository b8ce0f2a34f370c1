"""Blocks to paste into each client's file, so that it reaches this memory over HTTP with a token.

They are what `memoria connect --url` writes there, for a machine that has no Memoria.
"""

import os

from memoria.connectors.clients.document import ConfigDocument, EditedText, WantedParts
from memoria.connectors.clients.interface import Client, ClientPlace
from memoria.connectors.clients.table import find_client
from memoria.errors import ClientError

_SHOWN = ("claude-code", "codex", "cursor", "vscode", "gemini", "opencode")


def write_blocks(url: str, token: str) -> dict[str, str]:
    """Write what stands in each client's file, by the client's name and its file, the user's own.

    Args:
        url: where the server is reached, such as http://127.0.0.1:8420.
        token: the text of a token.
    """
    mcp, place = f"{name_server(url)}/mcp", ClientPlace.here()
    clients = map(find_client, _SHOWN)
    return {_name_file(one, place): _write(one, mcp, f"Bearer {token}") for one in clients}


def name_server(url: str) -> str:
    """Return the address of a server without `/mcp`, for `memoria connect --url`."""
    return url.rstrip("/").removesuffix("/mcp").rstrip("/")


def _name_file(client: Client, place: ClientPlace) -> str:
    """Name a client and its file below the folder of whoever pastes it."""
    file = str(client.config(place, "user"))
    return f"{client.title}, {file.replace(str(place.home) + os.sep, '~' + os.sep)}"


def _write(client: Client, mcp: str, authorization: str) -> str:
    """Write a file with the entry alone.

    Raises:
        ClientError: the client takes no token from its file.
    """
    if client.remote is None:
        raise ClientError(f"{client.title} takes no token from its file.")
    entry = client.remote.write(mcp, authorization)
    wanted = WantedParts(syntax=client.syntax, entry_at=client.entry_at, entry=entry)
    return ConfigDocument(wanted).connect(EditedText("")).text.strip()
