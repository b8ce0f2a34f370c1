"""The clients whose rows are from their public documents, late in 2026, and were not tried."""

from pathlib import Path

from memoria.connectors.clients.interface import Client, ClientPlace, HookTable
from memoria.connectors.clients.rows import (
    GOOSE_HOOKS,
    NO_HOOKS,
    SECONDS,
    VSCODE_HOOKS,
    ask_to_paste,
    cursor_hook,
    name_files,
    name_project_file,
    tell_rest,
    windsurf_hook,
    write_plain_entry,
)

CLAUDE_DESKTOP = Client(
    name="claude-desktop",
    title="Claude Desktop",
    config=name_files(lambda place: place.app_data / "Claude" / "claude_desktop_config.json"),
    entry=write_plain_entry,
    folders=lambda place: (place.app_data / "Claude",),
    remains=tell_rest(
        *ask_to_paste("Settings, Profile"),
        restart="Claude Desktop",
    ),
    passes=("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"),
)


CURSOR = Client(
    name="cursor",
    title="Cursor",
    config=name_files(lambda place: place.home / ".cursor" / "mcp.json", (".cursor", "mcp.json")),
    entry=write_plain_entry,
    hooks=HookTable(
        file=name_files(
            lambda place: place.home / ".cursor" / "hooks.json", (".cursor", "hooks.json")
        ),
        events=dict.fromkeys(
            (
                "sessionStart",
                "beforeSubmitPrompt",
                "postToolUse",
                "afterAgentResponse",
                "stop",
                "preCompact",
                "sessionEnd",
            ),
            SECONDS,
        ),
        prompt="beforeSubmitPrompt",
        form=cursor_hook,
        defaults={"version": 1},
    ),
    programs=("cursor", "cursor-agent"),
    folders=lambda place: (place.home / ".cursor",),
    remains=tell_rest(
        "Switch the server on in Cursor's settings, under MCP, if it is not.", restart="Cursor"
    ),
)

VSCODE = Client(
    name="vscode",
    title="VS Code",
    config=name_files(
        lambda place: place.app_data / "Code" / "User" / "mcp.json", (".vscode", "mcp.json")
    ),
    entry_at=("servers", "memoria"),
    entry=lambda program: {"type": "stdio", **write_plain_entry(program)},
    hooks=VSCODE_HOOKS,
    programs=("code",),
    folders=lambda place: (place.app_data / "Code",),
    remains=tell_rest(
        "Start the server when VS Code asks whether it is trusted. Hooks are a preview there: "
        "an organisation may have switched them off.",
    ),
)


WINDSURF = Client(
    name="windsurf",
    title="Windsurf",
    config=name_files(lambda place: _windsurf_folder(place) / "mcp_config.json"),
    entry=write_plain_entry,
    hooks=HookTable(
        file=name_files(lambda place: _windsurf_folder(place) / "hooks.json"),
        events=dict.fromkeys(
            (
                "session_start",
                "pre_user_prompt",
                "post_run_command",
                "post_cascade_response",
                "session_end",
            ),
            SECONDS,
        ),
        prompt="pre_user_prompt",
        form=windsurf_hook,
    ),
    programs=("windsurf",),
    folders=lambda place: (_windsurf_folder(place),),
    remains=tell_rest("Refresh the list of MCP servers in Windsurf's settings, or restart it."),
)


def _windsurf_folder(place: ClientPlace) -> Path:
    return place.home / ".codeium" / "windsurf"


def _goose_config(place: ClientPlace) -> Path:
    if place.is_windows:
        return place.app_data / "Block" / "goose" / "config" / "config.yaml"
    return place.dot_config / "goose" / "config.yaml"


GOOSE = Client(
    name="goose",
    title="Goose",
    config=name_files(_goose_config),
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
    hooks=GOOSE_HOOKS,
    programs=("goose",),
    folders=lambda place: (_goose_config(place).parent,),
    remains=tell_rest("A session of Goose that is open goes on without; the next one has it."),
)


def _zed_folder(place: ClientPlace) -> Path:
    return place.app_data / "Zed" if place.is_windows else place.dot_config / "zed"


ZED = Client(
    name="zed",
    title="Zed",
    config=name_files(
        lambda place: _zed_folder(place) / "settings.json", (".zed", "settings.json")
    ),
    entry_at=("context_servers", "memoria"),
    entry=lambda program: {"source": "custom", **write_plain_entry(program), "env": {}},
    programs=("zed", "zeditor"),
    folders=lambda place: (_zed_folder(place),),
    remains=tell_rest(*ask_to_paste("a rule of its rules library, switched on by default")),
)

ANTIGRAVITY = Client(
    name="antigravity",
    title="Antigravity",
    config=name_files(
        lambda place: place.home / ".gemini" / "config" / "mcp_config.json",
        (".agents", "mcp_config.json"),
    ),
    entry=write_plain_entry,
    rules=name_project_file(".agents", "rules", "memoria.md"),
    programs=("agy", "antigravity"),
    folders=lambda place: (place.home / ".gemini" / "config", place.home / ".gemini/antigravity"),
    remains=tell_rest(
        *ask_to_paste("~/.gemini/GEMINI.md"), restart="Antigravity, the editor and `agy`"
    ),
)

KIRO = Client(
    name="kiro",
    title="Kiro",
    config=name_files(
        lambda place: place.home / ".kiro" / "settings" / "mcp.json",
        (".kiro", "settings", "mcp.json"),
    ),
    entry=write_plain_entry,
    rules=name_files(
        lambda place: place.home / ".kiro" / "steering" / "memoria.md",
        (".kiro", "steering", "memoria.md"),
    ),
    rules_head="---\ninclusion: always\n---\n",
    programs=("kiro", "kiro-cli"),
    folders=lambda place: (place.home / ".kiro",),
    remains=tell_rest(NO_HOOKS),
)


def _roo_storage(place: ClientPlace) -> Path:
    return place.app_data / "Code" / "User" / "globalStorage" / "rooveterinaryinc.roo-cline"


ROO = Client(
    name="roo",
    title="Roo Code",
    config=name_files(
        lambda place: _roo_storage(place) / "settings" / "mcp_settings.json", (".roo", "mcp.json")
    ),
    entry=write_plain_entry,
    rules=name_files(
        lambda place: place.home / ".roo" / "rules" / "memoria.md", (".roo", "rules", "memoria.md")
    ),
    folders=lambda place: (_roo_storage(place),),
    remains=tell_rest(NO_HOOKS),
)

CRUSH = Client(
    name="crush",
    title="Crush",
    config=name_files(lambda place: place.dot_config / "crush" / "crush.json", ("crush.json",)),
    entry_at=("mcp", "memoria"),
    entry=lambda program: {"type": "stdio", **write_plain_entry(program)},
    programs=("crush",),
    folders=lambda place: (place.dot_config / "crush",),
    remains=tell_rest(*ask_to_paste("~/.config/crush/CRUSH.md")),
)

JUNIE = Client(
    name="junie",
    title="Junie",
    config=name_files(
        lambda place: place.home / ".junie" / "mcp" / "mcp.json", (".junie", "mcp", "mcp.json")
    ),
    entry=write_plain_entry,
    programs=("junie",),
    folders=lambda place: (place.home / ".junie",),
    remains=tell_rest(*ask_to_paste("`.junie/guidelines.md` of each project")),
)

WARP = Client(
    name="warp",
    title="Warp",
    config=name_files(lambda place: place.home / ".warp" / ".mcp.json", (".warp", ".mcp.json")),
    entry=write_plain_entry,
    programs=("warp", "warp-terminal"),
    folders=lambda place: (place.home / ".warp",),
    remains=tell_rest(*ask_to_paste("a rule, under Personal, Rules")),
)
