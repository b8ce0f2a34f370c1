"""Hooks that a client does not run: nobody trusts them, or another file overrules theirs.

Codex keeps in the user's configuration a digest of each hook that was trusted, under the file, the
event and the place of the hook in it. It skips every other hook without a word.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memoria.connectors.clients.document import is_our_hook
from memoria.connectors.clients.syntax.interface import look_up

_NEWER = "hooks.json"
_APPROVALS = "shell-hooks-allowlist.json"
_STATE = ("hooks", "state")
_INNER_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


def list_untrusted(config: Any, file: Path, hooks: Any) -> tuple[str, ...]:  # noqa: ANN401
    """List the events whose hook of ours Codex does not run, as it is now.

    Args:
        config: what the user's `config.toml` holds.
        file: the file that the hooks stand in.
        hooks: its lists of hooks, by event.
    """
    held = look_up(config, _STATE)
    trusted = held if isinstance(held, dict) else {}
    events = hooks.items() if isinstance(hooks, dict) else ()
    return tuple(
        event
        for event, groups in events
        for key, digest in _list_ours(file, event, groups)
        if look_up(trusted, (key, "trusted_hash")) != digest
    )


def list_overruled(_config: Any, file: Path, hooks: Any) -> tuple[str, ...]:  # noqa: ANN401
    """List the events whose hook of ours Droid does not run: of two files, the newer one decides.

    Args:
        _config: the servers; nothing of it matters here.
        file: the file that the hooks stand in.
        hooks: its lists of hooks, by event.
    """
    try:
        held = json.loads(file.with_name(_NEWER).read_text("utf-8"))
    except FileNotFoundError:
        return ()
    except ValueError:  # Droid ignores it as well
        return ()
    newer = held if isinstance(held, dict) else {}
    events = hooks.items() if isinstance(hooks, dict) else ()
    return tuple(
        event
        for event, own in events
        if is_our_hook(own) and newer.get(event) and not is_our_hook(newer[event])
    )


def list_unapproved(_config: Any, file: Path, hooks: Any) -> tuple[str, ...]:  # noqa: ANN401
    """List the events whose hook of ours nobody has agreed to in Hermes Agent.

    Args:
        _config: the user's settings; nothing else in them matters here.
        file: the file that the hooks stand in.
        hooks: its lists of hooks, by event.
    """
    try:
        held = json.loads(file.with_name(_APPROVALS).read_text("utf-8"))
    except (FileNotFoundError, ValueError):  # Hermes Agent takes a broken one for an empty one, too
        held = {}
    listed = held.get("approvals") if isinstance(held, dict) else ()
    approved = {
        (one.get("event"), one.get("command"))
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict)
    }
    events = hooks.items() if isinstance(hooks, dict) else ()
    return tuple(
        event
        for event, own in events
        for hook in (own if isinstance(own, list) else ())
        if isinstance(hook, dict) and is_our_hook(hook)
        if (event, hook.get("command")) not in approved
    )


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
