"""Memories: listing them, stating, reading and revising them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from memoria.memories.details import MOST_ENTITIES
from memoria.model import Memory, MemoryListing, Scope
from memoria.model.access import Access
from memoria.model.conclusions import MOST_CONCLUSIONS
from memoria.model.memory_types import STATABLE_TYPES
from memoria.model.metadata import NO_METADATA, Metadata
from memoria.surface.documents import (
    LISTED,
    Document,
    write_handed_in,
    write_lookup,
    write_memory_page,
    write_remembered,
    write_revision,
)
from memoria.surface.http.rest.bounds import EndText, InstantText, Words
from memoria.surface.http.rest.shown import build_shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute
from memoria.surface.mcp.calls import remember_several
from memoria.surface.mcp.shapes import (
    WireKept,
    WireLookup,
    WireRefused,
    WireRememberResult,
    WireRevision,
)
from memoria.surface.mcp.tools import NamedEntity
from memoria.surface.text import revision_note

_StatableType = Annotated[
    str, WithJsonSchema({"type": "string", "enum": [*map(str, STATABLE_TYPES), "episode"]})
]
MemoryId = Annotated[str, Field(min_length=1)]
_Listed = build_shown_model(Memory, LISTED, "_Listed", pinned=bool)


class BatchedStatement(Order):
    """A statement among several: one that can't be kept is named in the answer."""

    content: str
    """One conclusion in a sentence, in the language it was said in."""
    type: str | None = None
    importance: Annotated[float, Field(ge=0, le=1)] | None = None
    valid_from: str | None = None
    """Since when it holds, ISO 8601; now by default."""
    until: EndText | None = None
    """Its end: a date, words for one, `24h`, `30d`, `session` or `permanent`."""
    subject: str | None = None
    """Of whom or what it speaks."""
    task: str | None = None
    entities: list[str | NamedEntity] = Field(default_factory=list)
    """People, places and things it names."""
    supersedes: str | None = None
    """Id of the memory that it takes the place of."""
    turn_id: str | None = None
    """The recorded turn it rests on."""
    quote: str | None = None
    """Words of that turn, which must stand there."""
    session_id: str | None = None
    workspace: str | None = None
    scope: Scope | None = None
    again: bool = False
    """Keep it even if it was forgotten before; ask the user first."""
    metadata: Metadata = NO_METADATA
    """Fields of the caller's own: texts, numbers, truths and lists of texts by their names."""
    covers: list[str] = Field(default_factory=list)
    """Turns, or the session, of which it is an episode; no model is asked for one then."""

    def list_given(self) -> dict[str, Any]:
        """Return the fields that were given, as arguments of `Memoria.remember`."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        if "entities" in given:
            given["entities"] = [
                one if isinstance(one, str) else one.model_dump() for one in self.entities
            ]
        return given


class Statement(BatchedStatement):
    """A statement to keep as a memory."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"properties": {"quote": {"type": "null"}}},
                {"required": ["turn_id"], "properties": {"turn_id": {"minLength": 1}}},
            ]
        }
    )

    content: Words
    """One conclusion in a sentence, in the language it was said in."""
    type: _StatableType | None = None
    valid_from: InstantText | None = None
    """Since when it holds, ISO 8601; now by default."""
    entities: list[Words | NamedEntity] = Field(
        default_factory=list, json_schema_extra={"maxItems": MOST_ENTITIES}
    )
    """People, places and things it names."""


class StatementBatch(Order):
    """Several statements, each kept or refused by itself."""

    memories: list[BatchedStatement] = Field(
        min_length=1, json_schema_extra={"maxItems": MOST_CONCLUSIONS}
    )


class MemoryOrder(Order):
    """A memory, by its id or the end of it."""

    memory_id: MemoryId


class RevisionOrder(MemoryOrder):
    """A change of a memory, which can be undone."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {
                    "required": ["content"],
                    "properties": {
                        "action": {"const": "correct"},
                        "content": {"type": "string", "pattern": r"\S"},
                    },
                },
                {
                    "properties": {
                        "action": {"not": {"const": "correct"}},
                        "content": {"type": "null"},
                        "until": {"type": "null"},
                    }
                },
            ]
        }
    )

    action: Literal["correct", "confirm", "archive", "restore", "everywhere", "project"]
    """What a caller confirms counts as verified only once the user does so too."""
    content: str | None = None
    """With `correct`: the new wording."""
    valid_from: InstantText | None = None
    until: EndText | None = None
    turn_id: str | None = None
    """With `correct`: the recorded turn it rests on."""


class FeedbackOrder(Order):
    """A word on a memory that helped or misled."""

    node_id: MemoryId
    """The memory."""
    action: Literal["pin", "unpin", "upvote", "downvote"]


class ListedMemory(_Listed):  # type: ignore[valid-type,misc]  # made of a value
    """A memory in a list: its present wording, and since when it holds."""

    text: str
    valid_from: str


class MemoryList(BaseModel):
    """A page of memories."""

    total: int
    """Number on all pages."""
    elsewhere: int
    """Number of further memories in other projects."""
    withheld: int | None = None
    memories: list[ListedMemory]


class RememberedSeveral(BaseModel):
    """Outcome of several statements."""

    kept: list[WireKept]
    refused: list[WireRefused] | None = None


async def list_memories(caller: RestCaller, order: MemoryListing) -> Document:
    """List memories."""
    return write_memory_page(await caller.memory.list_memories(order), ())


async def remember(caller: RestCaller, order: Statement) -> Document:
    """Keep a statement."""
    return write_remembered(await caller.memory.remember(**order.list_given()))


async def remember_all(caller: RestCaller, order: StatementBatch) -> Document:
    """Keep several statements."""
    given = [one.list_given() for one in order.memories]
    return write_handed_in(await remember_several(caller.memory, given, None))


async def get_memory(caller: RestCaller, order: MemoryOrder) -> Document:
    """Return a memory whole."""
    return write_lookup(await caller.memory.get_memory(order.memory_id))


async def revise(caller: RestCaller, order: RevisionOrder) -> Document:
    """Change a memory."""
    memory = await caller.memory.revise_memory(
        order.memory_id,
        order.action,
        order.content,
        valid_from=order.valid_from,
        until=order.until,
        turn_id=order.turn_id,
    )
    return write_revision(memory, revision_note(memory) if order.action == "correct" else None)


async def give_feedback(caller: RestCaller, order: FeedbackOrder) -> Document:
    """Pin a memory or vote on it."""
    memory = await caller.memory.revise_memory(order.node_id, order.action, key=caller.key)
    return write_revision(memory)


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "GET",
        "/memory/nodes",
        Access.READ,
        "list_memories",
        "List memories, the one that became valid last first.",
        MemoryListing,
        list_memories,
        MemoryList,
        {"limit": 5, "types": ["rule"]},
    ),
    RestRoute(
        "POST",
        "/memory/nodes",
        Access.WRITE,
        "remember",
        "Keep a statement as a memory. What is known already is not kept twice.",
        Statement,
        remember,
        WireRememberResult,
        {"content": "The checkout is deployed on Tuesdays only.", "type": "rule"},
    ),
    RestRoute(
        "POST",
        "/memory/nodes/batch",
        Access.WRITE,
        "remember_several",
        "Keep several statements. What of them can't be kept is named, and the others are kept.",
        StatementBatch,
        remember_all,
        RememberedSeveral,
        {"memories": [{"content": "Ben reviews the checkout.", "entities": ["Ben"]}]},
    ),
    RestRoute(
        "GET",
        "/memory/nodes/{memory_id}",
        Access.READ,
        "get_memory",
        "Return a memory whole: its wordings, when each held, and where each came from.",
        MemoryOrder,
        get_memory,
        WireLookup,
        {"memory_id": EXAMPLE_IDS["memory"]},
    ),
    RestRoute(
        "PATCH",
        "/memory/nodes/{memory_id}",
        Access.WRITE,
        "revise_memory",
        "Correct, confirm, archive or restore a memory, or set where it is seen. Its former "
        "wording stays in its history.",
        RevisionOrder,
        revise,
        WireRevision,
        {
            "memory_id": EXAMPLE_IDS["memory"],
            "action": "correct",
            "content": "The checkout is deployed on Tuesdays and Thursdays.",
        },
        current=get_memory,
    ),
    RestRoute(
        "POST",
        "/feedback",
        Access.WRITE,
        "give_feedback",
        "Pin a memory, vote it up when it helped, or down when it misled.",
        FeedbackOrder,
        give_feedback,
        WireRevision,
        {"node_id": EXAMPLE_IDS["memory"], "action": "upvote"},
        takes_key=True,
    ),
)
