"""The way a call came in, as the server knows it. A caller can't choose it."""

from functools import lru_cache

from memoria.model.base import Value
from memoria.model.core import USER_EDIT_NAME
from memoria.model.memory import Trust
from memoria.model.turn import Account

_SOURCES = (
    ("claude-code", "claude-code"),
    ("codex", "codex"),
    ("gemini-cli", "gemini"),
    ("cursor", "cursor"),
    ("visual studio code", "vscode"),
    ("windsurf", "windsurf"),
    ("cline", "cline"),
    ("@cline", "cline"),
    ("qwen", "qwen"),
    ("copilot", "copilot"),
    ("factory-cli", "droid"),
    ("goose", "goose"),
    ("opencode", "opencode"),
)
"""Beginnings of the names under which clients connect, with the short name of each client."""


class Channel(Value):
    """The way in that provenance is stamped with."""

    name: str
    """`mcp`, `mcp-elicitation`, `cli`, `library`, `import`, `hook` or `hand-edit`."""
    trust: Trust
    client: str | None = None
    """The program at the other end, where it says who it is."""
    session: str | None = None
    """The client's own id of the session, where the client says it and not the agent."""

    @property
    def is_agent(self) -> bool:
        """True if a model calls through its client: it sees what its own project sees."""
        return self.name in ("mcp", "mcp-elicitation")

    @property
    def description(self) -> str:
        """The way in, in words."""
        match self.name:
            case "cli":
                return "on the command line"
            case "hand-edit":
                return "in a core file, by hand"
            case "mcp":
                return f"over MCP by {self.client or 'a client that gave no name'}"
            case "hook":
                return f"by a hook of {self.client or 'a client'}"
            case "mcp-elicitation":
                return f"by the user, asked through {self.client or 'a client'}"
            case _:
                return f"by {self.client or 'a program'}"

    @property
    def source(self) -> str:
        """Name of the numbering of sessions and messages: the client's, or the channel's own."""
        return _source_of(self.client or self.name)

    @property
    def account(self) -> Account | None:
        """Account of a session that comes by this way; None where there is only one.

        An agent's is one of two only where the client has said which session it is in: under a name
        that the agent has made up, nobody else speaks.
        """
        if self.name in ("import", "hook"):
            return "client"
        return "agent" if self.is_agent and self.session is not None else None


@lru_cache(maxsize=64)
def _source_of(name: str) -> str:
    """Return the short name of a client, by which imports and hooks know it; else its own."""
    known = (source for begins, source in _SOURCES if name.lower().startswith(begins))
    return next(known, name)


EXTRACTION_CHANNEL = "extraction"
"""Channel of conclusions that rules or a model draw from a conversation."""
NIGHTLY_CHANNEL = "night"
"""Channel of conclusions that a nightly run draws from memories. Nobody calls by it."""
LIBRARY = Channel(name="library", trust=Trust.REPORTED)
"""A program that uses Memoria reports what it heard; it is not the user."""
COMMAND_LINE = Channel(name="cli", trust=Trust.USER)
"""Channel of the command line: its user is the user."""
USER_EDIT = Channel(name=USER_EDIT_NAME, trust=Trust.USER)
"""Channel of a core file: its editor is the user."""


def hook_channel(client: str) -> Channel:
    """Return the channel of a client's hook that reports a conversation as it is held.

    What the user typed is the user's own word. What was answered, and what tools said, is not.
    """
    return Channel(name="hook", trust=Trust.USER, client=client)


def transcript_channel(client: str | None) -> Channel:
    """Return the channel of a transcript that the user imports.

    They vouch for the file, not for each of its lines: it reports what was said, like the client
    that wrote it.
    """
    return Channel(name="import", trust=Trust.REPORTED, client=client)
