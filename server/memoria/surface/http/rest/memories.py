"""Memories: listing them, stating, reading and revising them."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, WithJsonSchema

from memoria.model import Memory, MemoryListing, Scope
from memoria.model.access import Access
from memoria.model.memory_types import STATABLE_TYPES
from memoria.surface.documents import (
    LISTED,
    Document,
    write_lookup,
    write_memory_page,
    write_remembered,
)
from memoria.surface.http.rest.shown import shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute
from memoria.surface.mcp.shapes import WireLookup, WireRememberResult
from memoria.surface.mcp.tools import NamedEntity

_StatableType = Annotated[
    str, WithJsonSchema({"type": "string", "enum": [str(one) for one in STATABLE_TYPES]})
]
ListedMemory = shown_model(Memory, LISTED, "ListedMemory", pinned=bool)


class MemoryList(BaseModel):
    """A page of memories."""

    total: int
    """Number on all pages."""
    elsewhere: int
    """Number of further memories in other projects."""
    withheld: int | None = None
    memories: list[ListedMemory]  # type: ignore[valid-type]  # a model made of a value


class RememberOrder(Order):
    """A statement to keep as a memory."""

    content: str
    """One conclusion in a sentence, in the language it was said in."""
    type: _StatableType | None = None
    importance: Annotated[float, Field(ge=0, le=1)] | None = None
    valid_from: str | None = None
    """Since when it holds, ISO 8601; now by default."""
    until: str | None = None
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


class MemoryOrder(Order):
    """A memory, by its id or the end of it."""

    memory_id: Annotated[str, Field(min_length=1)]


async def list_memories(caller: RestCaller, order: MemoryListing) -> Document:
    """List memories."""
    return write_memory_page(await caller.memory.list_memories(order), ())


async def remember(caller: RestCaller, order: RememberOrder) -> Document:
    """Keep a statement."""
    given = {name: getattr(order, name) for name in order.model_fields_set - {"content"}}
    if "entities" in given:
        given["entities"] = [
            one if isinstance(one, str) else one.model_dump() for one in order.entities
        ]
    return write_remembered(await caller.memory.remember(order.content, **given))


async def get_memory(caller: RestCaller, order: MemoryOrder) -> Document:
    """Return a memory whole."""
    return write_lookup(await caller.memory.get_memory(order.memory_id))


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
        {"limit": 5, "types": ["fact", "rule"]},
    ),
    RestRoute(
        "POST",
        "/memory/nodes",
        Access.WRITE,
        "remember",
        "Keep a statement as a memory. What is known already is not kept twice.",
        RememberOrder,
        remember,
        WireRememberResult,
        {"content": "The checkout is deployed on Tuesdays only.", "type": "rule"},
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
)
