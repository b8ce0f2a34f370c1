"""Conversations: taking them in, and reading sessions, turns and scratchpads."""

from typing import Any, Literal

from pydantic import Field

from memoria.model import SessionListing, SessionPage, now_millis
from memoria.model.access import Access
from memoria.model.moments import from_millis
from memoria.surface.documents import Document, write_receipt
from memoria.surface.http.rest.shown import shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute
from memoria.surface.mcp.shapes import WireReceipt
from memoria.surface.mcp.tools import WireTurn

_TOKEN_CHARS = 8


class IngestOrder(Order):
    """Turns to keep verbatim."""

    turns: list[WireTurn] = Field(default_factory=list)
    event: Literal["session_end", "compaction"] | None = None
    """The conversation ends, or its client is about to compact it."""
    session_id: str | None = None
    """Session of turns that name none; by default one of this token and day."""
    workspace: str | None = None


async def ingest(caller: RestCaller, order: IngestOrder) -> Document:
    """Keep turns."""
    today = f"{caller.token_id[-_TOKEN_CHARS:]} {from_millis(now_millis()):%Y-%m-%d}"
    receipt = await caller.memory.record_conversation(
        [turn.model_dump(exclude_none=True) for turn in order.turns],
        order.event,
        session_id=order.session_id or today,
        workspace=order.workspace,
    )
    return write_receipt(receipt)


async def list_sessions(caller: RestCaller, order: SessionListing) -> Document:
    """List sessions."""
    return (await caller.memory.list_sessions(order)).to_json()


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "POST",
        "/memory/ingest",
        Access.WRITE,
        "record_conversation",
        "Keep the turns of a conversation verbatim. They are on disk when it answers.",
        IngestOrder,
        ingest,
        WireReceipt,
        {
            "session_id": EXAMPLE_IDS["session"],
            "turns": [
                {
                    "role": "user",
                    "content": "Remember that we deploy the checkout on Tuesdays only.",
                    "message_id": "1",
                },
                {"role": "assistant", "content": "Noted.", "message_id": "2"},
            ],
        },
        takes_key=True,
    ),
    RestRoute(
        "GET",
        "/memory/sessions",
        Access.READ,
        "list_sessions",
        "List the recorded sessions, the newest first.",
        SessionListing,
        list_sessions,
        shown_model(SessionPage),
        {"limit": 5},
    ),
)
