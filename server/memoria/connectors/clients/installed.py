"""Findings in a client's own files: plugins of ours that are installed, and hooks that are skipped.

A plugin brings the same server and hooks as `connect` does. Both together do no harm, for what is
captured twice is one turn; but the tools are listed twice, and every hook runs twice.

Codex keeps in the user's configuration a digest of each hook that was trusted, under the file, the
event and the place of the hook in it. It skips every other hook without a word.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from memoria.connectors.clients.document import is_our_hook
from memoria.connectors.clients.interface import ClientPlace
from memoria.connectors.clients.syntax.interface import look_up

_NAME = "memoria"


def find_package(client: str, place: ClientPlace) -> str | None:
    """Name our plugin that is installed and switched on in a client; None if none is."""
    find = _FINDERS.get(client)
    return find(place) if find else None


def _find_claude_plugin(place: ClientPlace) -> str | None:
    """Find the plugin in the settings of the user and of the project; the last settings hold."""
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
    """Select our plugins, from plugins under names such as `memoria@marketplace`."""
    return [one for one in _list_events(plugins) if str(one[0]).partition("@")[0] == _NAME]


def _read(file: Path, parse: Callable[[str], Any]) -> dict[str, Any]:
    """Read a file; empty where the file can't be read, which `connect` reports."""
    try:
        content = parse(file.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


_INNER_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


# What lists hooks that are skipped is given what the user's configuration holds, the file that the
# hooks stand in, and the file's lists of hooks, by event.


def list_untrusted(config: Any, file: Path, hooks: Any) -> tuple[str, ...]:  # noqa: ANN401
    """List the events whose hook of ours Codex does not run, as it is now."""
    trusted = look_up(config, ("hooks", "state"))
    return tuple(
        event
        for event, groups in _list_events(hooks)
        for key, digest in _list_ours(file, event, groups)
        if look_up(trusted, (key, "trusted_hash")) != digest
    )


def list_overruled(_config: Any, file: Path, hooks: Any) -> tuple[str, ...]:  # noqa: ANN401
    """List the events whose hook of ours Droid does not run: of two files the newer decides."""
    newer = _read(file.with_name("hooks.json"), json.loads)  # Droid ignores a broken one as well
    return tuple(
        event
        for event, own in _list_events(hooks)
        if is_our_hook(own) and newer.get(event) and not is_our_hook(newer[event])
    )


def list_unapproved(_config: Any, file: Path, hooks: Any) -> tuple[str, ...]:  # noqa: ANN401
    """List the events whose hook of ours nobody has agreed to in Hermes Agent."""
    # Hermes Agent takes a broken list for an empty one, too.
    listed = _read(file.with_name("shell-hooks-allowlist.json"), json.loads).get("approvals")
    approved = {
        (one.get("event"), one.get("command"))
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict)
    }
    return tuple(
        event
        for event, own in _list_events(hooks)
        for hook in (own if isinstance(own, list) else ())
        if isinstance(hook, dict) and is_our_hook(hook)
        if (event, hook.get("command")) not in approved
    )


def _list_events(hooks: object) -> list[tuple[str, Any]]:
    return [*hooks.items()] if isinstance(hooks, dict) else []


def _list_ours(file: Path, event: str, groups: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Yield the keys and digests under which Codex knows our hooks of an event."""
    name = _INNER_CAPITAL.sub("_", event).lower()
    for number, group in enumerate(groups if isinstance(groups, list) else ()):
        inner = group.get("hooks") if isinstance(group, dict) else None
        for place, hook in enumerate(inner if isinstance(inner, list) else ()):
            if isinstance(hook, dict) and is_our_hook(hook):
                yield f"{file}:{name}:{number}:{place}", _digest(name, group, hook)


def _digest(name: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    one = {"event_name": name, **group, "hooks": [{"async": False, **hook}]}
    text = json.dumps(one, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
