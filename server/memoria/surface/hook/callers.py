"""Programs that start a hook: a file with hooks may be read by more than one.

VS Code's files are read by GitHub Copilot CLI and Copilot's other agents, Claude Code's by VS Code,
Copilot CLI and Cursor. What another program tells is not the client's that was connected, so
nothing of it is recorded and nothing is said to it.
"""

from memoria.surface.hook.payloads import Payload

_OWN_FIELDS = {
    "cursor": ("cursor_version",),
    "cline": ("clineVersion",),
    "windsurf": ("agent_action_name",),
}
"""Fields that only one client writes."""
_COPILOT_CLI = "copilot"
_COPILOT_TRANSCRIPT = "events.jsonl"
_CLAUDE_FOLDER = "projects"


def is_from(client: str, payload: Payload) -> bool:
    """Check whether a payload is one that this client writes, as far as can be told."""
    caller = _find_caller(payload)
    if caller:
        return caller == client
    if client == "vscode":  # Copilot CLI takes on its event names, but names no transcript with all
        return bool(payload.transcript) or payload.find("hookEventName") is not None
    if client == _COPILOT_CLI:  # VS Code reads its files, and says each event's name
        return not payload.text("hook_event_name", "hookEventName")
    if client == "claude-code":  # only VS Code and Copilot CLI, of those that read its files, date
        return payload.find("timestamp") is None or _is_claude_transcript(payload.transcript)
    return True


def _find_caller(payload: Payload) -> str:
    """Return the program that a payload names; empty, if it names none."""
    for client, fields in _OWN_FIELDS.items():
        if any(payload.find(field) is not None for field in fields):
            return client
    return _COPILOT_CLI if _parts(payload.transcript)[-1] == _COPILOT_TRANSCRIPT else ""


def _is_claude_transcript(path: str) -> bool:
    """Check whether a path ends as those of Claude Code do: a folder of its own a project."""
    return _CLAUDE_FOLDER in _parts(path)[-3:-2]


def _parts(path: str) -> list[str]:
    return path.replace("\\", "/").split("/")
