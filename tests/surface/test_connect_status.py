"""`memoria connect --status` starts what a client would, and has it open its memory."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.surface.client_box import ClientBox

from memoria.connectors.clients.trust import list_untrusted


def _status(box: ClientBox, code: int) -> dict[str, Any]:
    (status,) = box.shell.json("connect", "--status", code=code)["connections"]
    return dict(status)


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
