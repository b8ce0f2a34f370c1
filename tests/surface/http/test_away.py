"""What waits for a server elsewhere is nobody's home: no command takes it in or deletes it."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio.to_thread
import pytest
from tests.connectors.transcripts.desk import SESSION, kept
from tests.databases import begin_with_key
from tests.surface.client_box import ClientBox
from tests.surface.http.conftest import StartServer

import memoria
from memoria import Memoria
from memoria.app.collect import send_waiting
from memoria.bare.remote import RemoteServer, ask_remote, read_server, server_folder, write_server
from memoria.bare.spool import append_entry, claim_entries, list_aside, list_waiting
from memoria.errors import NoMemoryError, StoreUnavailableError
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE

AWAY = "http://127.0.0.1:9"
TOKEN = "mem_YW5u.0.x"  # noqa: S105  (of nobody)


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClientBox:
    return ClientBox(tmp_path, monkeypatch)


def lay_waiting(box: ClientBox, url: str = AWAY) -> RemoteServer:
    """Lay the folder of a server that is away, in whose spool two reports wait."""
    home = str(box.shell.home)
    server = RemoteServer(server_folder(home, url, "ann"), url, TOKEN)
    write_server(home, server)
    for words in ("The attic is blue.", "Noted."):
        turn = {"role": "user", "content": words, "message_id": words}
        append_entry(server.folder, "default", {
            "v": 1, "client": "opencode", "event": "prompt", "session": SESSION, "cwd": "/srv/shop",
            "at": 1_790_000_000_000, "turns": [turn],
        })  # fmt: skip
    return server


def spool_of(server: RemoteServer) -> dict[str, bytes]:
    found = Path(server.folder, "spool").iterdir()
    return {path.name: path.read_bytes() for path in found if path.suffix == ".json"}


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize(
    "words",
    [
        ("doctor",),
        ("doctor", "--fix"),
        ("list", "sessions"),
        ("search", "attic"),
        ("export", "all.jsonl"),
        ("remember", "Green is the door."),
        ("token", "create"),
        ("stats",),
        ("backup", "all.backup"),
        ("nightly",),
        ("private", "on"),
    ],
    ids=" ".join,
)
def test_no_command_takes_the_folder_of_a_server_elsewhere_for_a_home(
    box: ClientBox, words: tuple[str, ...]
) -> None:
    server = lay_waiting(box)
    waiting = spool_of(server)
    assert len(waiting) == 2
    done = box.shell.run("--home", server.folder, *words)
    assert done.code != 0, done.out
    assert "memoria connect --status" in " ".join(done.err.split())
    assert spool_of(server) == waiting
    assert not Path(server.folder, "memoria.db").exists()


@pytest.mark.anyio
async def test_the_library_takes_no_folder_of_a_server_elsewhere_for_a_home(box: ClientBox) -> None:
    server = lay_waiting(box)
    waiting = spool_of(server)
    with pytest.raises(NoMemoryError, match="server elsewhere"):
        async with memoria.open(home=server.folder):
            pass
    assert spool_of(server) == waiting


def test_who_has_a_server_elsewhere_and_no_memory_here_is_told_where_to_look(
    box: ClientBox,
) -> None:
    begin_with_key(box.shell.home)
    lay_waiting(box)
    done = box("doctor")
    assert done.code != 0
    said = " ".join(done.err.split())
    assert f"Clients of this machine call {AWAY}: `memoria connect --status`" in said


def test_disconnect_keeps_what_waits_and_says_how_it_is_sent_or_deleted(box: ClientBox) -> None:
    server = lay_waiting(box)
    waiting = spool_of(server)
    done = box("disconnect", "--yes")
    said = " ".join(done.out.split())
    assert f"{server.folder} stays, with the token for {AWAY}: 2 reports wait to be sent." in said
    assert f"`memoria connect CLIENT --url {AWAY}` has them sent. Delete the folder" in said
    assert spool_of(server) == waiting
    assert read_server(server.folder) is not None


def test_disconnect_keeps_what_was_set_aside(box: ClientBox) -> None:
    server = lay_waiting(box)
    claim = claim_entries(server.folder, "default")
    assert claim is not None
    for name in list_waiting(server.folder, "default"):
        claim.set_aside(name)
    claim.free()
    wire_to_away(box, AWAY)
    status = box("connect", "claude-code", "--status")
    assert "2 reports are set aside in" in status.out
    done = box("disconnect", "--yes")
    assert "2 reports that could not be read or sent" in " ".join(done.out.split())
    assert len(list_aside(server.folder, "default")) == 2


@pytest.mark.anyio
async def test_connecting_again_sends_what_has_waited(
    box: ClientBox, start_server: StartServer
) -> None:
    async with start_server() as started:
        token = await started.create_token("ann", Access.WRITE)
        server = lay_waiting(box, started.url)
        words = ("connect", "claude-code", "--url", started.url, "--yes")
        done = await anyio.to_thread.run_sync(lambda: box(*words, MEMORIA_TOKEN=token.text))
        assert done.code == 0, done.err
        assert spool_of(server) == {}
        turns = await kept(Memoria(started.home.for_tenant("ann"), COMMAND_LINE))
        assert [turn.content for turn in turns] == ["The attic is blue.", "Noted."]


def wire_to_away(box: ClientBox, address: str) -> None:
    entry = {
        "type": "http",
        "url": f"{address}/mcp",
        "headers": {"Authorization": f"Bearer {TOKEN}"},
    }
    box.write(".claude.json", json.dumps({"mcpServers": {"memoria": entry}}))


def test_status_of_a_server_that_is_away_names_no_command_on_a_home(box: ClientBox) -> None:
    lay_waiting(box)
    wire_to_away(box, AWAY)
    done = box("connect", "claude-code", "--status")
    said = " ".join(done.out.split())
    assert "2 reports wait to be sent" in said
    assert "memoria doctor" not in said
    assert "Look whether `memoria serve --http` runs" in said
    assert done.code == 4


@pytest.mark.parametrize(
    "host", ["192.0.2.7:8420", "memory.example.com", "127.0.0.1.example.com", "0.0.0.0:9"]
)
def test_no_token_is_sent_over_a_network_in_clear_text(box: ClientBox, host: str) -> None:
    url = f"http://{host}"
    before = box.files()
    with no_connection():
        done = box("connect", "codex", "--url", url, "--yes", MEMORIA_TOKEN=TOKEN)
        assert done.code != 0
        assert "in clear text. Use https; http is for this machine alone" in done.err
        assert box.files() == before
        server = lay_waiting(box, url)
        with pytest.raises(StoreUnavailableError, match="in clear text"):
            send_waiting(server, "default")
        assert len(spool_of(server)) == 2
        assert ask_remote(server, {"ask": "briefing"}, 5.0) is None
        wire_to_away(box, url)
        status = box("connect", "claude-code", "--status")
        assert "in clear text" in " ".join(status.out.split())


@contextmanager
def no_connection() -> Iterator[None]:
    """Fail if this process connects to, or looks up, anything until the block ends."""
    reached = list[str]()
    watches = [True]

    def listen(event: str, arguments: tuple[object, ...]) -> None:
        if watches[0] and event in ("socket.connect", "socket.getaddrinfo"):
            reached.append(f"{event} {arguments[-1]!r}")

    sys.addaudithook(listen)
    yield
    watches[0] = False
    assert reached == []
