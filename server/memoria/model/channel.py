"""The way a call came in, as the server knows it. A caller can't choose it."""

from memoria.model.base import Value
from memoria.model.core import USER_EDIT_NAME
from memoria.model.memory import Trust


class Channel(Value):
    """What provenance is stamped with."""

    name: str
    """`mcp`, `mcp-elicitation`, `cli`, `library`, `import` or `hand-edit`."""
    trust: Trust
    client: str | None = None
    """The program at the other end, where it says who it is."""

    @property
    def is_agent(self) -> bool:
        """Whether a model calls through its client: it sees what its own project sees."""
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
            case "mcp-elicitation":
                return f"by the user, asked through {self.client or 'a client'}"
            case _:
                return f"by {self.client or 'a program'}"

    @property
    def source(self) -> str:
        """Whose numbering of sessions and messages is meant."""
        return self.client or self.name


EXTRACTION_CHANNEL = "extraction"
"""The channel of what rules or a model have concluded from a conversation."""
NIGHTLY_CHANNEL = "night"
"""The channel of what a nightly run has drawn from memories. Nobody calls by it."""
LIBRARY = Channel(name="library", trust=Trust.REPORTED)
"""A program that uses Memoria reports what it heard; it is not the user."""
COMMAND_LINE = Channel(name="cli", trust=Trust.USER)
"""Whoever types a command is the user."""
USER_EDIT = Channel(name=USER_EDIT_NAME, trust=Trust.USER)
"""Whoever edits a core file is the user."""


def transcript_channel(client: str | None) -> Channel:
    """The way in of a transcript that the user imports.

    They vouch for the file, not for each of its lines: it reports what was said, like the client
    that wrote it.
    """
    return Channel(name="import", trust=Trust.REPORTED, client=client)
