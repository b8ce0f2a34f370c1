"""What waits for a server elsewhere is nobody's home: no command takes it in or deletes it."""

from pathlib import Path

import pytest
from tests.surface.client_box import ClientBox

import memoria
from memoria.bare.remote import RemoteServer, server_folder, write_server
from memoria.bare.spool import append_entry
from memoria.errors import NoMemoryError

AWAY = "http://127.0.0.1:9"


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClientBox:
    return ClientBox(tmp_path, monkeypatch)


def lay_waiting(box: ClientBox) -> RemoteServer:
    """Lay the folder of a server that is away, in whose spool two reports wait."""
    home = str(box.shell.home)
    server = RemoteServer(server_folder(home, AWAY, "ann"), AWAY, "mem_YW5u.0.x")
    write_server(home, server)
    for words in ("The attic is blue.", "Noted."):
        turn = {"role": "user", "content": words, "message_id": words}
        append_entry(server.folder, "default", {
            "v": 1, "client": "opencode", "event": "prompt", "session": "s1", "cwd": "/srv/shop",
            "at": 1_790_000_000_000, "turns": [turn],
        })  # fmt: skip
    return server


def spool_of(server: RemoteServer) -> dict[str, bytes]:
    found = Path(server.folder, "spool").iterdir()
    return {path.name: path.read_bytes() for path in found if path.suffix == ".json"}


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
    lay_waiting(box)
    done = box("doctor")
    assert done.code != 0
    said = " ".join(done.err.split())
    assert f"Clients of this machine call {AWAY}: `memoria connect --status`" in said
