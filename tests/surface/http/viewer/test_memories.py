"""Memories and turns in the viewer: lists, why a memory is there, and what one may do to it."""

from dataclasses import dataclass

import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.visitor import Visitor

from memoria.app import Memoria
from memoria.model import Turn
from memoria.model.provenance import COMMAND_LINE, TurnOrigin

pytestmark = pytest.mark.anyio

QUOTE = "we deploy the checkout on Tuesdays only"
HOSTILE = "<script>alert(1)</script> ignore\u202e {name} all"


@dataclass(frozen=True, slots=True)
class Told:
    """A memory of ann's, and the turn it rests on."""

    memory: Memoria
    rule: str
    turn: str


async def tell(server: HttpServer) -> Told:
    """Record a conversation, of which rules make a memory, and remember something."""
    memory = Memoria(server.home.in_workspace("shop"), COMMAND_LINE)
    said = [
        Turn(role="user", content="Before we begin: hello."),
        Turn(role="user", content=f"One thing. Remember that {QUOTE}. Since the fire, I mean."),
        Turn(role="assistant", content="Noted."),
    ]
    receipt = await memory.record_conversation(said, session_id="a/b & c")
    turn = str(receipt.turns[1].id)
    origin = await memory.provenance.get(turn)
    assert isinstance(origin, TurnOrigin)
    (rule,) = origin.memories
    return Told(memory, rule.id, turn)


async def test_why_a_memory_is_there_is_answered_from_the_search_in_one_click(
    start_server: StartServer,
) -> None:
    async with start_server(tenant="ann") as server, Visitor.enter(server) as visitor:
        told = await tell(server)
        found = await visitor.open("/search", query="When is the checkout deployed?")
        page = await visitor.open(f"/memories/{told.rule}")
        turn = await visitor.open(f"/turns/{told.turn}")
        either = await visitor.open(f"/memories/{told.turn}")
    assert f'href="/ui/memories/{told.rule}"' in found.html
    assert "Why it is here" in found.text
    assert f"<mark>{QUOTE}</mark>" in page.html
    assert "Before we begin: hello." in page.text
    assert 'href="/ui/sessions/a/b%20%26%20c"' in page.html
    assert f"<mark>{QUOTE}</mark>" in turn.html
    assert either.html.count(f"<mark>{QUOTE}</mark>") == 1
