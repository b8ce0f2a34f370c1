"""`memoria connect --url`: a client calls a server elsewhere, and the token is the user's alone."""

import json
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import anyio.to_thread
import pytest
from tests.surface.client_box import ClientBox
from tests.surface.http.conftest import HttpServer, StartServer
from tests.surface.shell import Output
from tests.surface.test_cli_connect import FILES, NASTY_FILES

from memoria.bare.remote import RemoteServer, list_servers, write_server
from memoria.connectors.clients.interface import Scope
from memoria.connectors.clients.table import CLIENTS, find_client
from memoria.model.access import Access
from memoria.surface.cli.connect_remote import read_address
from memoria.surface.http.app import HttpOptions

REMOTE = [one.name for one in CLIENTS if one.remote is not None]
NASTY = ["claude-code", "codex", "hermes", "opencode"]
LOCAL = [one.name for one in CLIENTS if one.remote is None]
IN_PROJECTS = ["claude-code", "codex", "cursor", "gemini", "opencode", "qwen", "vscode", "kilo"]


@pytest.fixture
async def server(start_server: StartServer) -> AsyncIterator[HttpServer]:
    async with start_server() as started:
        yield started


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClientBox:
    return ClientBox(tmp_path, monkeypatch)


async def run(box: ClientBox, *words: str, **environment: str) -> Output:
    return await anyio.to_thread.run_sync(lambda: box(*words, **environment))


async def connect(
    box: ClientBox, server: HttpServer, name: str, *words: str, access: Access = Access.WRITE
) -> tuple[str, Output]:
    """Connect a client with a new token in the environment; return the token."""
    token = (await server.create_token("ann", access)).text
    command = ("connect", name, "--url", server.url, "--yes", *words)
    done = await run(box, *command, MEMORIA_TOKEN=token)
    assert token not in done.out + done.err
    return token, done


def holders(box: ClientBox, text: str) -> dict[Path, int]:
    """Map each file of the user's that holds a text to its permissions."""
    tops = (box.user, box.project, box.shell.home)
    files = [path for top in tops for path in top.rglob("*") if path.is_file()]
    return {
        path: stat.S_IMODE(path.stat().st_mode)
        for path in files
        if text.encode() in path.read_bytes()
    }


def modes(box: ClientBox) -> dict[Path, int]:
    return {path: stat.S_IMODE(path.stat().st_mode) for path in box.user.rglob("*")}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("name", "files"),
    [*((name, FILES) for name in REMOTE), *((name, NASTY_FILES) for name in NASTY)],
)
async def test_a_client_is_connected_to_a_server_elsewhere_and_taken_out_again_without_a_trace(
    box: ClientBox, server: HttpServer, name: str, files: dict[str, dict[str, str | bytes]]
) -> None:
    for place, content in files.get(name, {}).items():
        box.write(place, content)
    before, modes_before = box.files(), modes(box)
    token, done = await connect(box, server, name)
    assert done.code == 0, done.err
    found = holders(box, token)
    config = find_client(name).config(box.place(), "user")
    assert config in found
    assert set(found.values()) == {0o600}
    assert f"{server.url}/mcp".encode() in config.read_bytes()
    after = box.files()
    again = await run(box, "connect", name, "--url", server.url, "--yes")
    assert "connected already" in again.out
    assert box.files() == after
    gone = await run(box, "disconnect", name, "--yes")
    assert token not in gone.out
    assert box.files() == before
    assert modes(box) == modes_before
    assert holders(box, token) == {}
    assert list_servers(str(box.shell.home)) == []


@pytest.mark.anyio
@pytest.mark.parametrize("name", IN_PROJECTS)
async def test_no_token_stands_in_a_projects_files(
    box: ClientBox, server: HttpServer, name: str
) -> None:
    before = box.files()
    token, done = await connect(box, server, name, "--scope", "project")
    assert done.code == 0, done.err
    assert "set MEMORIA_TOKEN" in done.out
    config = find_client(name).config(box.place(), "project")
    assert config is not None
    assert "MEMORIA_TOKEN" in config.read_text()
    assert [path.name for path in holders(box, token)] == ["server.json"]
    await run(box, "disconnect", name, "--scope", "project", "--yes")
    assert box.files() == before


@pytest.mark.anyio
async def test_no_token_stands_in_a_users_file_that_is_in_a_repository(
    box: ClientBox, server: HttpServer
) -> None:
    (box.user / ".git").mkdir()
    token, done = await connect(box, server, "claude-code")
    assert done.code == 0
    assert "Bearer ${MEMORIA_TOKEN}" in (box.user / ".claude.json").read_text()
    assert [path.name for path in holders(box, token)] == ["server.json"]
    _, done = await connect(box, server, "droid")
    assert done.code != 0
    assert "no token is written" in done.err
    assert not (box.user / ".factory").exists()


@pytest.mark.anyio
@pytest.mark.parametrize("name", LOCAL)
async def test_a_client_that_takes_no_token_says_so_and_stays_as_it_is(
    box: ClientBox, server: HttpServer, name: str
) -> None:
    before = box.files()
    _, done = await connect(box, server, name)
    assert done.code != 0
    assert "takes no server over HTTP" in done.err
    assert box.files() == before
    assert list_servers(str(box.shell.home)) == []


@pytest.mark.anyio
async def test_connect_says_what_the_token_may_do_and_writes_no_hooks_for_one_that_only_reads(
    box: ClientBox, server: HttpServer
) -> None:
    _, done = await connect(box, server, "codex")
    assert f"for ann's memory at {server.url} and allows `write`" in done.out
    assert (box.user / ".codex/hooks.json").is_file()
    assert "trust Memoria's" in done.out
    _, done = await connect(box, server, "codex", access=Access.READ)
    assert "allows `read`" in done.out
    assert "no hooks are written" in done.out
    assert "trust Memoria's" not in done.out
    assert not (box.user / ".codex/hooks.json").exists()


@pytest.mark.anyio
async def test_nothing_is_written_if_the_server_is_away_or_refuses(
    box: ClientBox, server: HttpServer
) -> None:
    before, token = box.files(), "mem_YW5u.0.wrong"
    for url, says in (
        (server.url, "401"),
        ("http://127.0.0.1:9", "can't be reached"),
        ("ftp://memory.example.com", "is no address"),
    ):
        done = await run(box, "connect", "codex", "--url", url, "--yes", MEMORIA_TOKEN=token)
        assert done.code != 0
        assert says in done.err
        assert token not in done.out + done.err
    done = await run(box, "connect", "codex", "--url", server.url, "--yes")
    assert "There is no token" in done.err
    assert box.files() == before
    assert not box.shell.home.exists()


@pytest.mark.anyio
async def test_a_trial_shows_no_token_and_keeps_none(box: ClientBox, server: HttpServer) -> None:
    before = box.files()
    for words in (["--dry-run"], ["--json", "--dry-run"]):
        token, done = await connect(box, server, "codex", *words)
        assert done.code == 0, done.err
        assert "http_headers" in done.out
        assert holders(box, token) == {}
    assert box.files() == before


@pytest.mark.anyio
async def test_status_asks_the_server_with_the_token_and_tells_what_waits(
    box: ClientBox, server: HttpServer
) -> None:
    token, _ = await connect(box, server, "claude-code")
    status = await run(box, "connect", "claude-code", "--status", "--json")
    (found,) = status.document["connections"]
    assert found["address"] == f"{server.url}/mcp"
    assert found["answers"] is True, found
    assert found["tools"] == 7
    assert found["hooks"] == "as this version writes them"
    assert status.code == 0
    assert token not in status.out
    (known,) = list_servers(str(box.shell.home))
    wrong = RemoteServer(known.folder, known.url, f"{token}x")
    write_server(str(box.shell.home), wrong)
    file = box.user / ".claude.json"
    file.write_text(file.read_text().replace(token, wrong.token))
    status = await run(box, "connect", "claude-code", "--status")
    assert "does not answer: the server answers 401" in status.out
    cure = f"MEMORIA_TOKEN=… memoria connect claude-code --url {server.url}"
    assert f"Ask whoever runs the server for a new token, then: {cure}" in status.out
    assert "memoria doctor" not in status.out
    assert status.code != 0
    refused = await run(box, "connect", "claude-code", "--url", server.url, "--yes")
    assert cure in " ".join(refused.err.split())
    _, done = await connect(box, server, "claude-code")  # before the kept one that was refused
    assert done.code == 0


@pytest.mark.anyio
async def test_status_tells_of_a_client_that_was_left_with_a_former_token(
    box: ClientBox, server: HttpServer
) -> None:
    await connect(box, server, "claude-code")
    _, done = await connect(box, server, "gemini")
    said = " ".join(done.out.split())
    assert "Claude Code has another token, which stays in" in said
    assert f"memoria connect claude-code --url {server.url}" in said
    status = await run(box, "connect", "--status", "--json")
    answers = {one["client"]: one["answers"] for one in status.document["connections"]}
    assert answers == {"claude-code": False, "gemini": True}
    assert "shows another token" in status.out


@pytest.mark.anyio
async def test_a_client_goes_from_this_machine_to_a_server_elsewhere_and_back(
    box: ClientBox, server: HttpServer
) -> None:
    file = box.write(".claude.json", json.dumps({"mcpServers": {}, "x": 1}))
    await run(box, "connect", "claude-code", "--yes")
    here = json.loads(file.read_text())["mcpServers"]["memoria"]
    token, _ = await connect(box, server, "claude-code")
    there = json.loads(file.read_text())["mcpServers"]["memoria"]
    assert there == {
        "type": "http",
        "url": f"{server.url}/mcp",
        "headers": {"Authorization": f"Bearer {token}"},
    }
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await run(box, "connect", "claude-code", "--yes")
    assert json.loads(file.read_text())["mcpServers"]["memoria"] == here
    assert token not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


@pytest.mark.anyio
async def test_what_waits_for_a_server_outlives_the_connection(
    box: ClientBox, server: HttpServer
) -> None:
    await connect(box, server, "codex")
    (known,) = list_servers(str(box.shell.home))
    spool = Path(known.folder) / "spool"
    spool.mkdir()
    (spool / "1-1-a.json").write_text("{}")
    done = await run(box, "disconnect", "codex", "--yes")
    said = " ".join(done.out.split())
    assert "1 report waits to be sent" in said
    assert "stays, with the token for" in said
    assert spool.is_dir()


@pytest.mark.parametrize("scope", ["user", "project"])
def test_an_address_is_read_in_the_ways_it_is_typed(scope: Scope) -> None:
    base = "https://memory.example.com/team" if scope == "project" else "https://memory.example.com"
    assert {read_address(f"{base}{end}") for end in ("", "/", "/mcp", "/mcp/")} == {base}


@pytest.mark.anyio
async def test_a_file_that_is_both_the_users_and_the_projects_is_one_connection(
    box: ClientBox, server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connect(box, server, "codex")
    for name in ("claude-code", "opencode"):
        await run(box, "connect", name, "--url", server.url, "--yes")
    box.trust_codex()
    monkeypatch.chdir(box.user)
    status = await run(box, "connect", "--status", "--json")
    found = [(one["client"], one["scope"]) for one in status.document["connections"]]
    assert sorted(found) == [("claude-code", "user"), ("codex", "user"), ("opencode", "user")]
    assert [one for one in status.document["connections"] if "double" in one] == []
    assert status.code == 0


@pytest.mark.anyio
async def test_status_says_that_the_variable_with_the_token_is_not_set(
    box: ClientBox, server: HttpServer
) -> None:
    token, _ = await connect(box, server, "cursor", "--scope", "project")
    status = await run(box, "connect", "cursor", "--status")
    assert (
        "MEMORIA_TOKEN, from which Cursor takes the token, is not set in this shell" in status.out
    )
    assert status.code == 4
    status = await run(box, "connect", "cursor", "--status", MEMORIA_TOKEN=token)
    assert "not set" not in status.out
    assert "answers, version" in status.out
    assert status.code == 0
    status = await run(box, "connect", "cursor", "--status", MEMORIA_TOKEN=f"{token}x")
    assert "does not answer: the server answers 401" in status.out


@pytest.mark.anyio
async def test_a_server_that_only_reads_is_not_blamed_on_the_token(
    box: ClientBox, start_server: StartServer
) -> None:
    async with start_server(HttpOptions(most=Access.READ)) as server:
        _, done = await connect(box, server, "claude-code")
        said = " ".join(done.out.split())
        assert "The server allows reading alone, whatever a token says" in said
        assert "allows `read`" not in said
        assert not (box.user / ".claude/settings.json").exists()


@pytest.mark.anyio
async def test_a_change_of_the_token_is_seen_and_hooks_are_shown_in_short(
    box: ClientBox, server: HttpServer
) -> None:
    box.write(".claude/settings.json", "{}")
    box.write(".claude.json", "{}")
    _, done = await connect(box, server, "claude-code")
    assert "(a hook; --dry-run shows it)" in done.out
    assert max(map(len, done.out.splitlines())) < 300
    _, done = await connect(box, server, "claude-code", "--dry-run")
    removed, added = (line for line in done.out.splitlines() if "Bearer" in line)
    assert removed.strip() == '-        "Authorization": "Bearer (another token)"'
    assert added.strip() == '+        "Authorization": "Bearer …"'
    command = f"`MEMORIA_TOKEN=… memoria --home {box.shell.home} connect claude-code --url"
    assert command in " ".join(done.out.split())


@pytest.mark.anyio
async def test_a_project_s_file_that_names_no_program_is_not_said_to(
    box: ClientBox, server: HttpServer
) -> None:
    words = ("claude-code", "--scope", "project")
    _, done = await connect(box, server, *words, "--no-hooks")
    assert "programs of this machine" not in done.out
    _, done = await connect(box, server, *words)
    assert "programs of this machine" in done.out


@pytest.mark.anyio
async def test_disconnecting_leaves_nothing_of_a_home_that_never_was(
    box: ClientBox, server: HttpServer
) -> None:
    await connect(box, server, "claude-code")
    await run(box, "connect", "--status")
    done = await run(box, "disconnect", "claude-code", "--yes")
    assert "It holds at the server until it ends or is revoked there" in " ".join(done.out.split())
    assert not box.shell.home.exists()


@pytest.mark.anyio
async def test_the_token_stays_while_another_project_is_connected(
    box: ClientBox, server: HttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connect(box, server, "claude-code")
    await run(box, "connect", "cursor", "--scope", "project", "--url", server.url, "--yes")
    other = box.project.parent / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    await run(box, "disconnect", "claude-code", "--yes")
    assert len(list_servers(str(box.shell.home))) == 1
    monkeypatch.chdir(box.project)
    await run(box, "disconnect", "cursor", "--scope", "project", "--yes")
    assert list_servers(str(box.shell.home)) == []


@pytest.mark.anyio
async def test_hooks_without_an_entry_are_known_by_their_server(
    box: ClientBox, server: HttpServer
) -> None:
    await connect(box, server, "claude-code")
    (box.user / ".claude.json").unlink()
    hooks = box.user / ".claude/settings.json"
    status = await run(box, "connect", "claude-code", "--status")
    assert "wired by hooks alone" in status.out
    assert "as this version writes them" in status.out
    hooks.write_text(hooks.read_text().replace('"timeout": 5', '"timeout": 9'))
    status = await run(box, "connect", "claude-code", "--status")
    assert f"`memoria connect claude-code --url {server.url}` brings them up to date" in status.out
