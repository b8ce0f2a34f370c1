"""What hooks point to is taken in once, in its order, and an import afterwards adds nothing."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.connectors.transcripts.desk import (
    FOLDER,
    SESSION,
    Line,
    block,
    claude,
    claude_calls,
    claude_result,
    claude_says,
    codex,
    codex_calls,
    codex_message,
    codex_meta,
    codex_result,
    gemini,
    gemini_call,
    gemini_header,
    imported,
    jsonl,
    kept,
    written,
)
from tests.surface.shell import Shell

import memoria
from memoria import Memoria, Settings
from memoria.app import project_of
from memoria.app.spool import ALL, COMMAND_BYTES, WAITING_BYTES
from memoria.bare.spool import SpoolClaim, append_entry, claim_entries, list_waiting, spool_folder
from memoria.connectors.transcripts.source import Record, TranscriptSource, UnusableLine
from memoria.model import Channel, StoredTurn, Trust

CLAUDE = (
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
    claude("user", "为什么 E1437 会失败？", "u1"),
    claude_says("msg_1", block("Two things to look at,"), "a2"),
    claude_says("msg_1", block("one after the other."), "a3"),
    claude_calls("msg_1", "toolu_1", "make test", "a4"),
    claude_calls("msg_1", "toolu_2", "git log", "a5"),
    claude_result("toolu_2", "a1b2c3 Rename", "r2"),
    claude_result("toolu_1", "make: *** [test] Error 2", "r1", is_error=True),
    claude("user", "x", "u", isSidechain=True),
    claude_says("msg_2", block("The rename broke it."), "a6"),
    claude("user", "继续", "u2"),
    claude_says("msg_3", block("Undone."), "a7"),
    claude("user", "继续", "u3"),
)
CODEX = (
    codex_meta(),
    codex_message("user", "第三个测试为什么失败？"),
    codex("event_msg", {"type": "user_message", "message": "第三个测试为什么失败？"}),
    codex_calls("call_1", "make test"),
    codex_calls("call_2", "git log"),
    codex_result("call_2", "a1b2c3 Rename"),
    codex_result("call_1", '{"output":"1 failed","metadata":{"exit_code":1}}'),
    codex_message("assistant", "It expects UTC.", id="msg_7"),
    codex_message("user", "yes"),
    codex_calls("call_1", "make test again"),
    codex_result("call_1", "ok"),
    codex_message("user", "yes"),
)
GEMINI = (
    gemini_header(),
    gemini("user", [{"text": "列出文件"}], "u1"),
    {"$set": {"lastUpdated": "2026-10-05T08:00:09.000Z"}},
    gemini("gemini", "Here.", "g1", toolCalls=[gemini_call("c1", "ls")]),
    gemini("gemini", "Here.", "g1", toolCalls=[gemini_call("c1", "ls", "a.txt")]),
    gemini("user", [{"text": "<hook_context>recalled</hook_context>\n\nyes"}], "u2"),
    gemini("gemini", "Done.", "g2"),
    gemini("user", "yes", "u3"),
)
CONVERSATIONS: dict[str, tuple[str, tuple[Line, ...]]] = {
    "claude-code": ("x.jsonl", CLAUDE),
    "codex": ("rollout-1.jsonl", CODEX),
    "gemini": ("session-1.jsonl", GEMINI),
}
AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="claude-code", session=SESSION)


def point(
    home: Path, client: str, file: Path, event: str = "prompt", session: str = SESSION
) -> None:
    """A hook's entry that points to a transcript."""
    entry: dict[str, object] = {
        "v": 1, "client": client, "event": event, "session": session, "at": 1_790_000_000_000,
        "cwd": FOLDER, "transcript": str(file), "offset": file.stat().st_size,
    }  # fmt: skip
    append_entry(str(home), "tests", entry)


def say(home: Path, client: str, *turns: Line, event: str = "prompt", at: int = 0) -> None:
    """A hook's entry with words of its own."""
    entry: dict[str, object] = {
        "v": 1, "client": client, "event": event, "session": SESSION, "cwd": FOLDER,
        "at": at or 1_790_000_000_000, "turns": list(turns),
    }  # fmt: skip
    append_entry(str(home), "tests", entry)


def facts(turns: Sequence[StoredTurn]) -> list[tuple[object, ...]]:
    return [
        (t.message_id, t.role, t.content, t.tool_name, str(t.tool_args), str(t.tool_result), t.at)
        for t in turns
    ]


def opened(home: Path) -> Settings:
    return Settings.load(home=str(home), tenant="tests", embedder="off")


@pytest.mark.parametrize("client", CONVERSATIONS)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
async def test_wherever_hooks_cut_a_transcript_it_is_taken_in_as_an_import_would(
    tmp_path_factory: pytest.TempPathFactory, client: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("session")
    name, lines = CONVERSATIONS[client]
    whole = jsonl(*lines)
    cuts = data.draw(st.lists(st.integers(0, len(whole)), max_size=5).map(sorted))
    events = st.sampled_from(["prompt", "tool", "start"])
    file = folder / name
    async with memoria.open(settings=opened(folder / "home")) as memory:
        for cut in [*cuts, len(whole)]:
            file.write_bytes(whole[:cut])
            event = "end" if cut == len(whole) else data.draw(events)
            point(folder / "home", client, file, event)
            if data.draw(st.booleans()) or event == "end":
                await memory.catch_up()
        hooked = await kept(memory)
        report = await imported(memory, client, file)
    async with memoria.open(settings=opened(folder / "other")) as memory:
        await imported(memory, client, file)
        plain = await kept(memory)
    assert facts(hooked) == facts(plain)
    assert (report.recorded, report.new_versions) == (0, 0)
    assert list_waiting(str(folder / "home"), "tests") == []


async def test_what_was_just_typed_is_found_and_is_the_users_own_word(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    file = written(tmp_path / "x.jsonl", *CLAUDE)
    point(home, "claude-code", file)
    found = await quiet.search_conversation_traces("E1437", workspace="*")
    assert found.hits
    turns = await kept(quiet)
    trusts = {turn.role.value: turn.trust for turn in turns}
    assert trusts == {"user": "user", "assistant": "reported", "tool": "tool"}
    assert {turn.source for turn in turns} == {"claude-code"}


async def test_only_what_is_new_is_read(
    quiet: Memoria, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path / "x.jsonl", *CLAUDE)
    point(home, "claude-code", file, "stop")
    await quiet.catch_up()
    begun_at: list[int] = []
    read = TranscriptSource.records_after

    def watch(
        source: TranscriptSource, offset: int, number: int, ends: int
    ) -> Iterator[Record | UnusableLine]:
        begun_at.append(offset)
        return read(source, offset, number, ends)

    monkeypatch.setattr(TranscriptSource, "records_after", watch)
    size = file.stat().st_size
    with file.open("ab") as more:
        more.write(jsonl(claude("user", "Only this is new.", "u9")))
    point(home, "claude-code", file)
    await quiet.catch_up()
    assert begun_at == [size]
    assert (await kept(quiet))[-1].content == "Only this is new."


@pytest.mark.parametrize("client", CONVERSATIONS)
async def test_a_transcript_that_was_cut_or_written_anew_is_read_again_and_doubles_nothing(
    quiet: Memoria, home: Path, tmp_path: Path, client: str
) -> None:
    name, lines = CONVERSATIONS[client]
    file = written(tmp_path / name, *lines)
    point(home, client, file, "stop")
    await quiet.catch_up()
    before = facts(await kept(quiet))
    written(file, *lines[:4])
    point(home, client, file)
    await quiet.catch_up()
    written(file, lines[0], *lines)  # other bytes at every place
    point(home, client, file, "end")
    await quiet.catch_up()
    kept_now = facts(await kept(quiet))
    assert [row for row in kept_now if row in before] == before
    file.unlink()
    say(home, client, {"role": "user", "content": "It goes on.", "id": "z"})
    append_entry(
        str(home), "tests",
        {"client": client, "event": "stop", "session": SESSION, "transcript": str(file)},
    )  # fmt: skip
    await quiet.catch_up()
    assert list_waiting(str(home), "tests") == []
    assert (await kept(quiet))[-1].content == "It goes on."


async def test_our_own_calls_are_no_turns_whatever_the_server_is_called(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    hits = '{"hits":[{"id":"1","kind":"turn","text":"x","score":1,"source":{"at":"2026"}}]}'
    calls = (
        ("mcp__memoria__search_memory", {"query": "port"}, "anything"),
        ("mcp__plugin_memoria_memoria__remember", {"content": "x"}, "anything"),
        ("mcp__brain__search_memory", {"query": "port"}, hits),
        ("ToolSearch", {"query": "select:mcp__memoria__search_memory"}, "found"),
        ("mcp__brain__search_memory", {"query": "port"}, '{"results":[]}'),
    )
    lines = [claude("user", "Which port?", "u1")]
    for i, (tool, args, result) in enumerate(calls):
        call = {"type": "tool_use", "id": f"toolu_{i}", "name": tool, "input": args}
        lines += [claude_says("m", call, f"a{i}"), claude_result(f"toolu_{i}", result, f"r{i}")]
    file = written(tmp_path / "x.jsonl", *lines)
    report = await imported(quiet, "claude-code", file)
    assert [t.tool_name for t in await kept(quiet)] == [None, "mcp__brain__search_memory"]
    assert report.recorded == 2
    say(home, "cursor", {"role": "tool", "tool_name": "memoria-search_memory", "tool_result": "x"})
    say(home, "cursor", {"role": "tool", "tool_name": "mcp_memoria_remember", "tool_result": "x"})
    await quiet.catch_up()
    assert (await quiet.statistics()).turns == 2


async def test_words_of_a_hook_are_recorded_once_and_meet_the_agents_report(
    quiet: Memoria, home: Path
) -> None:
    agent = Channel(name="mcp", trust=Trust.REPORTED, client="cursor-vscode", session=SESSION)
    reports = [{"role": "user", "content": "The gateway  listens on port 7443."}]
    await quiet.with_channel(agent).record_conversation(reports)
    say(home, "cursor", {"role": "user", "content": "The gateway listens on port 7443."})
    say(home, "cursor", {"role": "assistant", "content": "Noted."}, event="stop")
    await quiet.catch_up()
    again = await quiet.with_channel(agent).record_conversation(reports)
    assert again.already_recorded == 1
    assert [(t.content, t.trust) for t in await kept(quiet)] == [
        ("The gateway listens on port 7443.", "user"),
        ("Noted.", "reported"),
    ]


async def test_private_times_hold_for_what_waits_by_when_it_was_said(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    here = quiet.settings.model_copy(update={"workspace": project_of("", FOLDER)})
    point(home, "claude-code", written(tmp_path / "x.jsonl", *CLAUDE))
    await quiet.private.turn_on()
    async with memoria.open(settings=here) as project:
        on = await project.private.turn_on()
        say(home, "cursor", {"role": "user", "content": "A private word."}, at=on.began_at + 5)
        await project.catch_up()
        await project.private.turn_off()
        contents = [turn.content for turn in await kept(project)]
    assert "继续" in contents
    assert "A private word." not in contents


async def test_what_was_forgotten_comes_back_from_no_spool_transcript_or_report(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    agent = quiet.with_channel(AGENT)
    await agent.record_conversation([{"role": "user", "content": "4711"}])
    (turn,) = await kept(quiet)
    await quiet.forget_memory([turn.id], include_source=True)
    lines = (*CLAUDE[:2], claude("user", "4711", "u7"), *CLAUDE[2:])
    file = written(tmp_path / "x.jsonl", *lines)
    point(home, "claude-code", file)
    await quiet.catch_up()
    await agent.record_conversation([{"role": "user", "content": " 4711 "}])
    await imported(quiet, "claude-code", file)
    assert "4711" not in [turn.content for turn in await kept(quiet)]
    later = claude("user", "4711", "u8", timestamp="2100-01-01T00:00:00Z")
    await imported(quiet, "claude-code", written(tmp_path / "later.jsonl", later))
    assert "4711" in [turn.content for turn in await kept(quiet)]
    point(home, "claude-code", file, "stop")
    shown = await quiet.preview_forget(session_id=SESSION, include_source=True)
    assert list_waiting(str(home), "tests") == []
    await quiet.forget_memory(session_id=SESSION, include_source=True, token=shown.token)
    os.utime(file)
    point(home, "claude-code", file, "end")
    await quiet.catch_up()
    await imported(quiet, "claude-code", file)
    assert (await quiet.statistics()).turns == 0


async def test_of_many_that_would_take_in_one_does_and_none_twice(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    file = written(tmp_path / "x.jsonl", *CLAUDE)
    for i in range(20):
        point(home, "claude-code", file)
        say(home, "cursor", {"role": "user", "content": f"word {i}"})
    async with memoria.open(settings=opened(home)) as other, anyio.create_task_group() as tasks:
        for memory in (quiet, other) * 4:
            tasks.start_soon(memory.catch_up)
    await quiet.catch_up()
    assert list_waiting(str(home), "tests") == []
    contents = [turn.content for turn in await kept(quiet)]
    assert sorted(c for c in contents if c.startswith("word")) == sorted(
        f"word {i}" for i in range(20)
    )
    assert len(contents) == 20 + 8


async def test_work_is_bounded_and_goes_on_where_it_was_broken_off(
    quiet: Memoria, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoria.admin.spool.SLICE_BYTES", 2_000)
    lines = [claude("user", f"Line number {i} of a long talk.", f"u{i}") for i in range(60)]
    file = written(tmp_path / "x.jsonl", *lines)
    point(home, "claude-code", file, "end")
    assert await quiet.take_in_spool(1)
    some = len(await kept(quiet))
    assert 0 < some < 30
    assert not await quiet.take_in_spool(ALL)
    assert [t.message_id for t in await kept(quiet)] == [f"u{i}" for i in range(60)]


async def test_a_search_answers_while_another_process_takes_in(quiet: Memoria, home: Path) -> None:
    await quiet.record_conversation([{"role": "user", "content": "bluebird", "session_id": "s"}])
    say(home, "cursor", {"role": "user", "content": "It waits."})
    claim = claim_entries(str(home), "tests")
    assert claim is not None
    with claim:
        assert (await quiet.search_conversation_traces("bluebird")).hits
    assert (await quiet.search_conversation_traces("waits", workspace="*")).hits


async def test_a_folder_left_out_is_left_out_of_a_transcript_wherever_the_session_went(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    open_folder, secret = tmp_path / "open", tmp_path / "secret"
    open_folder.mkdir()
    secret.mkdir()
    (secret / ".memoriaignore").write_text("")
    file = written(
        tmp_path / "x.jsonl",
        claude("user", "Said in the open.", "u1", cwd=str(open_folder)),
        claude("user", "Said in there.", "u2", cwd=str(secret)),
        claude("user", "Said outside again.", "u3", cwd=str(open_folder)),
    )
    point(home, "claude-code", file, "end")
    await quiet.catch_up()
    await imported(quiet, "claude-code", file)
    contents = [turn.content for turn in await kept(quiet)]
    assert contents == ["Said in the open.", "Said outside again."]


def test_a_command_takes_in_what_waits_before_it_answers(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path / "x.jsonl", *CLAUDE)
    entry: dict[str, object] = {
        "client": "claude-code", "event": "end", "session": SESSION, "transcript": str(file),
    }  # fmt: skip
    append_entry(str(shell.home), "default", entry)
    found = shell.json("traces", "E1437", "--workspace", "*")
    assert found["hits"]
    assert shell.json("stats")["waiting"] == 0


async def test_what_a_client_wrote_after_its_last_hook_is_read_when_the_next_session_begins(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    file = written(tmp_path / "x.jsonl", *CLAUDE[:-2])
    point(home, "claude-code", file, "end")
    await quiet.catch_up()
    written(file, *CLAUDE)
    after = written(tmp_path / "y.jsonl", {"type": "summary", "summary": "x", "leafUuid": "a"})
    point(home, "claude-code", after, "start", session="next")
    await quiet.catch_up()
    assert [turn.message_id for turn in await kept(quiet)][-2:] == ["a7", "u3"]


async def test_an_entry_that_a_killed_process_had_taken_in_and_not_removed_doubles_nothing(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    say(home, "cursor", {"role": "user", "content": "yes"})
    say(home, "cursor", {"role": "user", "content": "yes"})
    point(home, "claude-code", written(tmp_path / "x.jsonl", *CLAUDE))
    spool = Path(spool_folder(str(home), "tests"))
    shutil.copytree(spool, tmp_path / "before")
    await quiet.catch_up()
    before = facts(await kept(quiet))
    shutil.copytree(tmp_path / "before", spool, dirs_exist_ok=True)
    await quiet.catch_up()
    assert list_waiting(str(home), "tests") == []
    assert facts(await kept(quiet)) == before
    assert [turn.content for turn in await kept(quiet)].count("yes") == 2


async def test_what_can_not_be_used_goes_and_holds_nothing_up(
    quiet: Memoria, home: Path, tmp_path: Path
) -> None:
    pipe, folder = tmp_path / "pipe.jsonl", tmp_path / "folder.jsonl"
    os.mkfifo(pipe)
    folder.mkdir()
    own = {"v": 1, "client": "claude-code", "event": "prompt", "session": SESSION, "cwd": FOLDER}
    said = [{"role": "user", "content": "It came through."}]
    secret = f"/work/ghp_{'a1B2c3D4' * 4}zzzz"
    entries: list[dict[str, object]] = [
        {},
        {"client": "claude-code"},
        {**own, "client": 7},
        {**own, "transcript": str(pipe)},
        {**own, "transcript": str(folder), "offset": 9},
        {**own, "transcript": str(tmp_path / "gone.jsonl"), "offset": "many"},
        {**own, "transcript": "x.jsonl"},
        {**own, "client": "a client of next year", "transcript": str(folder)},
        {**own, "client": "cursor", "turns": ["x", {"role": "nobody"}, {"role": "user"}, {}]},
        {**own, "client": "cursor", "cwd": secret, "turns": said},
        {**own, "client": "cursor", "turns": said},
    ]
    for entry in entries:
        append_entry(str(home), "tests", entry)
    (Path(spool_folder(str(home), "tests")) / "0-torn.json").write_text('{"client": "cur')
    await quiet.catch_up()
    assert list_waiting(str(home), "tests") == []
    assert [turn.content for turn in await kept(quiet)] == ["It came through."]


async def test_a_command_waits_for_another_process_that_takes_in_and_a_session_does_not(
    quiet: Memoria, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(home, "codex", {"role": "user", "content": "The gateway listens on port 7443."})
    monkeypatch.setattr("memoria.app.spool._PATIENCE_S", 0)
    others = claim_entries(str(home), "tests")
    assert others is not None
    refusals: list[int] = []

    def claim(home: str, tenant: str) -> SpoolClaim | None:
        found = claim_entries(home, tenant)
        if found is None:
            refusals.append(1)
        if len(refusals) == 3:
            others.free()
        return found

    with monkeypatch.context() as patched:
        patched.setattr("memoria.admin.spool.claim_entries", claim)
        await quiet.catch_up(WAITING_BYTES)
        assert (len(refusals), (await quiet.statistics()).turns) == (1, 0)
        await quiet.catch_up(COMMAND_BYTES)
    assert [turn.content for turn in await kept(quiet)] == ["The gateway listens on port 7443."]
