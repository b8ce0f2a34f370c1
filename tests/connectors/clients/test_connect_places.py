"""Where clients keep their files on each system, and how a hook's line is written there."""

import shlex
from dataclasses import replace
from pathlib import Path, PureWindowsPath

import pytest

from memoria.connectors.clients.document import is_our_hook
from memoria.connectors.clients.interface import ClientPlace, ClientProgram, HookWish
from memoria.connectors.clients.rows import words_of
from memoria.connectors.clients.status import is_installed
from memoria.connectors.clients.table import CLIENTS, find_client
from memoria.connectors.clients.wiring import draft_connection

_MAC = "Library/Application Support"
_ROAMING = "AppData/Roaming"
_ROO = "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"
_DIFFERENT: dict[str, str | dict[str, str]] = {
    "claude-desktop": "{app}/Claude/claude_desktop_config.json",
    "vscode": "{app}/Code/User/mcp.json",
    "roo": f"{{app}}/Code/User/{_ROO}",
    "goose": {"win32": f"{_ROAMING}/Block/goose/config/config.yaml"},
    "zed": {"win32": f"{_ROAMING}/Zed/settings.json"},
}
_EVERYWHERE = {
    "claude-code": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
    "opencode": ".config/opencode/opencode.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "goose": ".config/goose/config.yaml",
    "zed": ".config/zed/settings.json",
    "continue": ".continue/config.yaml",
    "cline": ".cline/data/settings/cline_mcp_settings.json",
    "qwen": ".qwen/settings.json",
    "copilot": ".copilot/mcp-config.json",
    "kilo": ".config/kilo/kilo.json",
    "antigravity": ".gemini/config/mcp_config.json",
    "kiro": ".kiro/settings/mcp.json",
    "droid": ".factory/mcp.json",
    "crush": ".config/crush/crush.json",
    "junie": ".junie/mcp/mcp.json",
    "warp": ".warp/.mcp.json",
    "openclaw": ".openclaw/openclaw.json",
    "hermes": ".hermes/config.yaml",
}
PROGRAM = ClientProgram(
    command="/opt/memoria/bin/memoria",
    python="/opt/my python/bin/python",
    hook_script="/opt/memoria/surface/hook/__main__.py",
    options=("--home", "/it's/家"),
)


def _place(platform: str, **environment: str) -> ClientPlace:
    return ClientPlace(
        home=Path("/u"), project=Path("/p"), environment=environment, platform=platform
    )


@pytest.mark.parametrize(
    ("platform", "app"), [("linux", ".config"), ("darwin", _MAC), ("win32", _ROAMING)]
)
def test_each_client_s_file_is_where_its_documents_say(platform: str, app: str) -> None:
    for client in CLIENTS:
        told = _DIFFERENT.get(client.name)
        own = told.get(platform) if isinstance(told, dict) else told
        expected = (own or _EVERYWHERE[client.name]).format(app=app)
        assert client.config(_place(platform), "user") == Path("/u") / expected


def test_a_folder_that_the_environment_names_is_the_one() -> None:
    place = _place("linux", CLAUDE_CONFIG_DIR="/c", CODEX_HOME="/x", XDG_CONFIG_HOME="/g")
    found = {client.name: client.config(place, "user") for client in CLIENTS}
    assert found["claude-code"] == Path("/c/.claude.json")
    assert found["codex"] == Path("/x/config.toml")
    assert found["zed"] == Path("/g/zed/settings.json")


def test_files_that_vs_code_s_hooks_lie_in_are_no_sign_of_copilot_cli(tmp_path: Path) -> None:
    place = replace(_place("linux", PATH="/nowhere"), home=tmp_path)
    (tmp_path / ".copilot" / "hooks").mkdir(parents=True)
    assert not is_installed(find_client("copilot"), place)
    (tmp_path / ".copilot" / "session-state").mkdir()
    assert is_installed(find_client("copilot"), place)


def test_an_installation_in_a_cache_is_none_to_connect_to() -> None:
    cached = replace(PROGRAM, command="/u/.cache/uv/archive-v0/x1/bin/memoria")
    assert (cached.is_in_cache, PROGRAM.is_in_cache) == (True, False)
    wiring = draft_connection(CLIENTS[0], "user", _place("linux"), cached, HookWish())
    assert "uv tool install memoria-server" in wiring.notes[0]


def test_a_hook_s_line_is_quoted_for_the_shell_that_runs_it() -> None:
    line = PROGRAM.hook_line("codex", "--recall", windows=False)
    assert shlex.split(line) == PROGRAM.hook_words("codex", "--recall")
    assert is_our_hook({"hooks": [{"command": line}]})
    windows = ClientProgram(
        command="C:\\m\\memoria.exe",
        python="C:\\m\\python.exe",
        hook_script="C:\\m\\memoria\\surface\\hook\\__main__.py",
        options=("--home", "C:\\Users\\Li Wei"),
    )
    line = windows.hook_line("cursor", windows=True)
    assert line.startswith("C:/m/python.exe -I -S ")  # no quotes: to PowerShell they make a text
    assert line.endswith(' cursor --home "C:/Users/Li Wei"')
    assert PureWindowsPath(words_of(line)[0]) == PureWindowsPath(windows.python)
    assert is_our_hook(line)
