"""Building blocks for the clients' descriptions: files, entries, hooks, rules and last steps.

Rules are what the server says of itself, as a file that the client reads. No memory stands in a
rules file: what is forgotten must not live on in another program's file.
"""

import json
import shlex
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from memoria.connectors.clients.interface import (
    Client,
    ClientPlace,
    ClientProgram,
    HookCall,
    HookFiles,
    HookWish,
    Scope,
    ScopeFiles,
)

SECONDS = 5
"""The limit of a hook that takes 25 ms: a machine may be busy, but nobody should wait longer."""
RECALL_FACTOR = 2
"""So many times the limit has a prompt that something is recalled for: a server may be loading."""
SESSION_END_SECONDS = 3
"""Limit at a session's end: Claude Code's default is 1.5 s; Codex gives at most 3 s."""
CODEX_TOKENS = 10_000
"""Codex counts four bytes as a token: more than the hook program ever says, in any script. What is
longer than the limit, 2,500 by itself, Codex cuts, and writes whole into a file for temporary ones,
where no forgetting could reach it."""
_SAID_TO_MODELS = frozenset({"SessionStart", "UserPromptSubmit"})
"""Events with answers for the model. Codex warns of a limit where there can be none."""


def claude_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Claude Code."""
    return {"hooks": [{"type": "command", "command": call.line, "timeout": call.limit}]}


def codex_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Codex, which is told how long an answer may be."""
    hook: dict[str, Any] = {"type": "command", "command": call.line, "timeout": call.limit}
    if call.event in _SAID_TO_MODELS:
        hook["additionalContextLimit"] = CODEX_TOKENS
    return {"hooks": [hook]}


def gemini_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Gemini CLI; the limit is in milliseconds."""
    hook = {"name": "memoria", "type": "command", "command": call.line, "timeout": call.limit}
    return {"hooks": [hook]}


def cursor_hook(call: HookCall) -> dict[str, Any]:
    """Cursor, and Hermes Agent, whose shell hooks are written as briefly."""
    return {"command": call.line, "timeout": call.limit}


def windsurf_hook(call: HookCall) -> dict[str, Any]:
    """Write a hook for Windsurf: no limit can be set, and Windows has a key of its own."""
    key = "powershell" if call.is_windows else "command"
    return {key: call.line, "show_output": False}


_PROMPTS = ("UserPromptSubmit", "userPromptSubmitted")
_COPILOT_EVENTS = (
    *("sessionStart", "userPromptSubmitted", "postToolUse", "agentStop", "preCompact"),
    "sessionEnd",
)
_VSCODE_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop")
_GOOSE_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd")
_CLINE_EVENTS = (
    *("TaskStart", "UserPromptSubmit", "PostToolUse", "TaskComplete", "PreCompact"),
    "SessionShutdown",
)
_OPENCODE_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact")
_OPENCLAW_EVENTS = (*_OPENCODE_EVENTS, "SessionEnd")
_MARK = "Written by `memoria connect {client}`; `memoria disconnect {client}` removes it."


def _vscode_files(
    place: ClientPlace, scope: Scope, program: ClientProgram, wish: HookWish
) -> dict[Path, str]:
    hooks = {
        event: [{"type": "command", "command": line, "timeout": _limit(event, wish)}]
        for event, line in _lines("vscode", _VSCODE_EVENTS, place, program, wish)
    }
    return {_copilot_hooks(place, scope) / "memoria.json": _json({"hooks": hooks})}


def _copilot_files(
    place: ClientPlace, scope: Scope, program: ClientProgram, wish: HookWish
) -> dict[Path, str]:
    """Write Copilot CLI's hooks; each line names its event, as the client tells it to no hook."""
    key = "powershell" if place.is_windows else "bash"
    lines = _lines("copilot", _COPILOT_EVENTS, place, program, wish, says_event=True)
    hooks = {
        event: [{"type": "command", key: line, "timeoutSec": _limit(event, wish)}]
        for event, line in lines
    }
    path = _copilot_hooks(place, scope) / "memoria-copilot.json"
    return {path: _json({"version": 1, "hooks": hooks})}


def _copilot_hooks(place: ClientPlace, scope: Scope) -> Path:
    """Return the folder of hooks that VS Code and Copilot CLI both read."""
    user = place.folder("COPILOT_HOME", ".copilot") / "hooks"
    return user if scope == "user" else place.project / ".github" / "hooks"


def _goose_files(
    place: ClientPlace, scope: Scope, program: ClientProgram, wish: HookWish
) -> dict[Path, str]:
    base = place.home if scope == "user" else place.project
    folder = base / ".agents" / "plugins" / "memoria"
    hooks = {
        event: [{"hooks": [{"type": "command", "command": line, "timeout": _limit(event, wish)}]}]
        for event, line in _lines("goose", _GOOSE_EVENTS, place, program, wish)
    }
    about = {
        "name": "memoria",
        "version": "1.0.0",
        "description": _MARK.format(client="goose"),
    }
    return {
        folder / "plugin.json": _json(about),
        folder / "hooks" / "hooks.json": _json({"hooks": hooks}),
    }


def _cline_files(
    place: ClientPlace, scope: Scope, program: ClientProgram, wish: HookWish
) -> dict[Path, str]:
    if place.is_windows:  # Cline runs no hooks there
        return {}
    user = place.home / "Documents" / "Cline" / "Hooks"
    folder = user if scope == "user" else place.project / ".clinerules" / "hooks"
    return {
        folder / event: f"#!/bin/sh\n# {_MARK.format(client='cline')}\nexec {line}\n"
        for event, line in _lines("cline", _CLINE_EVENTS, place, program, wish)
    }


def _opencode_files(
    place: ClientPlace, scope: Scope, program: ClientProgram, wish: HookWish
) -> dict[Path, str]:
    folder = opencode_folder(place) if scope == "user" else place.project / ".opencode"
    return _plugin("opencode", folder, program, wish)


def _kilo_files(
    place: ClientPlace, scope: Scope, program: ClientProgram, wish: HookWish
) -> dict[Path, str]:
    folder = kilo_folder(place) if scope == "user" else place.project / ".kilo"
    return _plugin("kilo", folder, program, wish)


def _plugin(client: str, folder: Path, program: ClientProgram, wish: HookWish) -> dict[Path, str]:
    """Write the plugin for OpenCode, and for Kilo, which was made from it."""
    text = _fill_plugin("opencode_plugin.js", client, program, wish)
    return {folder / "plugins" / "memoria.js": text}


def _openclaw_files(
    place: ClientPlace, scope: Scope, program: ClientProgram, wish: HookWish
) -> dict[Path, str]:
    if scope == "project":
        return {}
    folder = openclaw_folder(place) / "extensions" / "memoria"
    about = {"id": "memoria", "name": "Memoria", "description": _MARK.format(client="openclaw")}
    schema = {"type": "object", "additionalProperties": False}
    package = {"name": "memoria", "version": "1.0.0", "type": "module"}
    own = {**package, "description": about["description"]}
    return {
        folder / "openclaw.plugin.json": _json(
            {**about, "activation": {"onStartup": True}, "configSchema": schema}
        ),
        folder / "package.json": _json({**own, "openclaw": {"extensions": ["./index.js"]}}),
        folder / "index.js": _fill_plugin("openclaw_plugin.js", "openclaw", program, wish),
    }


def _fill_plugin(body: str, client: str, program: ClientProgram, wish: HookWish) -> str:
    """Write a plugin's text, with what it starts."""
    folder = resources.files("memoria.connectors.clients")
    text = "".join(folder.joinpath(name).read_text("utf-8") for name in ("plugin_head.js", body))
    for name, value in {
        "__MARK__": _MARK.format(client=client),
        "__COMMAND__": json.dumps(program.hook_words(client), ensure_ascii=False),
        "__RECALL__": json.dumps(wish.recall),
    }.items():
        text = text.replace(name, value)
    return text


def openclaw_folder(place: ClientPlace) -> Path:
    """Return the folder of OpenClaw's settings and plugins."""
    return place.folder("OPENCLAW_STATE_DIR", ".openclaw")


def opencode_folder(place: ClientPlace) -> Path:
    """Return the folder of OpenCode's settings and plugins."""
    given = place.environment.get("OPENCODE_CONFIG_DIR")
    return Path(given).expanduser() if given else place.dot_config / "opencode"


def kilo_folder(place: ClientPlace) -> Path:
    """Return the folder of Kilo's settings and plugins."""
    given = place.environment.get("KILO_CONFIG_DIR")
    return Path(given).expanduser() if given else place.dot_config / "kilo"


def _lines(
    client: str,
    events: tuple[str, ...],
    place: ClientPlace,
    program: ClientProgram,
    wish: HookWish,
    *,
    says_event: bool = False,
) -> list[tuple[str, str]]:
    return [
        (
            event,
            program.hook_line(
                client,
                recall=wish.recall and event in _PROMPTS,
                windows=place.is_windows,
                event=event if says_event else "",
            ),
        )
        for event in events
    ]


def _limit(event: str, wish: HookWish) -> int:
    return SECONDS * RECALL_FACTOR if wish.recall and event in _PROMPTS else SECONDS


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


COPILOT_HOOKS = HookFiles(write=_copilot_files, events=_COPILOT_EVENTS)
KILO_HOOKS = HookFiles(write=_kilo_files, events=_OPENCODE_EVENTS)
OPENCLAW_HOOKS = HookFiles(
    write=_openclaw_files,
    events=_OPENCLAW_EVENTS,
    grant_at=("plugins", "entries", "memoria"),
    grant={"enabled": True, "hooks": {"allowConversationAccess": True}},
    scopes=("user",),
)
OPENCODE_HOOKS = HookFiles(write=_opencode_files, events=_OPENCODE_EVENTS)
CLINE_HOOKS = HookFiles(write=_cline_files, events=_CLINE_EVENTS)
# From public documents; not tried with the clients themselves.
VSCODE_HOOKS = HookFiles(write=_vscode_files, events=_VSCODE_EVENTS)
GOOSE_HOOKS = HookFiles(write=_goose_files, events=_GOOSE_EVENTS)


def is_our_file(text: str) -> bool:
    """Check whether `connect` wrote the whole of a file."""
    plain = text.replace("\\\\", "/").replace("\\", "/")
    return "Written by `memoria connect" in text or "memoria/surface/hook/__main__.py" in plain


def words_of(line: str) -> list[str]:
    """Split a shell's line into words, as far as one can tell."""
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


_RESTART = "Restart {title}: it reads its configuration when it starts."
_OWN_PATHS = (
    "The project's file names programs of this machine by their full path. Whoever shares the "
    "project runs `memoria connect` for themselves; leave the file out of "
    "version control, or say so."
)
NO_HOOKS = "It has no hooks of ours: the agent records a conversation when it is told to."
_PASTED = (
    "“Memoria is my memory across sessions. Call search_memory before you answer whatever refers "
    "to something earlier, to me, my people, rules or decisions; call remember when I state "
    "something lasting; call record_conversation before a session ends.”"
)


def name_files(
    user: Callable[[ClientPlace], Path], project: tuple[str, ...] | None = None
) -> ScopeFiles:
    """Return a function to the user's file, or to the project's below its folder."""

    def choose(place: ClientPlace, scope: Scope) -> Path | None:
        if scope == "user":
            return user(place)
        return place.project.joinpath(*project) if project else None

    return choose


def name_project_file(*place_in_project: str) -> ScopeFiles:
    """Return a function to a file of the project's, where the user has none."""

    def choose(place: ClientPlace, scope: Scope) -> Path | None:
        return None if scope == "user" else place.project.joinpath(*place_in_project)

    return choose


def tell_rest(
    *lines: str, restart: str = "", project: tuple[str, ...] = ()
) -> Callable[[Scope], tuple[str, ...]]:
    """Return a function that lists what a person must still do, with more for a project's files."""
    first = (_RESTART.format(title=restart),) if restart else ()

    def choose(scope: Scope) -> tuple[str, ...]:
        return (*first, *lines, *((*project, _OWN_PATHS) if scope == "project" else ()))

    return choose


CLAUDE_EVENTS = {
    "SessionStart": SECONDS,
    "UserPromptSubmit": SECONDS,
    "PostToolUse": SECONDS,
    "Stop": SECONDS,
    "PreCompact": SECONDS,
    "SessionEnd": SESSION_END_SECONDS,
}
"""Claude Code's events, which Codex has under the same names."""


def write_plain_entry(program: ClientProgram) -> dict[str, Any]:
    """Write the entry as most clients want it."""
    return {"command": program.command, "args": program.arguments}


def ask_to_paste(where: str) -> tuple[str, str]:
    """Tell what a person does where a client has neither hooks nor a file for rules of ours."""
    return (
        NO_HOOKS,
        f"So that the agent knows when to use the tools, paste this into {where}: {_PASTED}",
    )


_RULES_MARK = (
    "<!-- Written by `memoria connect {name}`; `memoria disconnect {name}` removes it. -->"
)
_RULES_TEXT = "surface/mcp/texts/instructions.md"


def write_rules(client: Client, scope: Scope, place: ClientPlace) -> dict[Path, str]:
    """Map the path of a client's rules to their text; empty where the client needs none."""
    path = client.rules(place, scope) if client.rules else None
    if path is None:
        return {}
    text = resources.files("memoria").joinpath(_RULES_TEXT).read_text("utf-8")
    return {path: f"{client.rules_head}{_RULES_MARK.format(name=client.name)}\n\n{text}"}


def is_rules(client: Client, path: Path, scope: Scope, place: ClientPlace) -> bool:
    """Check whether a file is the one of a client's rules."""
    return client.rules is not None and client.rules(place, scope) == path
