"""What hooks of another machine hear is recorded as a hook of the server's own would have it."""

import json
import os
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import anyio.to_thread
import pytest
from tests.admin.test_spool import CONVERSATIONS
from tests.connectors.transcripts.desk import FOLDER, SESSION, Line, claude, kept, written
from tests.surface.http.conftest import HttpServer, StartServer

import memoria
from memoria import Memoria, Settings
from memoria.app import collect
from memoria.app.collect import send_waiting
from memoria.app.remote_capture import RemoteCapture
from memoria.bare.remote import (
    ABOUT,
    ASK,
    RECORD,
    RemoteServer,
    ServerRefusalError,
    ask_remote,
    read_server,
    server_folder,
    write_server,
)
from memoria.bare.spool import append_entry, list_aside, list_waiting, read_failures
from memoria.errors import NotFoundError, StoreUnavailableError
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.app import HttpOptions

HOOK = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"
SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4"


async def join(server: HttpServer, machine: Path, tenant: str, access: Access) -> RemoteServer:
    """Lay the folder of a server on a client's machine, as `connect --url` does."""
    token = await server.create_token(tenant, access)
    folder = server_folder(str(machine), server.url, tenant)
    remote = RemoteServer(folder, server.url, token.text)
    write_server(str(machine), remote)
    return remote


async def send(remote: RemoteServer) -> int:
    return await anyio.to_thread.run_sync(send_waiting, remote, "default")


def point(home: str, client: str, file: Path, event: str, tenant: str = "default") -> None:
    """A hook's entry that points to a transcript."""
    entry: dict[str, object] = {
        "v": 1, "client": client, "event": event, "session": SESSION, "at": 1_790_000_000_000,
        "cwd": FOLDER, "transcript": str(file), "offset": file.stat().st_size,
    }  # fmt: skip
    append_entry(home, tenant, entry)


def say(home: str, *turns: Line, event: str = "prompt", tenant: str = "default") -> None:
    """A hook's entry with words of its own."""
    entry: dict[str, object] = {
        "v": 1, "client": "opencode", "event": event, "session": SESSION, "cwd": FOLDER,
        "at": 1_790_000_000_000, "turns": list(turns),
    }  # fmt: skip
    append_entry(home, tenant, entry)


def memory_of(server: HttpServer, tenant: str) -> Memoria:
    return Memoria(server.home.for_tenant(tenant), COMMAND_LINE)


async def list_said(server: HttpServer, tenant: str) -> list[str]:
    """List what is on record of the session; nothing where there is none."""
    try:
        return [turn.content for turn in await kept(memory_of(server, tenant))]
    except NotFoundError:
        return []


ROWS = (
    """SELECT t.message_id, turn_index, version, role, speaker, at, at_given, fingerprint,
              hex(content_hash), tool_name, hex(args_hash), hex(result_hash), trust, utc_offset,
              account, likeness, mark, s.source, s.session_id, w.name
       FROM turns t JOIN sessions s ON s.n = t.session_n JOIN tenants ON tenants.id = t.tenant_id
       LEFT JOIN workspaces w ON w.n = s.workspace_n WHERE tenants.name = 'ann'
       ORDER BY s.session_id, turn_index, version""",
    """SELECT source, session_id, first_at, s.last_at, next_index, agent_turns, ordinal,
              first_index, last_index, messages, closed_by, closed_at IS NULL
       FROM sessions s LEFT JOIN segments g ON g.session_n = s.n
       JOIN tenants ON tenants.id = s.tenant_id WHERE tenants.name = 'ann'
       ORDER BY session_id, ordinal""",
    """SELECT content, v.trust, channel, client, quote, type, validity, importance, scope, subject
       FROM memory_versions v JOIN memories m ON m.n = v.memory_n
       JOIN tenants ON tenants.id = m.tenant_id WHERE tenants.name = 'ann' ORDER BY content""",
    """SELECT action, channel, client, count(*) FROM audit_log
       JOIN tenants ON tenants.id = audit_log.tenant_id
       WHERE tenants.name = 'ann' AND channel = 'extraction'
       GROUP BY action, channel, client ORDER BY action, channel, client""",
)
"""What is on record of Ann: turns, sessions with their segments, memories, and their log. That of
calls over HTTP says who called."""


def read_rows(home: Path) -> list[list[tuple[object, ...]]]:
    with closing(sqlite3.connect(home / "memoria.db")) as database:
        return [database.execute(statement).fetchall() for statement in ROWS]


@pytest.mark.sqlite("looks into the file")
@pytest.mark.anyio
@pytest.mark.parametrize("client", CONVERSATIONS)
async def test_a_transcript_is_recorded_over_http_as_it_is_on_the_machine_of_the_memory(
    start_server: StartServer, tmp_path: Path, client: str
) -> None:
    name, lines = CONVERSATIONS[client]
    rule = {"role": "user", "content": "Remember that Anna's desk is the third.", "id": "m1"}
    secrets: Line = {
        "role": "tool", "content": f"password: {SECRET} <private>x</private>", "id": "m2",
        "tool_name": "deploy", "tool_args": {"password": "hunter22", "list": ["--token", SECRET]},
        "tool_result": f"Authorization: Bearer {SECRET}",
    }  # fmt: skip
    parts = [lines[:5], lines]
    there, here = tmp_path / name, tmp_path / "other"

    def hear(home: str, part: tuple[Line, ...], tenant: str) -> None:
        written(there, *part)
        point(home, client, there, "end" if part is lines else "prompt", tenant)
        say(home, rule, secrets, event="stop", tenant=tenant)

    async with start_server() as server:
        remote = await join(server, tmp_path / "machine", "ann", Access.WRITE)
        for part in parts:
            hear(remote.folder, part, "default")
            await send(remote)
        sent = read_rows(server.home.settings.home_path)
    settings = Settings.load(home=str(here), tenant="ann", embedder="off")
    async with memoria.open(settings=settings) as memory:
        for part in parts:
            hear(str(here), part, "ann")
            await memory.catch_up()
    assert sent == read_rows(here)
    turns, _, memories, _ = sent
    assert len(turns) > 4
    assert [row[0] for row in memories] == ["Anna's desk is the third"]
    assert list_waiting(remote.folder, "default") == []


@pytest.mark.anyio
async def test_what_waits_while_the_server_is_away_is_sent_later_once_and_in_order(
    start_server: StartServer, tmp_path: Path
) -> None:
    async with start_server() as server:
        remote = await join(server, tmp_path, "ann", Access.WRITE)
        away = RemoteServer(remote.folder, "http://127.0.0.1:9", remote.token)
        for number in range(3):
            say(remote.folder, {"role": "user", "content": f"Number {number}.", "id": f"m{number}"})
            with pytest.raises(StoreUnavailableError, match="can't be reached"):
                await send(away)
            assert len(list_waiting(remote.folder, "default")) == number + 1
        assert await send(remote) == 3
        assert list_waiting(remote.folder, "default") == []
        turns = await kept(memory_of(server, "ann"))
    assert [turn.content for turn in turns] == ["Number 0.", "Number 1.", "Number 2."]


@pytest.mark.anyio
async def test_who_is_killed_between_sending_and_ticking_off_doubles_nothing(
    start_server: StartServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = RemoteCapture.record

    def record_and_die(self: RemoteCapture, *given: object) -> object:
        record(self, *given)  # type: ignore[arg-type]  # passed on as they came
        raise KeyboardInterrupt

    _, lines = CONVERSATIONS["claude-code"]
    file = written(tmp_path / "x.jsonl", *lines)
    async with start_server() as server:
        remote = await join(server, tmp_path, "ann", Access.WRITE)
        point(remote.folder, "claude-code", file, "stop")
        say(remote.folder, {"role": "user", "content": "No id of its own."})
        with monkeypatch.context() as patch:
            patch.setattr(RemoteCapture, "record", record_and_die)
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt):
                    await send(remote)
        before = await kept(memory_of(server, "ann"))
        assert before
        await send(remote)
        after = await kept(memory_of(server, "ann"))
    assert [turn.version for turn in after] == [1] * len(after)
    assert len({(turn.session_id, turn.message_id) for turn in after}) == len(after)
    assert list_waiting(remote.folder, "default") == []


@pytest.mark.anyio
async def test_no_secret_and_no_private_span_leaves_the_machine(
    start_server: StartServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    call = RemoteServer.call

    def listen(self: RemoteServer, path: str, fields: object = None, wait_s: float = 10) -> object:
        sent.append(json.dumps(fields))
        return call(self, path, fields, wait_s)

    monkeypatch.setattr(RemoteServer, "call", listen)
    said = f"The key is {SECRET}. <private>My diary.</private> Keep the rest."
    file = written(tmp_path / "x.jsonl", claude("user", said, "u1"))
    async with start_server() as server:
        remote = await join(server, tmp_path, "ann", Access.WRITE)
        point(remote.folder, "claude-code", file, "stop")
        await send(remote)
        turns = await kept(memory_of(server, "ann"))
    whole = "".join(sent)
    assert "Keep the rest" in whole
    assert SECRET not in whole
    assert "diary" not in whole
    assert "[redacted" in turns[0].content


@pytest.mark.anyio
async def test_a_private_time_of_this_machine_holds_though_the_server_knows_nothing_of_it(
    start_server: StartServer, tmp_path: Path
) -> None:
    async with start_server() as server:
        remote = await join(server, tmp_path, "ann", Access.WRITE)
        settings = Settings.load(home=tmp_path, embedder="off", workspace=FOLDER)
        async with memoria.open(settings=settings) as memory:
            await memory.private.turn_on()
            say(remote.folder, {"role": "user", "content": "Between us.", "at": 4_000_000_000_000})
            await send(remote)
            assert await list_said(server, "ann") == []
            await memory.private.turn_off()
        say(remote.folder, {"role": "user", "content": "For all.", "at": 4_000_000_000_001})
        await send(remote)
        assert await list_said(server, "ann") == ["For all."]


@pytest.mark.anyio
async def test_a_token_reports_to_its_own_tenant_alone_and_only_if_it_may_write(
    start_server: StartServer, tmp_path: Path
) -> None:
    async with start_server() as server:
        ann = await join(server, tmp_path, "ann", Access.WRITE)
        ben = await join(server, tmp_path, "ben", Access.READ)
        assert ann.folder != ben.folder
        for one in (ann, ben):
            say(one.folder, {"role": "user", "content": f"I am {one.token[4:8]}."})
        assert await send(ann) == 1
        with pytest.raises(StoreUnavailableError, match=r"403.*--access write"):
            await send(ben)
        assert len(list_waiting(ben.folder, "default")) == 1
        assert len(await kept(memory_of(server, "ann"))) == 1
        assert await list_said(server, "ben") == []
        about = [await anyio.to_thread.run_sync(one.call, ABOUT) for one in (ann, ben)]
    told = [(one["tenant"], one["access"], one["read_only"]) for one in about]
    assert told == [("ann", "write", False), ("ben", "read", False)]


@pytest.mark.anyio
async def test_a_report_that_no_server_can_take_is_refused_and_keeps_nothing_else_waiting(
    start_server: StartServer, tmp_path: Path
) -> None:
    async with start_server() as server:
        remote = await join(server, tmp_path, "ann", Access.WRITE)
        for report in (
            {"client": "codex", "session": "s", "project": "none", "turns": [{"role": "nobody"}]},
            {"client": "codex", "session": "s", "project": "none", "trust": "user"},
            {"client": "codex", "session": "s", "project": "none"},
            {"client": "codex", "session": "", "project": "none"},
            ["turns"],
        ):
            with pytest.raises(ServerRefusalError) as refused:
                await anyio.to_thread.run_sync(remote.call, RECORD, report)
            assert refused.value.status == 422
            assert refused.value.reason
        say(remote.folder, {"role": "user", "content": ""}, {"role": "user", "content": "Kept."})
        await send(remote)
        assert await list_said(server, "ann") == ["Kept."]
        assert list_waiting(remote.folder, "default") == []
        assert list_aside(remote.folder, "default") == []


@pytest.mark.anyio
async def test_a_server_that_only_reads_takes_no_report_whatever_the_token_says(
    start_server: StartServer, tmp_path: Path
) -> None:
    async with start_server(HttpOptions(most=Access.READ)) as server:
        remote = await join(server, tmp_path, "ann", Access.ADMIN)
        say(remote.folder, {"role": "user", "content": "Later."})
        with pytest.raises(StoreUnavailableError, match="403"):
            await send(remote)
        assert len(list_waiting(remote.folder, "default")) == 1


def test_a_server_that_never_answers_sets_nothing_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect, "_STALLS_AFTER_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        remote = RemoteServer(server_folder(str(tmp_path), url, "ann"), url, "mem_x.y.z")
        write_server(str(tmp_path), remote)
        say(remote.folder, {"role": "user", "content": "It waits."})
        with pytest.raises(StoreUnavailableError, match="too long"):
            send_waiting(remote, "default")
    assert len(list_waiting(remote.folder, "default")) == 1
    assert list_aside(remote.folder, "default") == []


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n",
            "302",
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "can't be reached"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "can't be reached"),
        (b"", "can't be reached"),
    ],
)
def test_whatever_else_answers_takes_nothing_from_the_spool(
    tmp_path: Path, answer: bytes, says: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"

        def answer_once() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

        other = threading.Thread(target=answer_once)
        other.start()
        remote = RemoteServer(server_folder(str(tmp_path), url, "ann"), url, "mem_x.y.z")
        write_server(str(tmp_path), remote)
        say(remote.folder, {"role": "user", "content": "It waits."})
        with pytest.raises(StoreUnavailableError, match=says):
            send_waiting(remote, "default")
        other.join()
    assert len(list_waiting(remote.folder, "default")) == 1


def test_what_can_not_be_sent_is_noted_without_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect, "_FIRST_S", 0)
    monkeypatch.setattr(os, "nice", lambda _by: 0)  # else all later tests would be slower
    folder = server_folder(str(tmp_path), "http://127.0.0.1:9", "ann")
    write_server(str(tmp_path), RemoteServer(folder, "http://127.0.0.1:9", "mem_x.y.z"))
    say(folder, {"role": "user", "content": "It waits."})
    collect.run(folder, "default")
    (note,) = read_failures(folder, "default")
    assert "http://127.0.0.1:9 can't be reached" in str(note["reason"])
    assert "mem_x" not in str(note)


def run_hook(folder: str, event: str, *options: str, **fields: object) -> str:
    """Run the hook program as a client would; return what the model is to read."""
    said = {"session_id": SESSION, "cwd": FOLDER, "hook_event_name": event, **fields}
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-I", "-S", str(HOOK), "opencode", "--home", folder, *options],
        input=json.dumps(said).encode(),
        capture_output=True,
        check=True,
    )
    answer = json.loads(done.stdout or b"{}")
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


async def begin_session(remote: RemoteServer) -> str:
    """Return what an agent is told at a start at which the server was not too busy to answer."""
    with anyio.fail_after(60):
        while "did not answer" in (
            text := await anyio.to_thread.run_sync(run_hook, remote.folder, "SessionStart")
        ):
            pass
    return text


@pytest.mark.anyio
async def test_a_session_begins_with_the_briefing_of_the_tenant_that_the_server_has(
    start_server: StartServer, tmp_path: Path
) -> None:
    rule = "Always answer in short sentences."
    async with start_server() as server:
        ann = await join(server, tmp_path, "ann", Access.WRITE)
        ben = await join(server, tmp_path, "ben", Access.READ)
        await memory_of(server, "ann").remember(rule)
        told = [await begin_session(one) for one in (ann, ben)]
        prompt: dict[str, object] = {
            "ask": "recall",
            "prompt": "How short do I want your sentences to be?",
        }
        assert await anyio.to_thread.run_sync(ask_remote, ann, prompt, 5.0) is not None
        with pytest.raises(ServerRefusalError, match="briefing, recall"):
            await anyio.to_thread.run_sync(ann.call, ASK, {"ask": "everything"})
    assert rule in told[0]
    assert rule not in told[1]
    assert all("is recorded for you" in text for text in told)


@pytest.mark.anyio
async def test_a_hook_has_what_was_said_sent_while_its_client_goes_on(
    start_server: StartServer, tmp_path: Path
) -> None:
    async with start_server() as server:
        remote = await join(server, tmp_path, "ann", Access.WRITE)
        prompt, answer = {"prompt": "Which port?"}, {"last_assistant_message": "6543."}
        for event, fields in (("UserPromptSubmit", prompt), ("Stop", answer)):
            await anyio.to_thread.run_sync(lambda: run_hook(remote.folder, event, **fields))  # noqa: B023
        with anyio.fail_after(60):
            while list_waiting(remote.folder, "default"):
                await anyio.sleep(0.05)
        assert await list_said(server, "ann") == ["Which port?", "6543."]
    assert read_failures(remote.folder, "default") == []


@pytest.mark.anyio
async def test_folders_that_the_user_of_this_machine_leaves_out_stay_here(
    start_server: StartServer, tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text(f'ignored_folders = "{FOLDER}"\n', "utf-8")
    file = written(tmp_path / "x.jsonl", claude("user", "My diary.", "u1"))
    async with start_server() as server:
        remote = await join(server, tmp_path, "ann", Access.WRITE)
        told = await anyio.to_thread.run_sync(
            lambda: run_hook(remote.folder, "UserPromptSubmit", prompt="My diary.")
        )
        assert list_waiting(remote.folder, "default") == []
        begun = await anyio.to_thread.run_sync(run_hook, remote.folder, "SessionStart")
        point(remote.folder, "claude-code", file, "stop")
        await send(remote)
        assert await list_said(server, "ann") == []
    assert told == ""
    assert "do not call record_conversation here" in begun


def test_a_session_begins_in_time_though_the_server_is_away(tmp_path: Path) -> None:
    folder = server_folder(str(tmp_path), "http://127.0.0.1:9", "ann")
    write_server(str(tmp_path), RemoteServer(folder, "http://127.0.0.1:9", "mem_x.y.z"))
    assert "did not answer" in run_hook(folder, "SessionStart")


def test_the_token_is_for_the_user_alone(tmp_path: Path) -> None:
    os.umask(old := os.umask(0))
    folder = server_folder(str(tmp_path), "https://memory.example.com", "ann")
    remote = RemoteServer(folder, "https://memory.example.com", "mem_x.y.z")
    write_server(str(tmp_path), remote)
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in (Path(folder) / "server.json", Path(folder), Path(folder).parent)
    }
    os.umask(old)
    assert set(modes.values()) == {0o600, 0o700}
    found = read_server(folder)
    assert found is not None
    assert (found.url, found.token) == (remote.url, remote.token)
