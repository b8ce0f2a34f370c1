"""What differs between the clients that take hooks and skills from a package.

Their hooks are those that `memoria connect` writes: events, limits and form are from its table.
"""

from dataclasses import dataclass

from memoria.connectors.clients.interface import HookTable
from memoria.connectors.clients.table import find_client


@dataclass(frozen=True, slots=True)
class PackagedClient:
    """A client with a plugin or an extension of ours."""

    name: str
    """As `memoria connect` and the hook program call it."""
    tools: str
    """How the model finds the tools there."""
    windows_key: str | None = None
    """The field for another command on Windows, where the client has one."""
    shows_messages: bool = True
    """Whether a person sees what a hook answers as `systemMessage`."""

    @property
    def hooks(self) -> HookTable:
        """Events and form. The first event begins a session.

        Raises:
            TypeError: the client's hooks are files of their own, which no package here holds.
        """
        hooks = find_client(self.name).hooks
        if not isinstance(hooks, HookTable):
            raise TypeError(f"{self.name} keeps its hooks in no table")
        return hooks


CLAUDE_CODE = PackagedClient(
    name="claude-code",
    tools="The tools are those of the server `memoria`. Where they are deferred, ToolSearch with\n"
    '"memoria" loads them.',
)
CODEX = PackagedClient(
    name="codex",
    tools="The tools are in the namespace of the server `memoria`.",
    windows_key="commandWindows",
)
GEMINI = PackagedClient(
    name="gemini",
    tools="The tools are those of the server `memoria`; `mcp_memoria_` stands before their names.",
)
CURSOR = PackagedClient(
    name="cursor", tools="The tools are those of the server `memoria`.", shows_messages=False
)
PACKAGED_CLIENTS = (CLAUDE_CODE, CODEX, GEMINI, CURSOR)
