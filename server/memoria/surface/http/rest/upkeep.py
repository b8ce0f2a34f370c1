"""Upkeep: what the memory holds, what waits, and nightly maintenance."""

from typing import Any

from memoria.model import Statistics
from memoria.model.access import Access
from memoria.surface.documents import Document
from memoria.surface.http.rest.shown import shown_model
from memoria.surface.http.rest.table import Order, RestCaller, RestRoute


async def tell_status(caller: RestCaller, _order: Order) -> Document:
    """Count what the memory holds."""
    held = await caller.memory.statistics()
    return {**held.to_json(), "embedder": caller.memory.embedder_state}


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "GET",
        "/memory/status",
        Access.READ,
        "tell_status",
        "Count what this memory holds, what waits to be read, and what reading has cost.",
        Order,
        tell_status,
        shown_model(Statistics, embedder=str),
    ),
)
