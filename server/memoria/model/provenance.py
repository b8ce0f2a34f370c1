"""Provenance: the channel a call came by, the evidence of a memory, and where both lead."""

from functools import lru_cache
from typing import Annotated, Any

from memoria.model.base import HIDDEN, UNLESS_EMPTY, Shown, Value
from memoria.model.core import USER_EDIT_NAME
from memoria.model.graph import Edge, Entity, NameLink, NodeKind
from memoria.model.memory import Memory, MemoryVersion, Trust
from memoria.model.moments import Moment
from memoria.model.operation import TurnRange
from memoria.model.turn import Account, Role, StoredTurn, TurnRecord
from memoria.model.weighing import Weighing


class Evidence(Value):
    """A turn that a memory rests on, and the words there."""

    turn_id: str
    source: Annotated[str, Shown("client")]
    """Owner of the session's id: the client, or the channel of a nameless client."""
    session_id: str
    turn_index: int
    role: Role
    at: Moment
    """Time at which the turn was said."""
    noted_at: Moment
    """Time at which the memory was concluded from the turn."""
    message_id: str | None
    speaker: str | None
    quote: str | None
    version: int | None
    """Version concluded from the turn; None for a turn that repeats a known memory."""


class AuditEntry(Value):
    """A line of the append-only log: action, channel and time."""

    at: Moment
    action: str
    channel: str
    client: str | None
    caller: str | None = None
    """Whoever called over HTTP, as `Channel.caller`."""
    detail: str | None

    @property
    def is_of_user(self) -> bool:
        """True if the user acted, by a way in that no agent and no program has."""
        return self.channel in (*_WAYS, "mcp-elicitation")


class LoggedAction(AuditEntry):
    """A line of the log with its subject's id."""

    n: Annotated[int, HIDDEN] = 0
    """Number of the line, by which a list goes on; 0 where none was asked for."""
    subject: str

    @property
    def by(self) -> str:
        """Words for the channel, such as `on the command line`."""
        from memoria.model.memory import Trust  # noqa: PLC0415

        return Channel(
            name=self.channel, trust=Trust.REPORTED, client=self.client, caller=self.caller
        ).description


class EdgeEnd(Value):
    """The other end of an edge, in words."""

    kind: NodeKind
    id: str
    text: str
    """First words of a memory or turn, or an entity's name."""
    detail: Annotated[str, UNLESS_EMPTY]
    """Validity of a memory, role of a turn, or kind of an entity and its distinct words."""


class IncidentEdge(Value):
    """An edge, seen from one of its ends."""

    edge: Edge
    outward: bool
    """True if the edge leads to the other end."""
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
    """A version of a memory, with the turn from which it was concluded."""

    version: MemoryVersion
    said: Evidence | None
    """Evidence; None for a version stated outside any turn, or whose turn was forgotten."""


class MemoryRecord(Value):
    """A memory with all of its evidence and links."""

    memory: Memory
    versions: tuple[SourcedVersion, ...]
    """Newest first."""
    evidence: tuple[Evidence, ...]
    """Turns, in the order they were said."""
    turn_range: TurnRange | None
    """Turns that an episode sums up; None for other types."""
    edges: tuple[IncidentEdge, ...]
    last_confirmed: AuditEntry | None = None
    """Latest confirmation of the present wording: the user's if the memory is verified, else that
    of an agent or a program. What the user states is confirmed by that. None without an entry."""
    weighing: Weighing | None = None
    """What speaks for and against the memory; read for one that is looked up by its id."""


class SourcedMemory(Value):
    """A memory with the turn from which its present wording was concluded."""

    memory: Memory
    turn: StoredTurn | None
    """None for a wording that was stated outside any turn, or whose turn was forgotten."""


class WaitingItem(Value):
    """A memory that waits for the user's word."""

    subject: SourcedMemory
    against: tuple[SourcedMemory, ...]
    """Memories that cannot be true together with it."""


class WaitingPage(Value):
    """A page of memories that wait for the user's word."""

    items: tuple[WaitingItem, ...]
    total: int
    """Number on all pages, counted up to a thousand."""
    after: str | None = None
    """Id of the memory after which the list goes on; None at its end."""


class TurnOrigin(Value):
    """A turn with the memories that were concluded from it."""

    record: TurnRecord
    memories: tuple[Memory, ...]
    restated_memories: tuple[Memory, ...]
    """Memories known before that the turn repeats."""
    episodes: tuple[Memory, ...]


class MemoryHistory(Value):
    """Events of a memory, oldest first: wordings, further evidence, and actions."""

    memory: Memory
    events: tuple[SourcedVersion | Evidence | AuditEntry, ...]


class EntityMemory(Value):
    """A memory that speaks of an entity."""

    memory: Memory
    edges: tuple[IncidentEdge, ...]
    """Edges from the memory to the entity."""
    further_edges: tuple[IncidentEdge, ...] = ()
    """Edges to other nodes, if two hops were asked for."""


class EntityRecord(Value):
    """An entity, with the memories and turns that name it."""

    entity: Entity
    same_as: Entity | None
    entity_memories: tuple[EntityMemory, ...]
    """Memories that name the entity, the most strongly linked first."""
    omitted: int
    """Number of memories beyond those shown."""
    entity_turns: tuple[IncidentEdge, ...] = ()
    """Unread turns that name the entity and underlie no memory shown, newest first."""
    omitted_turns: int = 0
    """Number of turns beyond those shown."""


class Namesakes(Value):
    """Entities with one name: several, or none."""

    name: str
    entities: tuple[Entity, ...]
    near: tuple[Entity, ...]
    """Entities with a similar name, if no entity has the name."""


class Neighbourhood(Value):
    """An entity, what names it, and what that is linked with."""

    entity: Entity
    memories: tuple[Memory, ...]
    """Memories that name it, the most strongly linked first."""
    turns: tuple[StoredTurn, ...]
    """Turns that name it, the newest first."""
    entities: tuple[Entity, ...]
    """Other entities that the memories name."""
    others: tuple[Memory, ...]
    """Other memories that the memories are linked with."""
    links: tuple[NameLink, ...]
    """Links of the memories with all of these."""


class EntityKin(Value):
    """Entities that are one with another, or may be."""

    joined: tuple[Entity, ...]
    """Entities that it was joined with, each with the names of its own."""
    proposed: tuple[Entity, ...]
    """Entities that go by one name with it and may be the same."""


class NamePage(Value):
    """A page of entities, in the order of their names."""

    entities: tuple[Entity, ...]
    after: str | None
    """Place after which the list goes on; None at its end."""


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
    """`mcp`, `mcp-elicitation`, `cli`, `viewer`, `library`, `import`, `hook` or `hand-edit`."""
    trust: Trust
    client: str | None = None
    """Name of the program at the other end, if the program gives one."""
    session: str | None = None
    """The client's own id of the session, if the client itself gives the id."""
    caller: str | None = None
    """Whoever calls over HTTP: `token 1a2b3c4d (laptop)` or `subject ann@example.com`."""

    @property
    def is_agent(self) -> bool:
        """True if a model calls through its client; it sees the rows of its project only."""
        return self.name in ("mcp", "mcp-elicitation")

    @property
    def description(self) -> str:
        """Words for the channel and the caller, such as `on the command line`."""
        return f"{self._way}, {self.caller}" if self.caller else self._way

    @property
    def _way(self) -> str:
        match self.name:
            case "cli" | "viewer" | "hand-edit":
                return _WAYS[self.name]
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
        """Author of turns of this channel, if the same session may be told twice; else None.

        A session that an agent tells is told by the client too only if the client has named the
        session: nobody else uses a name that the agent made up.
        """
        if self.name in ("import", "hook"):
            return "client"
        return "agent" if self.is_agent and self.session is not None else None


_WAYS = {
    "cli": "on the command line",
    "viewer": "in the viewer",
    "hand-edit": "in a core file, by hand",
}


@lru_cache(maxsize=64)
def _source_of(name: str) -> str:
    """Return the short name of a client, as imports and hooks use it, or else the name itself."""
    known = (source for begins, source in _SOURCES if name.lower().startswith(begins))
    return next(known, name)


EXTRACTION_CHANNEL = "extraction"
"""Channel of conclusions that rules or a model draw from a conversation."""
NIGHTLY_CHANNEL = "night"
"""Channel of conclusions that nightly maintenance draws from memories."""
LIBRARY = Channel(name="library", trust=Trust.REPORTED)
"""Channel of a program that uses the library: it reports, and is not the user."""
COMMAND_LINE = Channel(name="cli", trust=Trust.USER)
"""Channel of the command line: its user is the user."""
USER_EDIT = Channel(name=USER_EDIT_NAME, trust=Trust.USER)
"""Channel of a core file: its editor is the user."""


def hook_channel(client: str) -> Channel:
    """Return the channel of a client's hook, which reports a conversation while it is held.

    Only turns of the user are the user's own word; answers and results of tools are not.
    """
    return Channel(name="hook", trust=Trust.USER, client=client)


def transcript_channel(client: str | None) -> Channel:
    """Return the channel of a transcript that the user imports.

    The user vouches for the file, not for each line, so the channel reports like the client that
    wrote the file.
    """
    return Channel(name="import", trust=Trust.REPORTED, client=client)
