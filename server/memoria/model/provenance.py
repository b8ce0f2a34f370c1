"""Provenance: the channel a call came by, the evidence of a memory, and where both lead."""

from functools import lru_cache
from typing import Annotated, Any

from memoria.model.base import UNLESS_EMPTY, Shown, Value
from memoria.model.core import USER_EDIT_NAME
from memoria.model.graph import Edge, Entity, NodeKind
from memoria.model.memory import Memory, MemoryVersion, Trust
from memoria.model.moments import Moment
from memoria.model.operation import TurnRange
from memoria.model.turn import Account, Role, TurnRecord


class Evidence(Value):
    """A turn that a memory rests on, and the words there."""

    turn_id: str
    source: Annotated[str, Shown("client")]
    """Owner of the session's id: the client, or the channel where it has no name."""
    session_id: str
    turn_index: int
    role: Role
    at: Moment
    """Time it was said."""
    noted_at: Moment
    """Time it was concluded from."""
    message_id: str | None
    speaker: str | None
    quote: str | None
    version: int | None
    """The version that was concluded from it; None where it repeats what was known."""


class AuditEntry(Value):
    """A line of the append-only log: what was done, by which channel and when."""

    at: Moment
    action: str
    channel: str
    client: str | None
    detail: str | None


class LoggedAction(AuditEntry):
    """A line of the log with its subject's id."""

    subject: str

    @property
    def by(self) -> str:
        """The way in, in words."""
        from memoria.model.memory import Trust  # noqa: PLC0415

        return Channel(name=self.channel, trust=Trust.REPORTED, client=self.client).description


class EdgeEnd(Value):
    """The other end of an edge, in words."""

    kind: NodeKind
    id: str
    text: str
    """First words of a memory or turn, or an entity's name."""
    detail: Annotated[str, UNLESS_EMPTY]
    """Validity of a memory, role of a turn; of an entity its kind, and which namesake it is."""


class IncidentEdge(Value):
    """An edge as it is seen from one of its ends."""

    edge: Edge
    outward: bool
    """True if it leads from here to the other end."""
    other: EdgeEnd

    def _write_fields(self) -> dict[str, Any]:
        one_way = "out" if self.outward else "in"
        return {
            "type": self.edge.type.value,
            "direction": "both" if self.edge.type.is_symmetric else one_way,
            "other": self.other.to_json(),
            **self.edge.to_json(),
        }


class SourcedVersion(Value):
    """A version of a memory with the turn it was concluded from."""

    version: MemoryVersion
    said: Evidence | None
    """Evidence; None where it was stated outside any turn, or where the turn was forgotten."""


class MemoryRecord(Value):
    """A memory with all it rests on and all it is linked with."""

    memory: Memory
    versions: tuple[SourcedVersion, ...]
    """Newest first."""
    evidence: tuple[Evidence, ...]
    """Turns, in the order they were said."""
    turn_range: TurnRange | None
    """Turns that an episode is a summary of; None for other types."""
    edges: tuple[IncidentEdge, ...]


class TurnOrigin(Value):
    """A turn with the memories that were concluded from it."""

    record: TurnRecord
    memories: tuple[Memory, ...]
    restated_memories: tuple[Memory, ...]
    """Memories that were known already and rest on this turn as well."""
    episodes: tuple[Memory, ...]


class MemoryHistory(Value):
    """The life of a memory, oldest first: wordings, what said it again, what was done to it."""

    memory: Memory
    events: tuple[SourcedVersion | Evidence | AuditEntry, ...]


class EntityMemory(Value):
    """A memory that speaks of an entity."""

    memory: Memory
    edges: tuple[IncidentEdge, ...]
    """Edges that tell how it speaks of the entity."""
    further_edges: tuple[IncidentEdge, ...] = ()
    """Edges to other nodes, where two hops were asked for."""


class EntityRecord(Value):
    """An entity, with the memories and turns that speak of it."""

    entity: Entity
    same_as: Entity | None
    entity_memories: tuple[EntityMemory, ...]
    """The memories that speak of it, the strongest bound first."""
    omitted: int
    """Number of memories beyond those shown."""
    entity_turns: tuple[IncidentEdge, ...] = ()
    """The turns that name it, no model has read and no memory here is drawn from, newest first."""
    omitted_turns: int = 0
    """Number of turns beyond those shown."""


class Namesakes(Value):
    """Entities that go by one name: several, or none."""

    name: str
    entities: tuple[Entity, ...]
    near: tuple[Entity, ...]
    """Entities of a similar name, where none has this one."""


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
