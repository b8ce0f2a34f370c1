"""Text that tells a model when to use the tools, where its client passes no instructions on.

It is what the server says of itself, as a file in a folder of rules that the client reads. Nothing
that is remembered stands in it: what is forgotten must not live on in another program's file.
"""

from importlib import resources
from pathlib import Path

from memoria.connectors.clients.interface import Client
from memoria.connectors.clients.place import ClientPlace, Scope

_MARK = "<!-- Written by `memoria connect {name}`; `memoria disconnect {name}` removes it. -->"
_TEXT = "surface/mcp/texts/instructions.md"


def write_rules(client: Client, scope: Scope, place: ClientPlace) -> dict[Path, str]:
    """Map the path of a client's rules to their text; empty where the client needs none."""
    path = client.rules(place, scope) if client.rules else None
    if path is None:
        return {}
    text = resources.files("memoria").joinpath(_TEXT).read_text("utf-8")
    return {path: f"{client.rules_head}{_MARK.format(name=client.name)}\n\n{text}"}


def is_rules(client: Client, path: Path, scope: Scope, place: ClientPlace) -> bool:
    """Check whether a file is the one of a client's rules."""
    return client.rules is not None and client.rules(place, scope) == path
