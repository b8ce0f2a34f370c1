"""A plugin of ours that is there already is found where each client notes it."""

import json
from pathlib import Path

import pytest
from tests.surface.shell import Shell

from memoria.connectors.clients.installed import find_package
from memoria.connectors.clients.interface import ClientPlace

_ON = '[plugins."memoria@memoria"]\nenabled = true\n'
_OFF = '[plugins."memoria@other"]\nenabled = false\n'


@pytest.fixture
def place(tmp_path: Path) -> ClientPlace:
    return ClientPlace(
        home=tmp_path / "user", project=tmp_path / "shop", environment={}, platform="linux"
    )


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def test_a_machine_without_packages_has_none(place: ClientPlace) -> None:
    for client in ("claude-code", "codex", "gemini", "cursor", "zed"):
        assert find_package(client, place) is None


def test_a_plugin_of_claude_code_is_there_when_it_is_switched_on(place: ClientPlace) -> None:
    plugins = {"enabledPlugins": {"memoria@memoria": True, "memoria-like@other": True}}
    settings = write(place.home / ".claude" / "settings.json", json.dumps(plugins))
    found = find_package("claude-code", place)
    assert found == f"the plugin memoria@memoria, which {settings} switches on"
    off = json.dumps({"enabledPlugins": {"memoria@memoria": False}})
    write(place.project / ".claude" / "settings.local.json", off)
    assert find_package("claude-code", place) is None


def test_a_plugin_of_codex_is_there_when_it_is_switched_on(place: ClientPlace) -> None:
    config = write(place.home / ".codex" / "config.toml", _OFF)
    assert find_package("codex", place) is None
    write(config, _OFF + _ON)
    assert find_package("codex", place) == f"the plugin memoria@memoria, which {config} switches on"


def test_an_extension_of_gemini_is_there_when_it_is_installed(place: ClientPlace) -> None:
    folder = place.home / ".gemini" / "extensions" / "memoria"
    write(folder / "gemini-extension.json", "{}")
    assert find_package("gemini", place) == f"the extension in {folder}"


@pytest.mark.parametrize("text", ["", "[", "[]", '{"enabledPlugins": []}', "\ufeff{}"])
def test_settings_that_cannot_be_read_name_no_package(place: ClientPlace, text: str) -> None:
    write(place.home / ".claude" / "settings.json", text)
    write(place.home / ".codex" / "config.toml", text)
    assert find_package("claude-code", place) is None
    assert find_package("codex", place) is None


def test_who_connects_beside_a_plugin_is_told_of_it(shell: Shell, tmp_path: Path) -> None:
    user = tmp_path / "user"
    write(user / ".codex" / "config.toml", _ON)
    here = {"HOME": str(user), "USERPROFILE": str(user), "CODEX_HOME": "", "PATH": str(tmp_path)}
    shell = Shell(shell.home, here)
    shown = shell("connect", "codex", "--dry-run")
    assert "There is the plugin memoria@memoria" in shown.out
    status = shell.json("connect", "codex", "--status", code=4)
    assert list(status["packaged"]) == ["codex"]
    assert (status.get("program"), status["unconnected"]) == (None, [])
    told = shell("connect", "codex", "--status")
    assert "memoria is not on PATH: nothing is remembered" in told.out
