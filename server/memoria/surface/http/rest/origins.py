"""Origins: where memories come from, what became of them, what they name, and what waits."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, JsonValue

from memoria.model import Entity, Evidence, Memory
from memoria.model.access import Access
from memoria.model.graph import Edge
from memoria.model.operation import TurnRange
from memoria.model.provenance import AuditEntry, EdgeEnd, MemoryRecord, TurnOrigin
from memoria.model.weighing import Weighing
from memoria.surface.documents import Document
from memoria.surface.http.rest.memories import MemoryId, MemoryOrder
from memoria.surface.http.rest.shown import build_shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute
from memoria.surface.mcp.shapes import WireGround, WireRecord, WireWording
from memoria.surface.origins import (
    write_graph_answer,
    write_history,
    write_memory_record,
    write_review,
    write_turn_origin,
)

_LINE = ("id", "type", "validity", "text")
ShownEvidence = build_shown_model(Evidence)
ShownEntity = build_shown_model(Entity)
_Line = build_shown_model(Memory, _LINE, "_Line")
IncidentLink = build_shown_model(
    Edge,
    (),
    "IncidentLink",
    direction=Literal["in", "out", "both"],
    other=build_shown_model(EdgeEnd),
)


class NodeOrder(Order):
    """A memory or a turn, by its id or the end of it."""

    node_id: MemoryId


class GraphOrder(Order):
    """A person, place or thing."""

    name: Annotated[str, Field(min_length=1)]
    """A name, an alias or an id."""
    hops: Annotated[int, Field(ge=1, le=2)] = 1
    """2 to add what these memories are linked with."""
    limit: Annotated[int, Field(ge=1, le=1_000)] = 30


class ReviewOrder(Order):
    """The length of a list of what waits for the user."""

    limit: Annotated[int, Field(ge=1, le=10_000)] = 20


class MemoryLine(_Line):  # type: ignore[valid-type,misc]  # made of a value
    """A memory in a line."""

    text: str


class SourcedWording(WireWording):
    """A wording, with who drew the conclusion, and from what."""

    inferred_by: str
    model: str | None = None
    source_kind: str
    channel: str
    ingested_at: str
    event_at: str | None = None
    event_expression: str | None = None


ShownWeighing = build_shown_model(Weighing, why=str, why_chinese=str)


class Origin(WireRecord):
    """A memory with all of its evidence and links, or a turn with the memories drawn from it."""

    wordings: list[SourcedWording] | None = None
    evidence: list[ShownEvidence] | None = None  # type: ignore[valid-type]  # made of a value
    links: list[IncidentLink] | None = None  # type: ignore[valid-type]
    turn_range: build_shown_model(TurnRange) | None = None  # type: ignore[valid-type]
    last_confirmed: build_shown_model(AuditEntry) | None = None  # type: ignore[valid-type]
    weighing: ShownWeighing | None = None  # type: ignore[valid-type]
    memories: list[MemoryLine] | None = None
    restated_memories: list[MemoryLine] | None = None
    episodes: list[MemoryLine] | None = None


class HistoryEvent(BaseModel):
    """A wording, a turn that says it again, or an action on a memory."""

    at: str
    event: Literal["wording", "evidence", "action"]
    wording: SourcedWording | None = None
    evidence: ShownEvidence | None = None  # type: ignore[valid-type]
    action: str | None = None
    channel: str | None = None
    client: str | None = None
    caller: str | None = None
    """Whoever called over HTTP: a token's last characters and label, or a subject."""
    detail: str | None = None


class HistoryAnswer(BaseModel):
    """The history of a memory, oldest first."""

    id: str
    text: str
    type: str
    validity: str
    verified: bool
    events: list[HistoryEvent]


class GraphMention(MemoryLine):
    """A memory that speaks of an entity."""

    links: list[IncidentLink]  # type: ignore[valid-type]
    further_links: list[IncidentLink] | None = None  # type: ignore[valid-type]


class GraphAnswer(BaseModel):
    """An entity with the memories that speak of it, or the entities of one name."""

    entity: ShownEntity | None = None  # type: ignore[valid-type]
    memories: list[GraphMention] | None = None
    omitted: int | None = None
    turns: list[IncidentLink] | None = None  # type: ignore[valid-type]
    omitted_turns: int | None = None
    namesakes: list[ShownEntity] | None = None  # type: ignore[valid-type]


class Contradicted(BaseModel):
    """A memory, and those that cannot be true together with it."""

    id: str
    text: str
    contradicts: JsonValue = None


class MovedMemory(BaseModel):
    """A memory of the project whose files have changed or are gone."""

    id: str
    text: str
    ground: WireGround


class Review(BaseModel):
    """Things that wait for the user's word."""

    pending: list[Origin]
    contradicted: list[Contradicted]
    moved: list[MovedMemory] | None = None
    quotes: list[str] | None = None
    may_be_one: list[list[ShownEntity]] | None = None  # type: ignore[valid-type]


class CoreFiles(BaseModel):
    """The present text of each core file that is not empty, by its name."""

    files: dict[Literal["MEMORY.md", "USER.md", "PERSONA.md"], str]


async def get_origin(caller: RestCaller, order: NodeOrder) -> Document:
    """Return a memory or a turn with what it rests on and what rests on it."""
    match await caller.memory.provenance.get(order.node_id):
        case MemoryRecord() as record:
            return write_memory_record(record)
        case TurnOrigin() as origin:
            return write_turn_origin(origin)


async def get_history(caller: RestCaller, order: MemoryOrder) -> Document:
    """Return the history of a memory."""
    return write_history(await caller.memory.provenance.history(order.memory_id))


async def look_around(caller: RestCaller, order: GraphOrder) -> Document:
    """Return what is known of a name."""
    found = await caller.memory.graph.around(
        order.name, hops=2 if order.hops > 1 else 1, limit=order.limit
    )
    return write_graph_answer(found)


async def list_review(caller: RestCaller, order: ReviewOrder) -> Document:
    """List what waits for the user."""
    memory = caller.memory
    return write_review(
        await memory.provenance.list_pending(order.limit),
        await memory.list_contradicted(order.limit),
        await memory.list_moved(order.limit),
        await memory.wishes(),
        await memory.graph.list_proposals(order.limit),
    )


async def read_core(caller: RestCaller, _order: Order) -> Document:
    """Return the core files."""
    return {"files": dict(await caller.memory.read_core())}


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "GET",
        "/memory/nodes/{memory_id}/history",
        Access.READ,
        "get_memory_history",
        "Return what became of a memory: each wording, what said it again, and what was done to "
        "it.",
        MemoryOrder,
        get_history,
        HistoryAnswer,
        {"memory_id": EXAMPLE_IDS["memory"]},
    ),
    RestRoute(
        "GET",
        "/memory/nodes/{node_id}/origin",
        Access.READ,
        "get_origin",
        "Return a memory with every turn it rests on and every link, or a turn with the memories "
        "drawn from it.",
        NodeOrder,
        get_origin,
        Origin,
        {"node_id": EXAMPLE_IDS["memory"]},
    ),
    RestRoute(
        "GET",
        "/memory/graph",
        Access.READ,
        "look_around",
        "Return what is known of a person, place or thing, and the memories that speak of it.",
        GraphOrder,
        look_around,
        GraphAnswer,
        {"name": "checkout", "hops": 2},
    ),
    RestRoute(
        "GET",
        "/memory/review",
        Access.READ,
        "list_review",
        "List what waits for the user's word, which only the user gives, in a shell.",
        ReviewOrder,
        list_review,
        Review,
        {"limit": 5},
    ),
    RestRoute(
        "GET",
        "/memory/core",
        Access.READ,
        "read_core",
        "Return the core files: what always matters, who the user is, and how to behave.",
        Order,
        read_core,
        CoreFiles,
    ),
)
