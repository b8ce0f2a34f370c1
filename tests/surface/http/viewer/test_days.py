"""Days and sessions in the viewer: what was said when, and what came of it."""

from datetime import UTC, datetime

import pytest
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.http.viewer.visitor import Visitor

from memoria import Memoria
from memoria.language.reading.statement import fingerprint
from memoria.model import LIBRARY, MemoryType, Provenance, QueueKind, Role, Turn, new_id, to_millis
from memoria.store.values import NewEvidence, NewMemory, NewQueueEntry, NewVersion

pytestmark = pytest.mark.anyio

DAY = "2026-03-04"
SESSION = "check/out ü?#1"
ADDRESS = "/sessions/check%2Fout%20%C3%BC%3F%231"
HOSTILE = "<script>alert(1)</script>\u202etxt"
SUMMARY = "The checkout is deployed on Tuesdays. Carla agreed to that."


def at(clock: str, day: str = DAY) -> int:
    return to_millis(datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=UTC))


def say(text: str, clock: str, day: str = DAY, role: Role = Role.USER) -> Turn:
    return Turn(role=role, content=text, at=at(clock, day), message_id=f"{day} {clock}")


async def fill(server: HttpServer) -> dict[str, str]:
    """Hold two sessions on a day and one the day after; return ids of a turn and a memory."""
    memory = Memoria(server.home.for_tenant("ann"), LIBRARY)
    tool = Turn(
        role=Role.TOOL, tool_name="deploy", tool_args={"to": HOSTILE}, tool_result="done",
        at=at("09:20"), message_id="tool",
    )  # fmt: skip
    turns = [
        say("When is the checkout deployed?", "09:10"),
        say("On Tuesdays.", "09:15", role=Role.ASSISTANT),
        tool,
    ]
    receipt = await memory.record_conversation(turns, "session_end", session_id=SESSION)
    await memory.record_conversation([say(HOSTILE, "23:30")], session_id="late")
    await memory.record_conversation([say("A new day.", "00:10", "2026-03-05")], session_id="late")
    await memory.update_scratchpad(current_focus="Release the checkout", session_id=SESSION)
    ids = [one.id or "" for one in receipt.turns]
    origin = Provenance(source_kind="consolidated", trust="user", channel="test")
    made = {"turn": ids[0], "memory": new_id(), "summary": new_id()}
    with server.home.store.write("ann") as tx:
        first, second = (tx.conversations.turn(one) for one in ids[:2])
        assert first is not None
        assert second is not None
        for name, kind, text, turn_n in (
            ("memory", MemoryType.FACT, "Checkout releases are on Tuesdays", first.n),
            ("summary", MemoryType.EPISODE, SUMMARY, None),
        ):
            version = NewVersion(text, fingerprint(text), 1, 1, origin, turn_n)
            tx.memories.add(NewMemory(made[name], kind, 0.5, 0.5), version)
        tx.memories.add_evidence(NewEvidence(made["memory"], second.n, "On Tuesdays", 1))
        tx.episodes.add(made["summary"], first.session_n, 0, 1)
        tx.queue.add(NewQueueEntry(new_id(), QueueKind.EXTRACT, first.session_n, 0, 1, 5, "x", 1))
    return made


async def test_a_week_and_a_day_show_sessions_by_the_users_clock(start_server: StartServer) -> None:
    async with start_server(time_zone="Asia/Shanghai") as server, Visitor.enter(server) as visitor:
        await fill(server)
        week = await visitor.open("/days", day=DAY)
        day = await visitor.open("/days", day=DAY, span="day")
        next_day = await visitor.open("/days", day="2026-03-05", span="day")
        empty = await visitor.open("/days", day="2020-01-01")
        wrong = await visitor.open("/days", day="yesterday")
        visitor.http.headers["accept-language"] = "zh"
        chinese = await visitor.open("/days", day=DAY)
    assert "2026-03-02 to 2026-03-08" in week.text
    assert week.text.index("2026-03-04 , Wednesday") < week.text.index("2026-03-05 , Thursday")
    assert "The checkout is deployed on Tuesdays." in week.text
    assert "Carla agreed" not in week.text
    assert f'href="/ui{ADDRESS}"' in week.html
    assert "17:10–17:20" in week.text
    assert "turns: 3 memories: 1" in week.text
    assert 'href="/ui/days?day=2026-02-23&amp;span=week"' in week.html
    assert SUMMARY in day.text
    assert "07:30" not in day.text
    assert "07:30–08:10" in next_day.text
    assert "<script>alert" not in next_day.html
    assert "<script>alert(1)</script>\\u{202e}txt" in next_day.text
    assert "Nothing was said here. To the newest session" in empty.text
    assert (wrong.status, "Write it as 2026-11-29" in wrong.text) == (422, True)
    assert "星期三" in chinese.text
    assert "3 条发言" in chinese.text


async def test_a_session_shows_its_turns_and_what_came_of_each(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        made = await fill(server)
        shown = await visitor.open(ADDRESS)
        rest = await visitor.open(f"{ADDRESS}?offset=2")
        correction = {"action": "correct", "content": "Checkout releases are on Fridays"}
        await visitor.send(f"/memories/{made['memory']}/revise", **correction)
        corrected = await visitor.open(ADDRESS)
        missing = await visitor.open("/sessions/none")
        first = (await visitor.open("/days")).text
    user, assistant, tool = shown.html.split("<li data-item")[1:]
    for part in (user, assistant):
        assert f'href="/ui/memories/{made["memory"]}"' in part
        assert "waits to be read" in part
    assert "/ui/memories/" not in tool
    assert "<summary>deploy</summary>" in tool
    assert "<script>alert" not in shown.html
    assert "Release the checkout" in shown.text
    assert 'href="/ui/replay/check%2Fout%20%C3%BC%3F%231"' in shown.html
    former = "Checkout releases are on Tuesdays since then: Checkout releases are on Fridays"
    assert former in corrected.text
    assert "since then:" not in shown.text
    assert made["turn"] not in rest.html
    assert 'rel="prev"' in rest.html
    assert missing.status == 404
    assert "To the newest session" in first


async def test_a_memory_without_a_word_says_what_to_do(start_server: StartServer) -> None:
    async with start_server() as server, Visitor.enter(server) as visitor:
        empty = await visitor.open("/days")
    assert "memoria connect" in empty.text
