"""The clients, one after the other.

Paths, shapes and events are from the clients' public documents, late in 2026. What was measured
with the real program are Claude Code, Codex and Gemini CLI on Linux; the others were not tried.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memoria.admin.clients.hook_forms import (
    CLINE_HOOKS,
    GOOSE_HOOKS,
    OPENCODE_HOOKS,
    SECONDS,
    SESSION_END_SECONDS,
    VSCODE_HOOKS,
    claude_hook,
    codex_hook,
    cursor_hook,
    gemini_hook,
    opencode_folder,
    windsurf_hook,
)
from memoria.admin.clients.interface import Client, HookTable, ScopeFiles
from memoria.admin.clients.place import ClientPlace, Scope
from memoria.admin.clients.program import ClientProgram
from memoria.errors import ClientError

_RESTART = "Restart {title}: it reads its configuration when it starts."
_OWN_PATHS = (
    "The project's file names programs of this machine by their full path. Whoever shares the "
    "project runs `memoria connect` for themselves; leave the file out of "
    "version control, or say so."
)


def _files(
    user: Callable[[ClientPlace], Path], project: tuple[str, ...] | None = None
) -> ScopeFiles:
    """The user's file, and the project's below its folder."""

    def choose(place: ClientPlace, scope: Scope) -> Path | None:
        if scope == "user":
            return user(place)
        return place.project.joinpath(*project) if project else None

    return choose


def _remains(
    *lines: str, restart: str = "", project: tuple[str, ...] = ()
) -> Callable[[Scope], tuple[str, ...]]:
    first = (_RESTART.format(title=restart),) if restart else ()

    def choose(scope: Scope) -> tuple[str, ...]:
        return (*first, *lines, *((*project, _OWN_PATHS) if scope == "project" else ()))

    return choose


_CLAUDE_EVENTS = {
    "SessionStart": SECONDS,
    "UserPromptSubmit": SECONDS,
    "PostToolUse": SECONDS,
    "Stop": SECONDS,
    "PreCompact": SECONDS,
    "SessionEnd": SESSION_END_SECONDS,
}
"""Claude Code's events, which Codex has under the same names."""


def _plain_entry(program: ClientProgram) -> dict[str, Any]:
    return {"command": program.command, "args": program.arguments}


def _claude_folder(place: ClientPlace) -> Path:
    return place.folder("CLAUDE_CONFIG_DIR", ".claude")


def _claude_config(place: ClientPlace) -> Path:
    moved = place.environment.get("CLAUDE_CONFIG_DIR")
    return Path(moved).expanduser() / ".claude.json" if moved else place.home / ".claude.json"


CLAUDE_CODE = Client(
    name="claude-code",
    title="Claude Code",
    config=_files(_claude_config, (".mcp.json",)),
    entry=lambda program: {"type": "stdio", **_plain_entry(program)},
    hooks=HookTable(
        file=_files(lambda place: _claude_folder(place) / "settings.json",
                    (".claude", "settings.json")),
        events=_CLAUDE_EVENTS,
        prompt="UserPromptSubmit",
        form=claude_hook,
        switch=(("disableAllHooks",), True),
    ),
    programs=("claude",),
    folders=lambda place: (_claude_folder(place),),
    remains=_remains(
        "Sessions that are open go on without Memoria; the next one has it.",
        project=("Approve the server when Claude Code asks, once for each `.mcp.json`.",),
    ),
)  # fmt: skip

CLAUDE_DESKTOP = Client(
    name="claude-desktop",
    title="Claude Desktop",
    config=_files(lambda place: place.app_data / "Claude" / "claude_desktop_config.json"),
    entry=_plain_entry,
    folders=lambda place: (place.app_data / "Claude",),
    remains=_remains(
        "It has no hooks: the agent records a conversation when you ask it to.",
        restart="Claude Desktop",
    ),
    passes=("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"),
)


def _codex_entry(program: ClientProgram) -> dict[str, Any]:
    """Codex passes a server nothing of the shell but what is named."""
    names = [*program.plain_variables, *program.key_variables]
    return {**_plain_entry(program), **({"env_vars": names} if names else {})}


CODEX = Client(
    name="codex",
    title="Codex",
    config=_files(lambda place: _codex_folder(place) / "config.toml", (".codex", "config.toml")),
    syntax="TOML",
    entry_at=("mcp_servers", "memoria"),
    entry=_codex_entry,
    hooks=HookTable(
        file=_files(lambda place: _codex_folder(place) / "hooks.json", (".codex", "hooks.json")),
        events=_CLAUDE_EVENTS,
        prompt="UserPromptSubmit",
        form=codex_hook,
        switch=(("features", "hooks"), False),
    ),
    programs=("codex",),
    folders=lambda place: (_codex_folder(place),),
    remains=_remains(
        "Start Codex, type /hooks and trust Memoria's. Until then Codex skips them without a word, "
        "in `codex exec` as well, and asks again when their line changes.",
        "Whoever sets another MEMORIA_ variable connects again: Codex passes on only those that "
        "its file names.",
        project=("Codex reads a project's `.codex` only where you have trusted the project.",),
    ),
    passes=("HOME", "LANG", "PATH", "TERM"),
)


def _codex_folder(place: ClientPlace) -> Path:
    return place.folder("CODEX_HOME", ".codex")


def _gemini_folder(place: ClientPlace) -> Path:
    return place.folder("GEMINI_CLI_HOME") / ".gemini"


def _gemini_entry(program: ClientProgram) -> dict[str, Any]:
    """Gemini CLI keeps from a server what looks like a key, unless the entry refers to it."""
    env = {name: f"${name}" for name in program.key_variables}
    return {**_plain_entry(program), **({"env": env} if env else {})}


_GEMINI_SETTINGS = _files(
    lambda place: _gemini_folder(place) / "settings.json", (".gemini", "settings.json")
)
_GEMINI_MILLIS = SECONDS * 1000

GEMINI = Client(
    name="gemini",
    title="Gemini CLI",
    config=_GEMINI_SETTINGS,
    entry=_gemini_entry,
    hooks=HookTable(
        file=_GEMINI_SETTINGS,
        events=dict.fromkeys(
            ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd"),
            _GEMINI_MILLIS,
        ),
        prompt="BeforeAgent",
        form=gemini_hook,
        switch=(("hooksConfig", "enabled"), False),
    ),
    programs=("gemini",),
    folders=lambda place: (_gemini_folder(place),),
    remains=_remains(
        "Trust the folders you work in: in others Gemini CLI starts no server, yours neither.",
    ),
)

CURSOR = Client(
    name="cursor",
    title="Cursor",
    config=_files(lambda place: place.home / ".cursor" / "mcp.json", (".cursor", "mcp.json")),
    entry=_plain_entry,
    hooks=HookTable(
        file=_files(lambda place: place.home / ".cursor" / "hooks.json", (".cursor", "hooks.json")),
        events=dict.fromkeys(
            ("sessionStart", "beforeSubmitPrompt", "postToolUse", "afterAgentResponse", "stop",
             "preCompact", "sessionEnd"),
            SECONDS,
        ),
        prompt="beforeSubmitPrompt",
        form=cursor_hook,
        defaults={"version": 1},
    ),
    programs=("cursor", "cursor-agent"),
    folders=lambda place: (place.home / ".cursor",),
    remains=_remains(
        "Switch the server on in Cursor's settings, under MCP, if it is not.", restart="Cursor"
    ),
)  # fmt: skip

VSCODE = Client(
    name="vscode",
    title="VS Code",
    config=_files(
        lambda place: place.app_data / "Code" / "User" / "mcp.json", (".vscode", "mcp.json")
    ),
    entry_at=("servers", "memoria"),
    entry=lambda program: {"type": "stdio", **_plain_entry(program)},
    hooks=VSCODE_HOOKS,
    programs=("code",),
    folders=lambda place: (place.app_data / "Code",),
    remains=_remains(
        "Start the server when VS Code asks whether it is trusted. Hooks are a preview there: "
        "an organisation may have switched them off.",
    ),
)


def _opencode_config(place: ClientPlace, scope: Scope) -> Path:
    folder = opencode_folder(place) if scope == "user" else place.project
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


OPENCODE = Client(
    name="opencode",
    title="OpenCode",
    config=_opencode_config,
    entry_at=("mcp", "memoria"),
    other_entry_at=("mcp", "servers", "memoria"),
    entry=lambda program: {
        "type": "local",
        "command": [program.command, *program.arguments],
        "enabled": True,
    },
    hooks=OPENCODE_HOOKS,
    programs=("opencode",),
    folders=lambda place: (opencode_folder(place),),
    remains=_remains(restart="OpenCode"),
)


WINDSURF = Client(
    name="windsurf",
    title="Windsurf",
    config=_files(lambda place: _windsurf_folder(place) / "mcp_config.json"),
    entry=_plain_entry,
    hooks=HookTable(
        file=_files(lambda place: _windsurf_folder(place) / "hooks.json"),
        events=dict.fromkeys(
            ("session_start", "pre_user_prompt", "post_run_command", "post_cascade_response",
             "session_end"),
            SECONDS,
        ),
        prompt="pre_user_prompt",
        form=windsurf_hook,
    ),
    programs=("windsurf",),
    folders=lambda place: (_windsurf_folder(place),),
    remains=_remains("Refresh the list of MCP servers in Windsurf's settings, or restart it."),
)  # fmt: skip


def _windsurf_folder(place: ClientPlace) -> Path:
    return place.home / ".codeium" / "windsurf"


def _cline_storage(place: ClientPlace) -> Path:
    return place.app_data / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev"


CLINE = Client(
    name="cline",
    title="Cline",
    config=_files(lambda place: _cline_storage(place) / "settings" / "cline_mcp_settings.json"),
    entry=_plain_entry,
    hooks=CLINE_HOOKS,
    folders=lambda place: (_cline_storage(place),),
    remains=_remains("Switch hooks on in Cline's settings. It runs none on Windows."),
)


def _goose_config(place: ClientPlace) -> Path:
    if place.is_windows:
        return place.app_data / "Block" / "goose" / "config" / "config.yaml"
    return place.dot_config / "goose" / "config.yaml"


GOOSE = Client(
    name="goose",
    title="Goose",
    config=_files(_goose_config),
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
    remains=_remains("A session of Goose that is open goes on without; the next one has it."),
)


def _zed_folder(place: ClientPlace) -> Path:
    return place.app_data / "Zed" if place.is_windows else place.dot_config / "zed"


ZED = Client(
    name="zed",
    title="Zed",
    config=_files(lambda place: _zed_folder(place) / "settings.json", (".zed", "settings.json")),
    entry_at=("context_servers", "memoria"),
    entry=lambda program: {"source": "custom", **_plain_entry(program), "env": {}},
    programs=("zed", "zeditor"),
    folders=lambda place: (_zed_folder(place),),
    remains=_remains("It has no hooks: the agent records a conversation when you ask it to."),
)

CONTINUE = Client(
    name="continue",
    title="Continue",
    config=_files(lambda place: place.home / ".continue" / "config.yaml"),
    syntax="YAML",
    entry_at=("mcpServers",),
    is_listed=True,
    entry=lambda program: {"name": "memoria", **_plain_entry(program)},
    # A `config.yaml` of ours would stand before a `config.json` of an older version.
    may_begin_file=False,
    programs=("cn",),
    folders=lambda place: (place.home / ".continue",),
    remains=_remains("It has no hooks: the agent records a conversation when you ask it to."),
)

CLIENTS = (
    *(CLAUDE_CODE, CLAUDE_DESKTOP, CODEX, GEMINI, CURSOR, VSCODE),
    *(OPENCODE, WINDSURF, CLINE, GOOSE, ZED, CONTINUE),
)


def find_client(name: str) -> Client:
    """The client of a name.

    Raises:
        ClientError: there is none.
    """
    for client in CLIENTS:
        if client.name == name:
            return client
    names = ", ".join(client.name for client in CLIENTS)
    raise ClientError(f"There is no client {name!r} here. Known are {names}.")
