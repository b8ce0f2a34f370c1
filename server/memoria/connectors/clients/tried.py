"""The clients that were driven with what `connect` writes, on Linux, late in 2026."""

from pathlib import Path
from typing import Any

from memoria.connectors.clients.installed import list_overruled, list_unapproved, list_untrusted
from memoria.connectors.clients.interface import (
    Client,
    ClientPlace,
    ClientProgram,
    HookTable,
    Scope,
)
from memoria.connectors.clients.rows import (
    CLAUDE_EVENTS,
    CLINE_HOOKS,
    COPILOT_HOOKS,
    KILO_HOOKS,
    NO_HOOKS,
    OPENCLAW_HOOKS,
    OPENCODE_HOOKS,
    SECONDS,
    claude_hook,
    codex_hook,
    cursor_hook,
    gemini_hook,
    kilo_folder,
    name_files,
    openclaw_folder,
    opencode_folder,
    tell_rest,
    write_plain_entry,
)


def _claude_folder(place: ClientPlace) -> Path:
    return place.folder("CLAUDE_CONFIG_DIR", ".claude")


def _claude_config(place: ClientPlace) -> Path:
    moved = place.environment.get("CLAUDE_CONFIG_DIR")
    return Path(moved).expanduser() / ".claude.json" if moved else place.home / ".claude.json"


CLAUDE_CODE = Client(
    name="claude-code",
    title="Claude Code",
    config=name_files(_claude_config, (".mcp.json",)),
    entry=lambda program: {"type": "stdio", **write_plain_entry(program)},
    hooks=HookTable(
        file=name_files(
            lambda place: _claude_folder(place) / "settings.json", (".claude", "settings.json")
        ),
        events=CLAUDE_EVENTS,
        prompt="UserPromptSubmit",
        form=claude_hook,
        switch=(("disableAllHooks",), True),
    ),
    programs=("claude",),
    folders=lambda place: (_claude_folder(place),),
    remains=tell_rest(
        "Sessions that are open go on without Memoria; the next one has it.",
        project=("Approve the server when Claude Code asks, once for each `.mcp.json`.",),
    ),
)


def _codex_entry(program: ClientProgram) -> dict[str, Any]:
    """Write Codex's entry, with all variables named: it passes a server no others."""
    names = [*program.plain_variables, *program.key_variables]
    return {**write_plain_entry(program), **({"env_vars": names} if names else {})}


CODEX = Client(
    name="codex",
    title="Codex",
    config=name_files(
        lambda place: _codex_folder(place) / "config.toml", (".codex", "config.toml")
    ),
    syntax="TOML",
    entry_at=("mcp_servers", "memoria"),
    entry=_codex_entry,
    hooks=HookTable(
        file=name_files(
            lambda place: _codex_folder(place) / "hooks.json", (".codex", "hooks.json")
        ),
        events=CLAUDE_EVENTS,
        prompt="UserPromptSubmit",
        form=codex_hook,
        switch=(("features", "hooks"), False),
        find_untrusted=list_untrusted,
        skipped="until you trust them, with /hooks there",
    ),
    programs=("codex",),
    folders=lambda place: (_codex_folder(place),),
    remains=tell_rest(
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
    """Write Gemini CLI's entry, with keys named: it withholds what looks like one."""
    env = {name: f"${name}" for name in program.key_variables}
    return {**write_plain_entry(program), **({"env": env} if env else {})}


_GEMINI_SETTINGS = name_files(
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
    remains=tell_rest(
        "Trust the folders you work in: in others Gemini CLI starts no server, yours neither.",
    ),
)

_QWEN_SETTINGS = name_files(
    lambda place: _qwen_folder(place) / "settings.json", (".qwen", "settings.json")
)


def _qwen_folder(place: ClientPlace) -> Path:
    return place.folder("QWEN_HOME", ".qwen")


QWEN = Client(
    name="qwen",
    title="Qwen Code",
    config=_QWEN_SETTINGS,
    entry=write_plain_entry,
    hooks=HookTable(
        file=_QWEN_SETTINGS,
        events=dict.fromkeys(CLAUDE_EVENTS, _GEMINI_MILLIS),
        prompt="UserPromptSubmit",
        form=gemini_hook,
        switch=(("disableAllHooks",), True),
    ),
    programs=("qwen",),
    folders=lambda place: (_qwen_folder(place),),
    remains=tell_rest("A session of Qwen Code that is open goes on without Memoria."),
)


def _droid_folder(place: ClientPlace) -> Path:
    return place.folder("FACTORY_HOME_OVERRIDE") / ".factory"


DROID = Client(
    name="droid",
    title="Droid",
    config=name_files(lambda place: _droid_folder(place) / "mcp.json", (".factory", "mcp.json")),
    entry=lambda program: {"type": "stdio", **write_plain_entry(program)},
    hooks=HookTable(
        file=name_files(
            lambda place: _droid_folder(place) / "settings.json", (".factory", "settings.json")
        ),
        events=CLAUDE_EVENTS,
        prompt="UserPromptSubmit",
        form=claude_hook,
        switch=(("hooks", "hooksDisabled"), True),
        find_untrusted=list_overruled,
        skipped="as `hooks.json` beside it has hooks for the same events",
    ),
    programs=("droid",),
    folders=lambda place: (_droid_folder(place),),
    remains=tell_rest(
        "If you have hooks of your own in `hooks.json` beside `settings.json`, Droid runs those "
        "alone at the same events: `memoria connect --status` names them.",
        "`droid exec` has the tools with --auto high, and runs no hook at a prompt.",
    ),
)


OPENCLAW = Client(
    name="openclaw",
    title="OpenClaw",
    config=name_files(lambda place: openclaw_folder(place) / "openclaw.json"),
    entry_at=("mcp", "servers", "memoria"),
    entry=write_plain_entry,
    hooks=OPENCLAW_HOOKS,
    programs=("openclaw",),
    folders=lambda place: (openclaw_folder(place),),
    remains=tell_rest(
        "`openclaw agent exec` runs no plugins of yours: it records nothing.", restart="OpenClaw"
    ),
)


def _hermes_folder(place: ClientPlace) -> Path:
    return place.folder("HERMES_HOME", ".hermes")


_HERMES_CONFIG = name_files(lambda place: _hermes_folder(place) / "config.yaml")

HERMES = Client(
    name="hermes",
    title="Hermes Agent",
    config=_HERMES_CONFIG,
    syntax="YAML",
    entry_at=("mcp_servers", "memoria"),
    entry=write_plain_entry,
    hooks=HookTable(
        file=_HERMES_CONFIG,
        events=dict.fromkeys(("pre_llm_call", "post_llm_call", "on_session_finalize"), SECONDS),
        prompt="pre_llm_call",
        form=cursor_hook,
        find_untrusted=list_unapproved,
        skipped="until you agree to them, which `hermes` asks when you next start it",
    ),
    programs=("hermes",),
    folders=lambda place: (_hermes_folder(place),),
    remains=tell_rest(
        "Start `hermes` in a terminal and agree to Memoria's hooks. Until then it skips them "
        "without a word; `hermes -z` skips all hooks always.",
        "It needs its extra for MCP: `pip install 'hermes-agent[mcp]'`.",
        restart="Hermes Agent",
    ),
)


def _copilot_folder(place: ClientPlace) -> Path:
    return place.folder("COPILOT_HOME", ".copilot")


COPILOT = Client(
    name="copilot",
    title="GitHub Copilot CLI",
    config=name_files(lambda place: _copilot_folder(place) / "mcp-config.json"),
    entry=lambda program: {"type": "local", **write_plain_entry(program), "tools": ["*"]},
    hooks=COPILOT_HOOKS,
    programs=("copilot",),
    # The folder above it is there for VS Code's hooks, too.
    folders=lambda place: (_copilot_folder(place) / "session-state",),
    remains=tell_rest("A session of Copilot CLI that is open goes on without Memoria."),
)


def _opencode_config(place: ClientPlace, scope: Scope) -> Path:
    folder = opencode_folder(place) if scope == "user" else place.project
    with_comments = folder / "opencode.jsonc"
    return with_comments if with_comments.exists() else folder / "opencode.json"


def _write_opencode_entry(program: ClientProgram) -> dict[str, Any]:
    command = [program.command, *program.arguments]
    return {"type": "local", "command": command, "enabled": True}


OPENCODE = Client(
    name="opencode",
    title="OpenCode",
    config=_opencode_config,
    entry_at=("mcp", "memoria"),
    other_entry_at=("mcp", "servers", "memoria"),
    entry=_write_opencode_entry,
    hooks=OPENCODE_HOOKS,
    programs=("opencode",),
    folders=lambda place: (opencode_folder(place),),
    remains=tell_rest(restart="OpenCode"),
)


def _kilo_config(place: ClientPlace, scope: Scope) -> Path:
    folder = kilo_folder(place) if scope == "user" else place.project
    with_comments = folder / "kilo.jsonc"
    return with_comments if with_comments.exists() else folder / "kilo.json"


KILO = Client(
    name="kilo",
    title="Kilo",
    config=_kilo_config,
    entry_at=("mcp", "memoria"),
    entry=_write_opencode_entry,
    hooks=KILO_HOOKS,
    programs=("kilo",),
    folders=lambda place: (kilo_folder(place),),
    remains=tell_rest(restart="Kilo"),
)


def _cline_folder(place: ClientPlace) -> Path:
    return place.folder("CLINE_DIR", ".cline")


CLINE = Client(
    name="cline",
    title="Cline",
    config=name_files(
        lambda place: _cline_folder(place) / "data" / "settings" / "cline_mcp_settings.json"
    ),
    entry=write_plain_entry,
    hooks=CLINE_HOOKS,
    rules=name_files(lambda place: _cline_folder(place) / "rules" / "memoria.md"),
    programs=("cline",),
    folders=lambda place: (_cline_folder(place),),
    remains=tell_rest(
        "Switch hooks on in the settings of its editor's extension. It runs none on Windows.",
    ),
)


CONTINUE = Client(
    name="continue",
    title="Continue",
    config=name_files(lambda place: place.home / ".continue" / "config.yaml"),
    syntax="YAML",
    entry_at=("mcpServers",),
    is_listed=True,
    entry=lambda program: {"name": "memoria", **write_plain_entry(program)},
    # A `config.yaml` of ours would stand before a `config.json` of an older version.
    may_begin_file=False,
    programs=("cn",),
    folders=lambda place: (place.home / ".continue",),
    rules=name_files(lambda place: place.home / ".continue" / "rules" / "memoria.md"),
    rules_head="---\nname: Memoria\nalwaysApply: true\n---\n",
    remains=tell_rest(NO_HOOKS),
)
