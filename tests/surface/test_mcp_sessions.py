"""What an agent records over MCP is in the session that its client has named."""

from pathlib import Path
from typing import cast

import anyio
import pytest
from mcp import Client
from mcp.types import Implementation, RequestParamsMeta
from tests.surface.agent import server_on

import memoria
from memoria import Settings
from memoria.app import project_of
from memoria.bare.spool import append_entry
from memoria.model.provenance import transcript_channel

THREAD = "0197c5d2-1111-7000-8000-000000000001"
SAID = {"role": "user", "content": "The gateway listens on port 7443.", "session_id": THREAD}
CLIENTS = [("codex-mcp-client", "codex"), ("claude-code", "claude-code")]
REPORT = "In sum, the user wants port 7443."


def named_by(thread: str) -> RequestParamsMeta:
    """What Codex sends with each call."""
    return cast("RequestParamsMeta", {"threadId": thread})


async def test_what_an_agent_finds_and_looks_up_is_noted_for_the_session_its_client_has_named(
    home: Path,
) -> None:
    info, meta = Implementation(name="codex-mcp-client", version="1"), named_by(THREAD)
    async with Client(server_on(home, None), client_info=info) as agent:
        await agent.call_tool("remember", {"content": "The gateway listens on port 7443"})
        await agent.call_tool("record_conversation", {"turns": [SAID]}, meta=meta)
        for tool in ("search_memory", "search_conversation_traces"):
            await agent.call_tool(tool, {"query": "gateway port"}, meta=meta)
    settings = Settings.load(home=str(home), tenant="tests", embedder="off")
    async with memoria.open(settings=settings) as memory:
        shown = (await memory.told.list_shown(THREAD)).showings
    assert [one.way for one in shown] == ["search", "traces"]
    assert shown[0].records[0].memory is not None
    assert shown[1].records[0].turn is not None
    assert shown[1].after is not None
    assert shown[1].after.content == SAID["content"]


@pytest.mark.parametrize(("client", "source"), CLIENTS)
async def test_an_agent_s_report_and_an_import_are_one_session_with_each_turn_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, client: str, source: str
) -> None:
    if source == "claude-code":
        monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", THREAD)
    meta = named_by(THREAD) if source == "codex" else None
    reports = [
        {"role": "user", "content": "The gateway listens on **port 7443**.", "session_id": "mine"},
        {"role": "assistant", "content": REPORT, "message_id": "1"},
    ]
    info = Implementation(name=client, version="1")
    async with Client(server_on(home, None), client_info=info) as agent:
        for _ in range(2):
            await agent.call_tool(
                "record_conversation", {"turns": reports, "session_id": "invented"}, meta=meta
            )
            await agent.call_tool(
                "update_scratchpad", {"current_focus": "ports", "session_id": "x"}, meta=meta
            )
        seen = await agent.call_tool("search_conversation_traces", {"query": "sum"}, meta=meta)
    settings = Settings.load(home=str(home), tenant="tests", embedder="off")
    async with memoria.open(settings=settings) as memory:
        importer = memory.with_channel(transcript_channel(source))
        receipt = await importer.record_conversation([{**SAID, "message_id": "m1"}])
        turns = (await memory.get_session(THREAD)).turns
        pads = await memory.scratchpads(session_id=THREAD)
    assert receipt.recorded == 0
    assert [(t.message_id, t.content, t.source, t.account) for t in turns] == [
        ("m1", SAID["content"], source, "client"),
        (None, REPORT, source, "agent"),
    ]
    assert [pad.current_focus for pad in pads] == ["ports"]
    assert seen.structured_content is not None
    assert seen.structured_content["hits"][0]["source"]["account"] == "agent"


@pytest.mark.parametrize(
    ("client", "source"), [("gemini-cli-mcp-client", "gemini"), ("claude-code", "claude-code")]
)
async def test_the_session_of_a_client_that_names_none_or_a_former_one_is_that_of_its_hooks(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: str, source: str
) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "that-it-began-with-before-resuming-another")
    project = tmp_path / "project"
    project.mkdir()
    entry: dict[str, object] = {
        "client": source, "event": "prompt", "session": THREAD, "cwd": str(project),
        "turns": [{"role": "user", "content": SAID["content"], "id": "m1"}],
    }  # fmt: skip
    append_entry(str(home), "tests", entry)
    here = project_of("", str(project))
    reports = [{**SAID, "session_id": "mine"}, {"role": "assistant", "content": REPORT}]
    info = Implementation(name=client, version="1")
    async with Client(server_on(home, None), client_info=info) as agent:
        await agent.call_tool("record_conversation", {"turns": reports, "workspace": here})
    settings = Settings.load(home=str(home), tenant="tests", embedder="off")
    async with memoria.open(settings=settings) as memory:
        turns = (await memory.get_session(THREAD)).turns
        held = await memory.statistics()
    assert [(t.message_id, t.content) for t in turns] == [("m1", SAID["content"]), (None, REPORT)]
    assert held.sessions == 1


async def test_a_client_that_names_no_session_leaves_the_agent_s_name_for_it(home: Path) -> None:
    info = Implementation(name="another client", version="1")
    meta = named_by(THREAD)
    async with Client(server_on(home, None), client_info=info) as agent:
        await agent.call_tool(
            "record_conversation", {"turns": [{**SAID, "session_id": "s"}]}, meta=meta
        )
        await anyio.lowlevel.checkpoint()
    settings = Settings.load(home=str(home), tenant="tests", embedder="off")
    async with memoria.open(settings=settings) as memory:
        (turn,) = (await memory.get_session("s")).turns
    assert (turn.source, turn.account) == ("another client", None)
