"""Names that other programs give a command, and what to type here instead."""

from collections.abc import Sequence

_FORGET = "memoria forget ID, for good; memoria revise ID archive, to have it back when you like"
_CORRECT = 'memoria revise ID correct "…"'
_REMEMBER, _SEARCH, _SHOW = 'memoria remember "…"', 'memoria search "…"', "memoria show ID"
_PROJECTS, _CONNECT = "memoria workspace list", "memoria connect"
_HELD = "memoria stats, memoria doctor or memoria connect --status"

SYNONYMS = {
    **dict.fromkeys(("delete", "remove", "rm", "erase"), _FORGET),
    **dict.fromkeys(("edit", "update", "change", "correct"), _CORRECT),
    **dict.fromkeys(("add", "save", "store", "note"), _REMEMBER),
    **dict.fromkeys(("find", "ask", "query", "recall"), _SEARCH),
    **dict.fromkeys(("get", "view", "cat"), _SHOW),
    **dict.fromkeys(("projects", "project", "workspaces"), _PROJECTS),
    **dict.fromkeys(("install", "setup", "init"), _CONNECT),
    **dict.fromkeys(("list projects", "list workspaces"), _PROJECTS),
    "ls": "memoria list",
    "uninstall": "memoria disconnect",
    "settings": "memoria config",
    "status": _HELD,
    "version": "memoria --version",
    "config get": "memoria config --all",
    "config show": "memoria config",
    "private status": "memoria private",
}
"""Advice by what is typed elsewhere. A command of ours must not be in it."""


def name_command(line: Sequence[str]) -> str | None:
    """Name the command that a line means, with what is typed instead; None for any other line."""
    for words in (" ".join(line[:2]), " ".join(line[:1])):
        if words in SYNONYMS:
            return f"There is no `memoria {words}`. Type: {SYNONYMS[words]}"
    return None
