"""Plugins and extensions of ours that are installed in a client.

Each brings the same server and hooks as `connect` does. Both together do no harm, for what
is captured twice is one turn; but the tools are listed twice, and every hook runs twice.
"""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memoria.connectors.clients.place import ClientPlace

_NAME = "memoria"


def find_package(client: str, place: ClientPlace) -> str | None:
    """Return what is installed and switched on, and which file says so; None if nothing is."""
    find = _FINDERS.get(client)
    return find(place) if find else None


def _find_claude_plugin(place: ClientPlace) -> str | None:
    """Find it in the settings of the user, of the project, or of both; what is said last holds."""
    user = place.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
    project = place.project / ".claude"
    files = (user, project / "settings.json", project / "settings.local.json")
    found: dict[str, tuple[bool, Path]] = {}
    for file in files:
        for plugin, is_on in _ours(_read(file, json.loads).get("enabledPlugins")):
            found[plugin] = (is_on is True, file)
    return next((_plugin(name, file) for name, (is_on, file) in found.items() if is_on), None)


def _find_codex_plugin(place: ClientPlace) -> str | None:
    file = place.folder("CODEX_HOME", ".codex") / "config.toml"
    plugins = _ours(_read(file, tomllib.loads).get("plugins"))
    on = [
        name for name, one in plugins if isinstance(one, dict) and one.get("enabled") is not False
    ]
    return _plugin(on[0], file) if on else None


def _find_gemini_extension(place: ClientPlace) -> str | None:
    folder = place.folder("GEMINI_CLI_HOME") / ".gemini" / "extensions" / _NAME
    is_there = (folder / "gemini-extension.json").is_file()
    return f"the extension in {folder}" if is_there else None


def _plugin(name: str, file: Path) -> str:
    return f"the plugin {name}, which {file} switches on"


_FINDERS: Mapping[str, Callable[[ClientPlace], str | None]] = {
    "claude-code": _find_claude_plugin,
    "codex": _find_codex_plugin,
    "gemini": _find_gemini_extension,
}
"""Finders by client. Cursor and Claude Desktop note in no known place what is installed."""


def _ours(plugins: object) -> list[tuple[str, Any]]:
    """Select our plugins, from plugins under their names with their marketplaces'."""
    items = plugins.items() if isinstance(plugins, dict) else ()
    return [(name, value) for name, value in items if str(name).partition("@")[0] == _NAME]


def _read(file: Path, parse: Callable[[str], Any]) -> dict[str, Any]:
    """Read a file; empty where it can't be read, which is for `connect` to say."""
    try:
        content = parse(file.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
