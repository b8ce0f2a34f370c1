"""Clients that were driven, on Linux, with what `connect` writes."""

from pathlib import Path
from typing import Any

from memoria.connectors.clients.installed import list_overruled, list_unapproved, list_untrusted
from memoria.connectors.clients.interface import (
    Client,
    ClientPlace,
    ClientProgram,
    HookTable,
    RemoteForm,
    Scope,
    ScopeFiles,
)
from memoria.connectors.clients.rows import (
    BEFORE,
    CLAUDE_EVENTS,
    CLINE_HOOKS,
    COPILOT_HOOKS,
    KILO_HOOKS,
    NO_HOOKS,
    OPENCLAW_HOOKS,
    OPENCODE_HOOKS,
    SECONDS,
    TOKEN,
    Folder,
    claude_hook,
    codex_hook,
    copilot_folder,
    cursor_hook,
    find_folder,
    gemini_hook,
    kilo_folder,
    name_files,
    name_remote,
    openclaw_folder,
    opencode_folder,
    tell_rest,
    write_plain_entry,
    write_stdio_entry,
)

_claude_folder = find_folder(".claude", variable="CLAUDE_CONFIG_DIR")
_codex_folder = find_folder(".codex", variable="CODEX_HOME")
_qwen_folder = find_folder(".qwen", variable="QWEN_HOME")
_hermes_folder = find_folder(".hermes", variable="HERMES_HOME")
_cline_folder = find_folder(".cline", variable="CLINE_DIR")
_continue_folder = find_folder(".continue")


def _gemini_folder(place: ClientPlace) -> Path:
    return place.folder("GEMINI_CLI_HOME") / ".gemini"


def _droid_folder(place: ClientPlace) -> Path:
    return place.folder("FACTORY_HOME_OVERRIDE") / ".factory"


CLAUDE_CODE = Client(
    name="claude-code",
    title="Claude Code",
    config=name_files(find_folder(variable="CLAUDE_CONFIG_DIR"), ".claude.json", ".mcp.json"),
    entry=write_stdio_entry,
    remote=name_remote(variable="${NAME}", type="http"),
    hooks=HookTable(
        file=name_files(_claude_folder, "settings.json", ".claude/settings.json"),
        events=CLAUDE_EVENTS,
        prompt="UserPromptSubmit",
        form=claude_hook,
        warns_at=(BEFORE,),
        warned_tools="Bash|Edit|MultiEdit|Write|NotebookEdit",
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
    """Write Codex's entry, with all variables named: Codex passes a server no others."""
    names = [*program.plain_variables, *program.key_variables]
    return {**write_plain_entry(program), **({"env_vars": names} if names else {})}


CODEX = Client(
    name="codex",
    title="Codex",
    config=name_files(_codex_folder, "config.toml", ".codex/config.toml"),
    syntax="TOML",
    entry_at=("mcp_servers", "memoria"),
    entry=_codex_entry,
    remote=RemoteForm(
        write=name_remote(headers="http_headers").write,
        write_shared=lambda url: {"url": url, "bearer_token_env_var": TOKEN},
    ),
    hooks=HookTable(
        file=name_files(_codex_folder, "hooks.json", ".codex/hooks.json"),
        events=CLAUDE_EVENTS,
        prompt="UserPromptSubmit",
        form=codex_hook,
        warns_at=(BEFORE,),
        warned_tools="Bash|apply_patch|Edit|Write",
        switch=(("features", "hooks"), False),
        find_untrusted=list_untrusted,
        skipped="until you trust them, with /hooks there",
    ),
    programs=("codex",),
    folders=lambda place: (_codex_folder(place),),
    hook_steps=(
        "Start Codex, type /hooks and trust Memoria's. Until then Codex skips them without a word, "
        "in `codex exec` as well, and asks again when their line changes.",
    ),
    remains=tell_rest(
        "Whoever sets another MEMORIA_ variable connects again: Codex passes on only those that "
        "its file names.",
        project=("Codex reads a project's `.codex` only where you have trusted the project.",),
    ),
    passes=("HOME", "LANG", "PATH", "TERM"),
)


def _gemini_entry(program: ClientProgram) -> dict[str, Any]:
    """Write Gemini CLI's entry, with keys named: variables that look like keys are withheld."""
    env = {name: f"${name}" for name in program.key_variables}
    return {**write_plain_entry(program), **({"env": env} if env else {})}


_GEMINI_SETTINGS = name_files(_gemini_folder, "settings.json", ".gemini/settings.json")
_GEMINI_EVENTS = "SessionStart BeforeAgent AfterTool AfterAgent PreCompress SessionEnd".split()
_GEMINI_MILLIS = SECONDS * 1000

GEMINI = Client(
    name="gemini",
    title="Gemini CLI",
    config=_GEMINI_SETTINGS,
    entry=_gemini_entry,
    remote=name_remote("httpUrl", variable="${NAME}"),
    hooks=HookTable(
        file=_GEMINI_SETTINGS,
        events=dict.fromkeys(_GEMINI_EVENTS, _GEMINI_MILLIS),
        prompt="BeforeAgent",
        form=gemini_hook,
        warns_at=("AfterTool",),
        switch=(("hooksConfig", "enabled"), False),
    ),
    programs=("gemini",),
    folders=lambda place: (_gemini_folder(place),),
    remains=tell_rest(
        "Trust the folders you work in: in others Gemini CLI starts no server, yours neither."
    ),
)

_QWEN_SETTINGS = name_files(_qwen_folder, "settings.json", ".qwen/settings.json")

_QWEN_CALLS = ("PostToolUse", "PostToolUseFailure")
"""Of a call it tells one of these: a command with another exit code than 0 has failed."""

QWEN = Client(
    name="qwen",
    title="Qwen Code",
    config=_QWEN_SETTINGS,
    entry=write_plain_entry,
    remote=name_remote("httpUrl", variable="${NAME}"),
    hooks=HookTable(
        file=_QWEN_SETTINGS,
        events=dict.fromkeys((*CLAUDE_EVENTS, *_QWEN_CALLS), _GEMINI_MILLIS),
        prompt="UserPromptSubmit",
        form=gemini_hook,
        warns_at=_QWEN_CALLS,
        switch=(("disableAllHooks",), True),
    ),
    programs=("qwen",),
    folders=lambda place: (_qwen_folder(place),),
    remains=tell_rest("A session of Qwen Code that is open goes on without Memoria."),
)

DROID = Client(
    name="droid",
    title="Droid",
    config=name_files(_droid_folder, "mcp.json", ".factory/mcp.json"),
    entry=write_stdio_entry,
    remote=name_remote(type="http"),
    hooks=HookTable(
        file=name_files(_droid_folder, "settings.json", ".factory/settings.json"),
        events=CLAUDE_EVENTS,
        prompt="UserPromptSubmit",
        form=claude_hook,
        switch=(("hooks", "hooksDisabled"), True),
        find_untrusted=list_overruled,
        skipped="as `hooks.json` beside it has hooks for the same events",
    ),
    programs=("droid",),
    folders=lambda place: (_droid_folder(place),),
    hook_steps=(
        "If you have hooks of your own in `hooks.json` beside `settings.json`, Droid runs those "
        "alone at the same events: `memoria connect --status` names them.",
    ),
    remains=tell_rest("`droid exec` has the tools with --auto high, and runs no hook at a prompt."),
)

OPENCLAW = Client(
    name="openclaw",
    title="OpenClaw",
    config=name_files(openclaw_folder, "openclaw.json"),
    entry_at=("mcp", "servers", "memoria"),
    entry=write_plain_entry,
    hooks=OPENCLAW_HOOKS,
    programs=("openclaw",),
    folders=lambda place: (openclaw_folder(place),),
    remains=tell_rest(
        "`openclaw agent exec` runs no plugins of yours: it records nothing.", restart="OpenClaw"
    ),
)

_HERMES_CONFIG = name_files(_hermes_folder, "config.yaml")

HERMES = Client(
    name="hermes",
    title="Hermes Agent",
    config=_HERMES_CONFIG,
    syntax="YAML",
    entry_at=("mcp_servers", "memoria"),
    entry=write_plain_entry,
    remote=name_remote(),
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
    hook_steps=(
        "Start `hermes` in a terminal and agree to Memoria's hooks. Until then it skips them "
        "without a word; `hermes -z` skips all hooks always.",
    ),
    remains=tell_rest(
        "It needs its extra for MCP: `pip install 'hermes-agent[mcp]'`.", restart="Hermes Agent"
    ),
)

COPILOT = Client(
    name="copilot",
    title="GitHub Copilot CLI",
    config=name_files(copilot_folder, "mcp-config.json"),
    entry=lambda program: {"type": "local", **write_plain_entry(program), "tools": ["*"]},
    remote=name_remote(type="http", tools=["*"]),
    hooks=COPILOT_HOOKS,
    programs=("copilot",),
    # The folder above it is there for VS Code's hooks, too.
    folders=lambda place: (copilot_folder(place) / "session-state",),
    remains=tell_rest("A session of Copilot CLI that is open goes on without Memoria."),
)


def _name_commented(user: Folder, name: str) -> ScopeFiles:
    """Return the finder of a JSON file that may have comments, and then another suffix."""

    def choose(place: ClientPlace, scope: Scope) -> Path:
        folder = user(place) if scope == "user" else place.project
        with_comments = folder / f"{name}.jsonc"
        return with_comments if with_comments.exists() else folder / f"{name}.json"

    return choose


def _write_opencode_entry(program: ClientProgram) -> dict[str, Any]:
    command = [program.command, *program.arguments]
    return {"type": "local", "command": command, "enabled": True}


_REMOTE_OPENCODE = name_remote(variable="{env:NAME}", type="remote", enabled=True, oauth=False)
"""Without `oauth` it would send the user to sign in, wherever a token is refused."""

OPENCODE = Client(
    name="opencode",
    title="OpenCode",
    config=_name_commented(opencode_folder, "opencode"),
    entry_at=("mcp", "memoria"),
    other_entry_at=("mcp", "servers", "memoria"),
    entry=_write_opencode_entry,
    remote=_REMOTE_OPENCODE,
    hooks=OPENCODE_HOOKS,
    programs=("opencode",),
    folders=lambda place: (opencode_folder(place),),
    remains=tell_rest(restart="OpenCode"),
)

KILO = Client(
    name="kilo",
    title="Kilo",
    config=_name_commented(kilo_folder, "kilo"),
    entry_at=("mcp", "memoria"),
    entry=_write_opencode_entry,
    remote=_REMOTE_OPENCODE,
    hooks=KILO_HOOKS,
    programs=("kilo",),
    folders=lambda place: (kilo_folder(place),),
    remains=tell_rest(restart="Kilo"),
)

CLINE = Client(
    name="cline",
    title="Cline",
    config=name_files(_cline_folder, "data/settings/cline_mcp_settings.json"),
    entry=write_plain_entry,
    remote=name_remote(type="streamableHttp"),
    hooks=CLINE_HOOKS,
    rules=name_files(_cline_folder, "rules/memoria.md"),
    programs=("cline",),
    folders=lambda place: (_cline_folder(place),),
    remains=tell_rest(
        "Switch hooks on in the settings of its editor's extension. It runs none on Windows."
    ),
)

CONTINUE = Client(
    name="continue",
    title="Continue",
    config=name_files(_continue_folder, "config.yaml"),
    syntax="YAML",
    entry_at=("mcpServers",),
    is_listed=True,
    entry=lambda program: {"name": "memoria", **write_plain_entry(program)},
    remote=RemoteForm(
        lambda url, authorization: {
            "name": "memoria",
            "type": "streamable-http",
            "url": url,
            "requestOptions": {"headers": {"Authorization": authorization}},
        }
    ),
    # A `config.yaml` of ours would stand before a `config.json` of an older version.
    may_begin_file=False,
    programs=("cn",),
    folders=lambda place: (_continue_folder(place),),
    rules=name_files(_continue_folder, "rules/memoria.md"),
    rules_head="---\nname: Memoria\nalwaysApply: true\n---\n",
    remains=tell_rest(NO_HOOKS),
)
