"""The formats of transcripts that hooks read too, as sources of an import."""

from collections.abc import Callable

from memoria.connectors.sources.interface import ImportSource
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts import FORMATS
from memoria.connectors.transcripts.jsonl import OWN_FIELDS

_ROLES = ("user", "assistant", "tool", "system")
_CLAUDE_TYPES = (
    "user",
    "assistant",
    "summary",
    "file-history-snapshot",
    "system",
    "queue-operation",
)


def is_plain_turns(probe: Probe) -> bool:
    """Check for our own format, a turn a line; or for a file of lines that can't be read at all.

    Such a file has nothing by which it could be told, and this format names each line that is bad.
    """
    if probe.suffix == ".jsonl" and not probe.lines:
        return True
    return any(
        line.get("role") in _ROLES
        and "message" not in line
        and (not isinstance(line.get("content"), list) or line.keys() <= OWN_FIELDS)
        for line in probe.lines
    )


def is_claude_code(probe: Probe) -> bool:
    """Check for a session's file: lines have types, and messages that name their session."""
    return any(
        line.get("type") in _CLAUDE_TYPES
        and (has_fields(line, "sessionId") or has_fields(line, "leafUuid"))
        and "projectHash" not in line
        for line in probe.lines
    )


def is_codex(probe: Probe) -> bool:
    """Check for a rollout: each line has a time, a type and a payload."""
    return any(has_fields(line, "timestamp", "type", "payload") for line in probe.lines)


def is_gemini(probe: Probe) -> bool:
    """Check for a log of changes, or the one document that older versions wrote."""
    named = (*probe.lines, {item.key: item.value for item in probe.items if item.key})
    return any(has_fields(one, "sessionId", "projectHash") for one in named)


def is_copilot(probe: Probe) -> bool:
    """Check for a log of events: each has a type of two words, and what belongs to it."""
    return any(
        has_fields(line, "type", "data", "timestamp") and "." in str(line["type"])
        for line in probe.lines
    )


def is_cline(probe: Probe) -> bool:
    """Check for a session's messages in one document, with the agent whose they are."""
    named = {item.key for item in probe.items if item.key}
    return {"agent", "sessionId", "messages"} <= named


def is_droid(probe: Probe) -> bool:
    """A session's file, which begins with whose it is and where it is held."""
    return any(
        line.get("type") == "session_start" and has_fields(line, "id", "title")
        for line in probe.lines
    )


_TITLES: dict[str, tuple[str, Callable[[Probe], bool]]] = {
    "jsonl": ("JSON lines", is_plain_turns),
    "claude-code": ("Claude Code", is_claude_code),
    "codex": ("Codex", is_codex),
    "gemini": ("Gemini CLI", is_gemini),
    "copilot": ("GitHub Copilot CLI", is_copilot),
    "cline": ("Cline", is_cline),
    "droid": ("Droid", is_droid),
}


def _never(_probe: Probe) -> bool:
    return False


TRANSCRIPTS = tuple(
    ImportSource.of_transcripts(form, *_TITLES.get(form.name, (form.name, _never)))
    for form in FORMATS.values()
)
