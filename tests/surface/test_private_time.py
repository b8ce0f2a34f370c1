"""While private time is on in a workspace, nothing of its sessions is kept, whichever way it came.

Private time is switched on and off. It is neither a private span (`<private>`), which is left out
of a turn, nor a private workspace, whose turns are kept and seen from itself alone.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.surface.agent import connected
from tests.surface.shell import Shell

from memoria.app import open_memoria
from memoria.app.upkeep import back_up, restore
from memoria.config import Settings
from memoria.model import COMMAND_LINE, now_millis, system_millis, to_iso, use_clock
from memoria.surface.mcp.server import MemoriaServer, build_server

HERE, THERE = "/work/diary", "/work/shop"
MINUTE_MS = 60_000
BEGAN = now_millis() - 600 * MINUTE_MS
SECRETS = ("I have bought her a ring", "我要向她求婚", "pearl necklace")


def everything(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())


def settings(home: Path, workspace: str | None) -> Settings:
    return Settings.load(home=home, tenant="tests", workspace=workspace, embedder="off")


def shell_in(home: Path, workspace: str) -> Shell:
    return Shell(home, {"MEMORIA_TENANT": "tests", "MEMORIA_WORKSPACE": workspace})


def server(home: Path, workspace: str | None) -> MemoriaServer:
    chosen = settings(home, workspace)
    return build_server(lambda: open_memoria(settings=chosen))


def turn(content: str, minutes: int | None = None) -> dict[str, object]:
    """What the user says; some minutes after private time was first switched on."""
    at = {} if minutes is None else {"at": to_iso(BEGAN + minutes * MINUTE_MS)}
    return {"role": "user", "content": content, **at}


async def switch(home: Path, workspace: str | None, way: str, at: int | None = None) -> None:
    """What the command does, at a moment."""
    chosen = settings(home, workspace)
    with use_clock(lambda: at or system_millis()):
        async with open_memoria(settings=chosen, channel=COMMAND_LINE) as m:
            await (m.private.turn_on() if way == "on" else m.private.turn_off())


@pytest.mark.parametrize("workspace", [HERE, None])
async def test_no_way_in_keeps_anything_while_it_is_on_and_the_client_is_told(
    home: Path, workspace: str | None
) -> None:
    async with connected(server(home, workspace), "auto") as agent:
        await agent.say("The port is 8080")
        known = await agent.call("remember", content="I like tea")
        await switch(home, workspace, "on")
        before = everything(home)
        answer, text = await agent.both(
            "record_conversation",
            turns=[turn(SECRETS[0]), turn(SECRETS[1])],
            session_id="engagement-42",
            event="session_end",
        )
        assert (answer["recorded"], answer["private"], answer["turn_ids"]) == (0, 2, [])
        for said in (text, " ".join(answer["notes"])):
            assert "memoria private off" in said
        for tool, arguments in (
            ("remember", {"content": SECRETS[2]}),
            ("revise_memory", {"id": known["id"], "action": "correct", "content": SECRETS[2]}),
            ("update_scratchpad", {"current_focus": SECRETS[2]}),
        ):
            refusal = await agent.refusal(tool, **arguments)
            assert "private time is on" in refusal
            assert "memoria private off" in refusal
        await agent.call("revise_memory", id=known["id"], action="pin")
        assert (await agent.call("search_memory", query="tea"))["hits"]
        assert (await agent.call("search_conversation_traces", query="port"))["hits"]
        assert json.loads(await agent.read("memory://status"))["private"]
        await agent.say("more of the session that was there", session_id="s")
    after = everything(home)
    for words in (*SECRETS, "engagement-42", "more of the session"):
        assert words.encode() not in after.replace(before, b""), words
    await switch(home, workspace, "off")
    async with connected(server(home, workspace), "auto") as agent:
        answer, text = await agent.both("record_conversation", turns=[turn("The port is 9090")])
        assert (answer["recorded"], "private" in text) == (1, False)
        await agent.call("remember", content="I like coffee")


async def test_it_is_on_in_its_own_workspace_and_tenant_alone(home: Path) -> None:
    await switch(home, HERE, "on")
    for place, tenant, kept in ((HERE, "tests", 0), (THERE, "tests", 1), (None, "tests", 1)):
        async with connected(server(home, place), "auto") as agent:
            answer = await agent.call(
                "record_conversation", turns=[turn(f"port of {place}")], session_id=f"{place}"
            )
            assert answer["recorded"] == kept, (place, tenant)
    async with open_memoria(settings=Settings.load(home=home, workspace=HERE)) as m:
        assert (await m.record_conversation([turn("another tenant's")])).recorded == 1


async def test_a_session_of_the_workspace_is_private_wherever_it_goes_on(home: Path) -> None:
    async with connected(server(home, HERE), "auto") as agent:
        await agent.say("The port is 8080", session_id="long")
    await switch(home, HERE, "on")
    async with connected(server(home, THERE), "auto") as agent:
        answer = await agent.call(
            "record_conversation", turns=[turn(SECRETS[0])], session_id="long"
        )
        assert (answer["recorded"], answer["private"]) == (0, 1)


def claude_file(folder: Path, said: dict[int, str]) -> Path:
    """A transcript as a client leaves it: what was said some minutes after the beginning."""
    lines = [
        {
            "type": "user",
            "uuid": f"u{minutes}",
            "sessionId": "c1",
            "timestamp": to_iso(BEGAN + minutes * MINUTE_MS),
            "cwd": HERE,
            "message": {"role": "user", "content": content},
        }
        for minutes, content in said.items()
    ]
    file = folder / "c1.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file


async def test_a_later_import_brings_in_what_was_said_outside_of_it_and_nothing_else(
    home: Path, tmp_path: Path
) -> None:
    for way, minutes in (("on", 0), ("off", 10), ("on", 20), ("off", 30)):
        await switch(home, HERE, way, BEGAN + minutes * MINUTE_MS)
    said = {-1: "before", 0: SECRETS[0], 9: SECRETS[1], 10: "between", 25: SECRETS[2], 30: "after"}
    file = claude_file(tmp_path, said)
    shell = shell_in(home, HERE)
    for _ in range(2):
        report = shell.json("import", "--format", "claude-code", file)
        assert report["private"] == 3
    async with open_memoria(settings=settings(home, HERE)) as m:
        kept = [one.content for one in (await m.get_session("c1")).turns]
        receipt = await m.record_conversation([turn("late", 5), turn("on time", 40)])
    assert kept == ["before", "between", "after"]
    assert [one.status for one in receipt.turns] == ["private", "recorded"]
    assert receipt.private_since is None
    for words in SECRETS:
        assert words.encode() not in everything(home)


@pytest.mark.sqlite("a backup is a copy of the file")
async def test_a_restored_backup_of_before_still_obeys_it(home: Path, tmp_path: Path) -> None:
    async with open_memoria(settings=settings(home, HERE)) as m:
        await m.record_conversation([turn("The port is 8080")])
    chosen, kept = settings(home, HERE), tmp_path / "kept.zip"
    back_up(chosen, kept, lambda *_: None)
    await switch(home, HERE, "on", BEGAN)
    await switch(home, HERE, "off", BEGAN + 10 * MINUTE_MS)
    await switch(home, THERE, "on")
    for _ in range(2):
        restore(chosen, kept, lambda *_: None)
    async with open_memoria(settings=chosen) as m:
        assert (await m.record_conversation([turn(SECRETS[0], 5)])).private == 1
        times = await m.private.list_times()
    assert [(one.workspace, one.ended_at is None) for one in times] == [
        (HERE, False), (THERE, True),
    ]  # fmt: skip


def test_the_command_switches_it_on_and_off_and_every_report_shows_it(home: Path) -> None:
    shell, other = shell_in(home, HERE), shell_in(home, THERE)
    assert shell.json("private", "on")["is_on"] is True
    first = shell.json("private")["times"][0]["since"]
    assert shell.json("private", "on")["times"][0]["since"] == first
    assert HERE in other("private").out
    assert other.json("private")["is_on"] is False
    assert f"on in {HERE}" in other("stats").out
    assert other.json("stats")["private"][0]["workspace"] == HERE
    found = {one["check"]: one for one in other.json("doctor")["findings"]}["private time"]
    assert (found["state"], HERE in found["detail"]) == ("warning", True)
    assert found["cure"].endswith(f" --workspace {HERE} private off")
    kept = shell.json("remember", "I like tea")
    assert kept["status"] == "remembered"
    assert shell.json("private", "off")["is_on"] is False
    assert shell("private", "off").code == 0
    assert shell.json("stats")["private"] == []
    assert datetime.fromisoformat(first) <= datetime.now(UTC) + timedelta(minutes=1)


def test_whoever_states_something_themselves_while_it_is_on_is_told_that_it_is_kept(
    home: Path,
) -> None:
    here, there = shell_in(home, HERE), shell_in(home, THERE)
    here("private", "on")
    note = "private time is on here"
    assert note in here("remember", "The ring is in the blue box").out
    assert note in " ".join(here.json("remember", "The ring is of silver")["notes"])
    assert note not in there("remember", "The shop opens at nine").out
    assert "1 private time is over; no import" in here("private", "off").out
    assert note not in here("remember", "The ring fits").out
