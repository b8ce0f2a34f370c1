"""Clients whose descriptions are from their public documents, and were not tried."""

from pathlib import Path

from memoria.connectors.clients.interface import Client, ClientPlace, HookTable
from memoria.connectors.clients.rows import (
    GOOSE_HOOKS,
    NO_HOOKS,
    SECONDS,
    VSCODE_HOOKS,
    ask_to_paste,
    cursor_hook,
    find_folder,
    name_files,
    name_remote,
    tell_rest,
    windsurf_hook,
    write_plain_entry,
    write_stdio_entry,
)

_desktop_folder = find_folder("Claude", base="app_data")
_cursor_folder = find_folder(".cursor")
_vscode_folder = find_folder("Code", base="app_data")
_windsurf_folder = find_folder(".codeium", "windsurf")
_antigravity_folder = find_folder(".gemini", "config")
_kiro_folder = find_folder(".kiro")
_roo_storage = find_folder(
    *("Code", "User", "globalStorage", "rooveterinaryinc.roo-cline"), base="app_data"
)
_crush_folder = find_folder("crush", base="dot_config")
_junie_folder = find_folder(".junie")
_warp_folder = find_folder(".warp")


def _goose_folder(place: ClientPlace) -> Path:
    if place.is_windows:
        return place.app_data / "Block" / "goose" / "config"
    return place.dot_config / "goose"


def _zed_folder(place: ClientPlace) -> Path:
    return place.app_data / "Zed" if place.is_windows else place.dot_config / "zed"


CLAUDE_DESKTOP = Client(
    name="claude-desktop",
    title="Claude Desktop",
    config=name_files(_desktop_folder, "claude_desktop_config.json"),
    entry=write_plain_entry,
    folders=lambda place: (_desktop_folder(place),),
    remains=tell_rest(*ask_to_paste("Settings, Profile"), restart="Claude Desktop"),
    passes=("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"),
)

_CURSOR_EVENTS = (
    *("sessionStart", "beforeSubmitPrompt", "postToolUse", "afterAgentResponse", "stop"),
    *("preCompact", "sessionEnd"),
)

CURSOR = Client(
    name="cursor",
    title="Cursor",
    config=name_files(_cursor_folder, "mcp.json", ".cursor/mcp.json"),
    entry=write_plain_entry,
    remote=name_remote(variable="${env:NAME}"),
    hooks=HookTable(
        file=name_files(_cursor_folder, "hooks.json", ".cursor/hooks.json"),
        events=dict.fromkeys(_CURSOR_EVENTS, SECONDS),
        prompt="beforeSubmitPrompt",
        form=cursor_hook,
        defaults={"version": 1},
    ),
    programs=("cursor", "cursor-agent"),
    folders=lambda place: (_cursor_folder(place),),
    remains=tell_rest(
        "Switch the server on in Cursor's settings, under MCP, if it is not.", restart="Cursor"
    ),
)

VSCODE = Client(
    name="vscode",
    title="VS Code",
    config=name_files(_vscode_folder, "User/mcp.json", ".vscode/mcp.json"),
    entry_at=("servers", "memoria"),
    entry=write_stdio_entry,
    remote=name_remote(variable="${env:NAME}", type="http"),
    hooks=VSCODE_HOOKS,
    programs=("code",),
    folders=lambda place: (_vscode_folder(place),),
    remains=tell_rest(
        "Start the server when VS Code asks whether it is trusted. Hooks are a preview there: "
        "an organisation may have switched them off."
    ),
)

_WINDSURF_EVENTS = (
    *("session_start", "pre_user_prompt", "post_run_command", "post_cascade_response"),
    "session_end",
)

WINDSURF = Client(
    name="windsurf",
    title="Windsurf",
    config=name_files(_windsurf_folder, "mcp_config.json"),
    entry=write_plain_entry,
    remote=name_remote("serverUrl", variable="${env:NAME}"),
    hooks=HookTable(
        file=name_files(_windsurf_folder, "hooks.json"),
        events=dict.fromkeys(_WINDSURF_EVENTS, SECONDS),
        prompt="pre_user_prompt",
        form=windsurf_hook,
    ),
    programs=("windsurf",),
    folders=lambda place: (_windsurf_folder(place),),
    remains=tell_rest("Refresh the list of MCP servers in Windsurf's settings, or restart it."),
)

GOOSE = Client(
    name="goose",
    title="Goose",
    config=name_files(_goose_folder, "config.yaml"),
    syntax="YAML",
    entry_at=("extensions", "memoria"),
    entry=lambda program: {
        "enabled": True,
        "type": "stdio",
        "name": "memoria",
        "description": "Long-term memory",
        "cmd": program.command,
        "args": program.arguments,
        "envs": {},
        "timeout": 300,
    },
    remote=name_remote(
        "uri",
        enabled=True,
        type="streamable_http",
        name="memoria",
        description="Long-term memory",
        timeout=300,
    ),
    hooks=GOOSE_HOOKS,
    programs=("goose",),
    folders=lambda place: (_goose_folder(place),),
    remains=tell_rest("A session of Goose that is open goes on without; the next one has it."),
)

ZED = Client(
    name="zed",
    title="Zed",
    config=name_files(_zed_folder, "settings.json", ".zed/settings.json"),
    entry_at=("context_servers", "memoria"),
    entry=lambda program: {"source": "custom", **write_plain_entry(program), "env": {}},
    remote=name_remote(),
    programs=("zed", "zeditor"),
    folders=lambda place: (_zed_folder(place),),
    remains=tell_rest(*ask_to_paste("a rule of its rules library, switched on by default")),
)

ANTIGRAVITY = Client(
    name="antigravity",
    title="Antigravity",
    config=name_files(_antigravity_folder, "mcp_config.json", ".agents/mcp_config.json"),
    entry=write_plain_entry,
    rules=name_files(None, project=".agents/rules/memoria.md"),
    programs=("agy", "antigravity"),
    folders=lambda place: (_antigravity_folder(place), place.home / ".gemini/antigravity"),
    remains=tell_rest(
        *ask_to_paste("~/.gemini/GEMINI.md"), restart="Antigravity, the editor and `agy`"
    ),
)

KIRO = Client(
    name="kiro",
    title="Kiro",
    config=name_files(_kiro_folder, "settings/mcp.json", ".kiro/settings/mcp.json"),
    entry=write_plain_entry,
    remote=name_remote(),
    rules=name_files(_kiro_folder, "steering/memoria.md", ".kiro/steering/memoria.md"),
    rules_head="---\ninclusion: always\n---\n",
    programs=("kiro", "kiro-cli"),
    folders=lambda place: (_kiro_folder(place),),
    remains=tell_rest(NO_HOOKS),
)

ROO = Client(
    name="roo",
    title="Roo Code",
    config=name_files(_roo_storage, "settings/mcp_settings.json", ".roo/mcp.json"),
    entry=write_plain_entry,
    remote=name_remote(type="streamable-http"),
    rules=name_files(find_folder(".roo"), "rules/memoria.md", ".roo/rules/memoria.md"),
    folders=lambda place: (_roo_storage(place),),
    remains=tell_rest(NO_HOOKS),
)

CRUSH = Client(
    name="crush",
    title="Crush",
    config=name_files(_crush_folder, "crush.json", "crush.json"),
    entry_at=("mcp", "memoria"),
    entry=write_stdio_entry,
    remote=name_remote(type="http"),
    programs=("crush",),
    folders=lambda place: (_crush_folder(place),),
    remains=tell_rest(*ask_to_paste("~/.config/crush/CRUSH.md")),
)

JUNIE = Client(
    name="junie",
    title="Junie",
    config=name_files(_junie_folder, "mcp/mcp.json", ".junie/mcp/mcp.json"),
    entry=write_plain_entry,
    programs=("junie",),
    folders=lambda place: (_junie_folder(place),),
    remains=tell_rest(*ask_to_paste("`.junie/guidelines.md` of each project")),
)

WARP = Client(
    name="warp",
    title="Warp",
    config=name_files(_warp_folder, ".mcp.json", ".warp/.mcp.json"),
    entry=write_plain_entry,
    programs=("warp", "warp-terminal"),
    folders=lambda place: (_warp_folder(place),),
    remains=tell_rest(*ask_to_paste("a rule, under Personal, Rules")),
)
