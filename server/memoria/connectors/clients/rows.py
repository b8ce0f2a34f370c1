"""Building blocks for the rows of the table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memoria.connectors.clients.hook_forms import SECONDS, SESSION_END_SECONDS
from memoria.connectors.clients.interface import ScopeFiles
from memoria.connectors.clients.place import ClientPlace, Scope
from memoria.connectors.clients.program import ClientProgram

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
