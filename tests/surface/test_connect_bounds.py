"""What `connect` writes beside the file it was asked to change, and through links."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.surface.client_box import ClientBox

from memoria.connectors.clients.config_file import ConfigFile, ConnectionLedger, LedgerEntry
from memoria.connectors.clients.document import command_in
from memoria.connectors.clients.installed import list_untrusted
from memoria.connectors.clients.interface import (
    Client,
    ClientPlace,
    ClientProgram,
    ClientSetup,
    HookWish,
)
from memoria.connectors.clients.status import check_clients, examine_connection
from memoria.connectors.clients.table import CLIENTS
from memoria.connectors.clients.wiring import (
    ClientWiring,
    draft_connection,
    draft_removal,
    list_documents,
)
from memoria.errors import ClientError

KEY = "sk-proj-Zk3Qw9Lm2Xv7Bn4Tc8Yh5Rd1"
OUTSIDE = json.dumps({"mcpServers": {"x": {"command": "y", "env": {"KEY": KEY}}}})
PROJECT_FILES = {
    "claude-code": (".mcp.json", ".claude/settings.json"),
    "codex": (".codex/config.toml", ".codex/hooks.json"),
    "gemini": (".gemini/settings.json",),
    "cursor": (".cursor/mcp.json", ".cursor/hooks.json"),
    "vscode": (".vscode/mcp.json", ".github/hooks/memoria.json"),
    "opencode": ("opencode.json", "opencode.jsonc", ".opencode/plugins/memoria.js"),
    "zed": (".zed/settings.json",),
    "qwen": (".qwen/settings.json",),
    "kilo": ("kilo.json", "kilo.jsonc", ".kilo/plugins/memoria.js"),
    "antigravity": (".agents/mcp_config.json", ".agents/rules/memoria.md"),
    "kiro": (".kiro/settings/mcp.json", ".kiro/steering/memoria.md"),
    "droid": (".factory/mcp.json",),
    "roo": (".roo/mcp.json", ".roo/rules/memoria.md"),
    "crush": ("crush.json",),
    "junie": (".junie/mcp/mcp.json",),
    "warp": (".warp/.mcp.json",),
}
LINKS = sorted(
    {
        (client, "/".join(file.split("/")[:depth]))
        for client, files in PROJECT_FILES.items()
        for file in files
        for depth in range(1, file.count("/") + 2)
    }
)


def _link(box: ClientBox, place: str, target: Path) -> Path:
    link = box.project / place
    link.parent.mkdir(parents=True, exist_ok=True)
    if "." in place.rsplit("/", maxsplit=1)[-1][1:]:
        target.write_text("" if place.endswith("toml") else OUTSIDE)
    else:
        target.mkdir()
    link.symlink_to(target)
    return link


@pytest.mark.parametrize(("client", "place"), LINKS)
def test_a_project_s_file_or_folder_that_is_a_link_out_of_it_is_named_and_not_followed(
    box: ClientBox, client: str, place: str
) -> None:
    link = _link(box, place, box.user / "outside")
    before = box.files()
    for words in (("connect", client), ("disconnect", client)):
        done = box(*words, "--yes", "--scope", "project")
        assert done.code == 1
        assert f"{link} is a link that leads out of the project" in done.err
    assert box.files() == before
    assert str(link) in box("connect", client, "--status").out


def test_a_link_that_stays_in_the_project_is_followed(box: ClientBox) -> None:
    (box.project / "settings").mkdir()
    (box.project / ".cursor").symlink_to("settings")
    assert box("connect", "cursor", "--yes", "--scope", "project").code == 0
    assert (box.project / "settings" / "mcp.json").is_file()


def test_no_copy_of_a_file_lies_in_a_repository(box: ClientBox) -> None:
    (box.project / ".mcp.json").write_text(OUTSIDE)
    settings = box.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    before = box.files()
    assert box("connect", "claude-code", "--yes", "--scope", "project").code == 0
    assert not [place for place in box.files() if "backup" in place]
    assert box("disconnect", "claude-code", "--yes", "--scope", "project").code == 0
    assert box.files() == before


def test_every_client_with_files_of_a_project_is_among_those_tried(box: ClientBox) -> None:
    place = box.place()
    known = {one.name for one in CLIENTS if one.config(place, "project") is not None}
    assert known == set(PROJECT_FILES)


_LIMITED = """
import resource, signal, sys
from memoria.surface.cli.main import run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
run()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of a process")
def test_a_copy_is_written_whole_or_not_at_all(box: ClientBox) -> None:
    file = box.write(".cursor/mcp.json", json.dumps({"a": "x" * 20_000}))
    before = box.files()
    words = ["8192", "connect", "cursor", "--yes", "--no-hooks"]
    environment = {"HOME": str(box.user), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-c", _LIMITED, *words], env=environment, capture_output=True, check=False
    )
    assert (done.returncode, b"File too large" in done.stderr) == (1, True)
    assert box.files() == before
    assert box("connect", "cursor", "--yes", "--no-hooks").code == 0
    assert ConfigFile(file).backup.read_bytes() == before[".cursor/mcp.json"]


@pytest.mark.parametrize("cut", [b"", b'{"numStartups": 41, "a"', b'{"numStartups": 40, "mcpS'])
def test_a_copy_that_was_cut_short_does_not_count(box: ClientBox, cut: bytes) -> None:
    file = box.write(".cursor/mcp.json", '{"numStartups": 41, "a": 1}')
    before = file.read_bytes()
    backup = box.write(".cursor/mcp.json.memoria-backup", cut)
    assert box("connect", "cursor", "--yes", "--no-hooks").code == 0
    assert backup.read_bytes() == before


def test_a_whole_copy_of_before_stays(box: ClientBox) -> None:
    box.write(".codex/config.toml", "a = 2\n")
    backup = box.write(".codex/config.toml.memoria-backup", "a = 1\n")
    assert box("connect", "codex", "--yes", "--no-hooks").code == 0
    assert backup.read_text() == "a = 1\n"


DAMAGE = {
    "no JSON": b"not json",
    "cut short": b'{"mcpServers": {"memoria": {"command": "/x/mem',
    "no UTF-8": b"\xff\xfe{",
    "zeros": b"\0" * 64,
    "too deep": b"[" * 600,
    "a comma too many": b'{"mcpServers": {,}}',
}
ODD_VALUES: list[object] = [
    *(None, 5, True, "x", "", [], [None], {}, "memoria hook", ["memoria hook"]),
    *({"command": 5}, {"command": [5, None]}, {"command": {}, "args": "serve"}, {"command": []}),
    *({"command": "/x/memoria", "args": odd} for odd in (5, {"a": 1}, ["serve", {}])),
    *({"command": "/x/memoria", "args": ["--home", odd, "serve"]} for odd in ("\0", "", None)),
    {"command": "/x/memoria", "args": ["serve"], "env_vars": [{}], "env": [1], "enabled": "no"},
    *([{"name": "memoria", "args": 5}], [{"hooks": 5}, 5], {"hooks": "memoria hook"}),
]
ODD_TEXTS = {
    "JSON": (
        b"5",
        b"null",
        b'{"a": ' + b"9" * 6_000 + b"}",
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    ),
    "TOML": (b"a = " + b"9" * 6_000, b"mcp_servers = 5", b"[a]\n[a]", b"a = " + b"[" * 5_000),
    "YAML": (b"1: 2\n2020-01-01: 3", b"a: &a [*a]", b"a: " + b"9" * 6_000, b"a: 1\n---\nb: 2"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=list(DAMAGE))
def test_a_damaged_file_is_named_with_what_to_do_and_the_other_clients_are_disconnected(
    box: ClientBox, damage: bytes
) -> None:
    for name in ("gemini", "cursor", "opencode"):
        assert box("connect", name, "--yes", "--no-hooks").code == 0
    file = box.write(".cursor/mcp.json", damage)
    done = box("disconnect", "--yes")
    assert (done.code, str(file) in done.err) == (1, True)
    assert "Nothing was changed" in done.err
    assert file.read_bytes() == damage
    assert [*box.user.rglob(".gemini/*"), *box.user.rglob("opencode/*")] == []
    assert f"{file}" in box("disconnect", "cursor", "--yes").err
    assert f"{file}" in box("connect", "cursor", "--yes").err
    assert file.read_bytes() == damage


@pytest.mark.parametrize("client", ["cursor", "opencode"])
def test_the_status_and_doctor_name_a_damaged_file(box: ClientBox, client: str) -> None:
    assert box("connect", client, "--yes").code == 0
    file = next(client_.config(ClientPlace.here(), "user") for client_ in CLIENTS
                if client_.name == client)  # fmt: skip
    assert file is not None
    file.write_bytes(DAMAGE["cut short"])
    (status,) = box.shell.json("connect", "--status", code=4)["connections"]
    assert (status["client"], str(file) in status["problem"]) == (client, True)
    box.shell.begin()
    (found,) = (one for one in box.shell.json("doctor")["findings"] if one["check"] == "clients")
    assert (found["state"], str(file) in found["detail"]) == ("warning", True)


@pytest.mark.parametrize("client", CLIENTS, ids=[client.name for client in CLIENTS])
def test_whatever_stands_in_a_client_s_file_is_edited_or_refused(
    box: ClientBox, client: Client
) -> None:
    place, program = ClientPlace.here(), ClientProgram.here("/h", None, None)
    for path, parts in list_documents(client, ClientSetup(place, "user", program)).items():
        spots = [parts.entry_at, parts.entry_at[:1], client.other_entry_at, parts.hooks_at,
                 *((*parts.hooks_at, event) for event in [*parts.hooks][:1])]  # fmt: skip
        texts = [*DAMAGE.values(), *ODD_TEXTS[parts.syntax]]
        if parts.syntax != "TOML":  # JSON is YAML, too
            texts += [_nest(spot, odd) for spot in spots if spot for odd in ODD_VALUES]
        for text in texts:
            box.write(str(path.relative_to(box.user)), text)
            for draft in (
                lambda: draft_connection(client, "user", place, program, HookWish()),
                lambda: draft_removal(client, "user", place, program, by_hand=True),
                lambda: draft_removal(client, "user", place, program, by_hand=False),
            ):
                assert str(path) in _refusal_of(draft, path), text
            examine_connection(client, "user", place, program)
        check_clients(place, program)
        path.unlink()


def _refusal_of(draft: Callable[[], ClientWiring], path: Path) -> str:
    """What a draft was refused with; the path itself, if it was not."""
    try:
        draft()
    except ClientError as error:
        return str(error)
    return str(path)


def _nest(path: tuple[str, ...], value: object) -> bytes:
    for key in reversed(path):
        value = {key: value}
    return json.dumps(value).encode()


def test_a_ledger_that_is_damaged_is_none(box: ClientBox) -> None:
    ledger = ConnectionLedger(ClientPlace.here().ledger)
    entry = LedgerEntry(client="cursor", made_file=True)
    file = box.user / "x.json"
    files: list[object] = [None, [], {str(file): None}, {str(file): {"client": "cursor"}}]
    odd = [{"version": 1, "made_folders": [], "files": one} for one in files]
    for held in (b"", b"\xff", b"[]", *(json.dumps(one).encode() for one in odd)):
        box.write(".local/state/memoria/connections.json", held)
        assert ledger.look_up(file) is None
        ledger.write(file, entry)
        assert ledger.look_up(file) == entry


def test_the_command_of_an_entry_is_what_it_starts_and_nothing_where_it_names_none() -> None:
    assert command_in({"command": "m", "args": ["serve"]}) == ("m", "serve")
    assert command_in({"command": ["m", "serve"]}) == ("m", "serve")
    assert command_in({"cmd": "m", "args": 5}) == ("m",)
    nothing: list[object] = [None, 5, "m", [], {}, {"args": ["x"]}]
    assert [command_in(one) for one in nothing] == [()] * 6


def _status(box: ClientBox, code: int) -> dict[str, Any]:
    (status,) = box.shell.json("connect", "--status", code=code)["connections"]
    return dict(status)


@pytest.mark.sqlite("looks into the file")
@pytest.mark.parametrize("damage", ["random bytes", "no bytes"])
def test_a_home_that_cannot_be_opened_does_not_answer_and_the_cure_is_named(
    box: ClientBox, damage: str
) -> None:
    assert box("connect", "cursor", "--yes").code == 0
    assert box("remember", "The cook is Pia").code == 0
    assert box("backup").code == 0
    database = box.shell.home / "memoria.db"
    for log in ("-wal", "-shm"):
        database.with_name(database.name + log).unlink(missing_ok=True)
    database.write_bytes(os.urandom(200_000) if damage == "random bytes" else b"")
    status = _status(box, 4)
    assert (status["answers"], "tools" in status) == (False, False)
    assert "The database is damaged" in status["problem"]
    assert "restore" in status["problem"]
    told = box("connect", "--status")
    assert (told.code, "does not answer" in told.out) == (4, True)


def test_hooks_of_codex_that_nobody_has_trusted_or_that_have_changed_since_are_told(
    box: ClientBox,
) -> None:
    other = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}'
    box.write(".codex/hooks.json", other)
    assert box("connect", "codex", "--yes").code == 0
    events = ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact", "SessionEnd"]
    assert sorted(_status(box, 4)["untrusted"]) == sorted(events)
    assert "skips these until you trust them, with /hooks" in box("connect", "--status").out
    box.trust_codex()
    assert _status(box, 0)["untrusted"] == []
    assert box("connect", "codex", "--yes", "--recall").code == 0
    assert _status(box, 4)["untrusted"] == ["UserPromptSubmit"]


def test_a_digest_of_a_hook_is_the_one_that_codex_has_written(tmp_path: Path) -> None:
    """As Codex 0.171 has noted it, for a hook of this line."""
    line = "/opt/python -I -S /opt/memoria/surface/hook/__main__.py codex"
    group = {"hooks": [{"type": "command", "command": line, "timeout": 5}]}
    file = tmp_path / "hooks.json"
    noted = "sha256:c79318df8b82e90566540db1e02227f110d405c8131d55f16df0c114bce2ba6a"
    state = {f"{file}:stop:0:0": {"trusted_hash": noted}}
    assert list_untrusted({"hooks": {"state": state}}, file, {"Stop": [group]}) == ()
    assert list_untrusted({}, file, {"Stop": [group]}) == ("Stop",)


def test_hooks_of_hermes_that_nobody_has_agreed_to_are_told(box: ClientBox) -> None:
    box.write(".hermes/config.yaml", "model: m\n")
    assert box("connect", "hermes", "--yes").code == 0
    events = ["on_session_finalize", "post_llm_call", "pre_llm_call"]
    assert sorted(_status(box, 4)["untrusted"]) == events
    assert "skips these until you agree to them" in box("connect", "--status").out
    text = (box.user / ".hermes" / "config.yaml").read_text("utf-8")
    hooks = yaml.safe_load(text)["hooks"]
    approvals = [{"event": event, "command": hooks[event][0]["command"]} for event in events]
    box.write(".hermes/shell-hooks-allowlist.json", json.dumps({"approvals": approvals}))
    assert _status(box, 0)["untrusted"] == []


def test_hooks_of_droid_that_its_newer_file_overrules_are_told(box: ClientBox) -> None:
    box.write(".factory/settings.json", "{}")
    assert box("connect", "droid", "--yes").code == 0
    assert _status(box, 0)["untrusted"] == []
    own = [{"hooks": [{"type": "command", "command": "say done"}]}]
    box.write(".factory/hooks.json", json.dumps({"Stop": own, "Notification": own}))
    assert _status(box, 4)["untrusted"] == ["Stop"]
    assert "as `hooks.json` beside it" in box("connect", "--status").out


@pytest.mark.parametrize("own", [False, True])
def test_what_a_cloned_project_names_is_not_started(
    box: ClientBox, tmp_path: Path, *, own: bool
) -> None:
    mark = tmp_path / "started"
    entry: dict[str, Any] = {"command": "/bin/sh", "args": ["-c", f"touch '{mark}'"]}
    if own:  # our program, with a module of theirs
        assert box("connect", "claude-code", "--yes", "--scope", "project", "--no-hooks").code == 0
        held = json.loads((box.project / ".mcp.json").read_text())["mcpServers"]["memoria"]
        assert _status(box, 0)["answers"] is True
        (tmp_path / "sitecustomize.py").write_text(f"open({str(mark)!r}, 'w')")
        entry = {**held, "env": {"PYTHONPATH": str(tmp_path)}}
    (box.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"memoria": entry}}))
    status = _status(box, 4)
    assert "it is not started" in status["problem"]
    assert not mark.exists()
