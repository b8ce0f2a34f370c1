"""Building blocks for the clients' descriptions: files, entries, hooks, rules and last steps.

Rules are what the server says of itself, as a file that the client reads. No memory stands in a
rules file: what is forgotten must not live on in another program's file.
"""

import json
import shlex
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from memoria.connectors.clients.interface import (
    Client,
    ClientPlace,
    ClientProgram,
    ClientSetup,
    HookCall,
    HookFiles,
    RemoteForm,
    Scope,
    ScopeFiles,
)

SECONDS = 5
"""The limit of a hook that takes 25 ms: a machine may be busy, but nobody should wait longer."""
RECALL, GUARD = "--recall", "--guard"
"""Options of the hook program."""
RECALL_FACTOR = 2
"""Factor of the limit for a prompt that something is recalled for: a server may be loading."""
SESSION_END_SECONDS = 3
"""Limit at a session's end: Claude Code's default is 1.5 s; Codex gives at most 3 s."""
CODEX_TOKENS = 10_000
"""Longest answer that Codex is told to take: more than the hook program ever says. Codex cuts what
is longer, and writes the whole into a temporary file, where no forgetting could reach it."""
_SAID_TO_MODELS = frozenset({"SessionStart", "UserPromptSubmit"})
"""Events with answers for the model. Codex warns of a limit where there can be none."""
BEFORE = "PreToolUse"
"""Event before a tool call. Codex shows its text from its versions of May 2026 on."""
_PROMPTS = ("UserPromptSubmit", "userPromptSubmitted")
CLAUDE_EVENTS = {
    **dict.fromkeys("SessionStart UserPromptSubmit PostToolUse Stop PreCompact".split(), SECONDS),
    "SessionEnd": SESSION_END_SECONDS,
}
"""Claude Code's events, which Codex has under the same names."""
_MARK = "Written by `memoria connect {0}`; `memoria disconnect {0}` removes it."
_RULES_TEXT = "surface/mcp/texts/instructions.md"
_RESTART = "Restart {title}: it reads its configuration when it starts."
OWN_PATHS = (
    "The project's file names programs of this machine by their full path. Whoever shares the "
    "project runs `memoria connect` for themselves; leave the file out of "
    "version control, or say so."
)
NO_HOOKS = "It has no hooks of ours: the agent records a conversation when it is told to."
TOKEN = "MEMORIA_TOKEN"  # noqa: S105  (the name of a variable)
"""Variable that holds a token where no file may."""
_PASTED = (
    "“Memoria is my memory across sessions. Call search_memory before you answer whatever refers "
    "to something earlier, to me, my people, rules or decisions; call remember when I state "
    "something lasting; call record_conversation before a session ends.”"
)

# Folders, files, entries, last steps

Folder = Callable[[ClientPlace], Path]


def find_folder(
    *parts: str, variable: str = "", base: Literal["home", "dot_config", "app_data"] = "home"
) -> Folder:
    """Return the finder of a folder.

    Args:
        parts: the folder's place, below the base.
        variable: of the environment, which may name another folder.
        base: the user's folder, or the folder of settings of programs without or with windows.
    """

    def find(place: ClientPlace) -> Path:
        given = place.environment.get(variable)
        folder: Path = getattr(place, base)
        return Path(given).expanduser() if given else folder.joinpath(*parts)

    return find


def name_files(folder: Folder | None, file: str = "", project: str = "") -> ScopeFiles:
    """Return the finder of a file in a folder of the user's, and of the project's own file."""

    def choose(place: ClientPlace, scope: Scope) -> Path | None:
        if scope == "user":
            return folder(place) / file if folder else None
        return place.project / project if project else None

    return choose


def tell_rest(
    *lines: str, restart: str = "", project: tuple[str, ...] = ()
) -> Callable[[Scope], tuple[str, ...]]:
    """Return a function that lists what a person must still do, with more for a project's files."""
    first = (_RESTART.format(title=restart),) if restart else ()

    def choose(scope: Scope) -> tuple[str, ...]:
        return (*first, *lines, *((*project, OWN_PATHS) if scope == "project" else ()))

    return choose


def write_plain_entry(program: ClientProgram) -> dict[str, Any]:
    """Write the entry as most clients want it."""
    return {"command": program.command, "args": program.arguments}


def write_stdio_entry(program: ClientProgram) -> dict[str, Any]:
    """Write the entry for clients that know servers of other kinds, too."""
    return {"type": "stdio", **write_plain_entry(program)}


def name_remote(
    address: str = "url",
    headers: str = "headers",
    variable: str = "",
    **more: Any,  # noqa: ANN401  (JSON)
) -> RemoteForm:
    """Return the form of an entry for a server elsewhere.

    Args:
        address: key of the address.
        headers: key of the headers.
        variable: how the client's file names a variable, such as `${NAME}`; empty if it can't.
        more: what else stands in the entry, before the rest.
    """

    def write(url: str, authorization: str) -> dict[str, Any]:
        return {**more, address: url, headers: {"Authorization": authorization}}

    def write_shared(url: str) -> dict[str, Any]:
        return write(url, f"Bearer {variable.replace('NAME', TOKEN)}")

    return RemoteForm(write, write_shared if variable else None)


def ask_to_paste(where: str) -> tuple[str, str]:
    """Tell what a person does where a client has neither hooks nor a file for rules of ours."""
    return (
        NO_HOOKS,
        f"So that the agent knows when to use the tools, paste this into {where}: {_PASTED}",
    )


# Hooks that stand in a file of the client's


def claude_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Claude Code."""
    tools = {"matcher": call.tools} if call.tools else {}
    return {**tools, "hooks": [{"type": "command", "command": call.line, "timeout": call.limit}]}


def codex_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Codex, which is told how long an answer may be."""
    hook = claude_hook(call)
    if call.event in _SAID_TO_MODELS:
        hook["hooks"][0]["additionalContextLimit"] = CODEX_TOKENS
    return hook


def gemini_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Gemini CLI; the limit is in milliseconds."""
    return {"hooks": [{"name": "memoria", **claude_hook(call)["hooks"][0]}]}


def cursor_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Cursor, or for Hermes Agent, whose shell hooks are written as briefly."""
    return {"command": call.line, "timeout": call.limit}


def windsurf_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Windsurf: no limit can be set, and Windows has a key of its own."""
    key = "powershell" if call.is_windows else "command"
    return {key: call.line, "show_output": False}


# Hooks that are files of their own

opencode_folder = find_folder("opencode", variable="OPENCODE_CONFIG_DIR", base="dot_config")
kilo_folder = find_folder("kilo", variable="KILO_CONFIG_DIR", base="dot_config")
openclaw_folder = find_folder(".openclaw", variable="OPENCLAW_STATE_DIR")
copilot_folder = find_folder(".copilot", variable="COPILOT_HOME")


def _vscode_files(setup: ClientSetup) -> dict[Path, str]:
    events = "SessionStart UserPromptSubmit PostToolUse PreCompact Stop"
    hooks = {
        event: [{"type": "command", "command": line, "timeout": limit}]
        for event, line, limit in _list_calls("vscode", events, setup, warns_at="PostToolUse")
    }
    return {_copilot_hooks(setup) / "memoria.json": _json({"hooks": hooks})}


def _copilot_files(setup: ClientSetup) -> dict[Path, str]:
    """Write Copilot CLI's hooks; each line names its event, as the client tells it to no hook."""
    key = "powershell" if setup.place.is_windows else "bash"
    events = "sessionStart userPromptSubmitted postToolUse agentStop preCompact sessionEnd"
    hooks = {
        event: [{"type": "command", key: line, "timeoutSec": limit}]
        for event, line, limit in _list_calls(
            "copilot", events, setup, says_event=True, warns_at="postToolUse"
        )
    }
    path = _copilot_hooks(setup) / "memoria-copilot.json"
    return {path: _json({"version": 1, "hooks": hooks})}


def _copilot_hooks(setup: ClientSetup) -> Path:
    """Return the folder of hooks that VS Code and Copilot CLI both read."""
    is_user = setup.scope == "user"
    return (copilot_folder(setup.place) if is_user else setup.place.project / ".github") / "hooks"


def _goose_files(setup: ClientSetup) -> dict[Path, str]:
    base = setup.place.home if setup.scope == "user" else setup.place.project
    folder = base / ".agents" / "plugins" / "memoria"
    events = "SessionStart UserPromptSubmit PostToolUse Stop SessionEnd"
    hooks = {
        event: [{"hooks": [{"type": "command", "command": line, "timeout": limit}]}]
        for event, line, limit in _list_calls("goose", events, setup)
    }
    about = {"name": "memoria", "version": "1.0.0", "description": _MARK.format("goose")}
    return {
        folder / "plugin.json": _json(about),
        folder / "hooks" / "hooks.json": _json({"hooks": hooks}),
    }


def _cline_files(setup: ClientSetup) -> dict[Path, str]:
    place = setup.place
    if place.is_windows:  # Cline runs no hooks there
        return {}
    user = place.home / "Documents" / "Cline" / "Hooks"
    folder = user if setup.scope == "user" else place.project / ".clinerules" / "hooks"
    events = "TaskStart UserPromptSubmit PostToolUse TaskComplete PreCompact SessionShutdown"
    return {
        folder / event: f"#!/bin/sh\n# {_MARK.format('cline')}\nexec {line}\n"
        for event, line, _ in _list_calls("cline", events, setup)
    }


def _opencode_files(setup: ClientSetup) -> dict[Path, str]:
    return _write_plugin("opencode", opencode_folder, setup)


def _kilo_files(setup: ClientSetup) -> dict[Path, str]:
    """Write the plugin for Kilo, which was made from OpenCode."""
    return _write_plugin("kilo", kilo_folder, setup)


def _write_plugin(client: str, user: Folder, setup: ClientSetup) -> dict[Path, str]:
    place = setup.place
    folder = user(place) if setup.scope == "user" else place.project / f".{client}"
    return {folder / "plugins" / "memoria.js": _fill_plugin("opencode_plugin.js", client, setup)}


def _openclaw_files(setup: ClientSetup) -> dict[Path, str]:
    if setup.scope == "project":
        return {}
    folder = openclaw_folder(setup.place) / "extensions" / "memoria"
    about = {"id": "memoria", "name": "Memoria", "description": _MARK.format("openclaw")}
    schema = {"type": "object", "additionalProperties": False}
    package = {"name": "memoria", "version": "1.0.0", "type": "module"}
    own = {**package, "description": about["description"]}
    return {
        folder / "openclaw.plugin.json": _json(
            {**about, "activation": {"onStartup": True}, "configSchema": schema}
        ),
        folder / "package.json": _json({**own, "openclaw": {"extensions": ["./index.js"]}}),
        folder / "index.js": _fill_plugin("openclaw_plugin.js", "openclaw", setup),
    }


def _fill_plugin(body: str, client: str, setup: ClientSetup) -> str:
    """Write a plugin's text, with what it starts."""
    folder = resources.files("memoria.connectors.clients")
    text = "".join(folder.joinpath(name).read_text("utf-8") for name in ("plugin_head.js", body))
    for name, value in {
        "__MARK__": _MARK.format(client),
        "__COMMAND__": json.dumps(setup.program.hook_words(client), ensure_ascii=False),
        "__RECALL__": json.dumps(setup.wish.recall),
        "__GUARD__": json.dumps(setup.wish.guard),
    }.items():
        text = text.replace(name, value)
    return text


def _list_calls(
    client: str, events: str, setup: ClientSetup, *, says_event: bool = False, warns_at: str = ""
) -> Iterator[tuple[str, str, int]]:
    """Yield each event with the line of its hook and the limit in seconds."""
    for event in events.split():
        recall = setup.wish.recall and event in _PROMPTS
        told, windows = event if says_event else "", setup.place.is_windows
        flags = [RECALL] * recall + [GUARD] * (setup.wish.guard and event == warns_at)
        line = setup.program.hook_line(client, *flags, windows=windows, event=told)
        yield event, line, SECONDS * RECALL_FACTOR if recall else SECONDS


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


COPILOT_HOOKS = HookFiles(write=_copilot_files, warns=True)
KILO_HOOKS = HookFiles(write=_kilo_files, warns=True)
OPENCLAW_HOOKS = HookFiles(
    write=_openclaw_files,
    grant_at=("plugins", "entries", "memoria"),
    grant={"enabled": True, "hooks": {"allowConversationAccess": True}},
)
OPENCODE_HOOKS = HookFiles(write=_opencode_files, warns=True)
CLINE_HOOKS = HookFiles(write=_cline_files)
# From public documents; not tried with the clients themselves.
VSCODE_HOOKS = HookFiles(write=_vscode_files, warns=True)
GOOSE_HOOKS = HookFiles(write=_goose_files)


def is_our_file(text: str) -> bool:
    """Check whether `connect` wrote the whole of a file."""
    plain = text.replace("\\\\", "/").replace("\\", "/")
    return "Written by `memoria connect" in text or "memoria/surface/hook/__main__.py" in plain


def words_of(line: str) -> list[str]:
    """Split a shell's line into words, as far as its quotes let it be split."""
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


# Rules


def write_rules(client: Client, scope: Scope, place: ClientPlace) -> dict[Path, str]:
    """Map the path of a client's rules to their text; empty where the client needs none."""
    path = client.rules(place, scope) if client.rules else None
    if path is None:
        return {}
    text = resources.files("memoria").joinpath(_RULES_TEXT).read_text("utf-8")
    return {path: f"{client.rules_head}<!-- {_MARK.format(client.name)} -->\n\n{text}"}
