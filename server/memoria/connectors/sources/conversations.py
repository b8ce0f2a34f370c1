"""The formats of transcripts that hooks read too, as sources of an import."""

from collections.abc import Callable

from memoria.connectors.sources.interface import ImportSource
from memoria.connectors.sources.probe import Probe, has_fields
from memoria.connectors.transcripts import FORMATS
from memoria.connectors.transcripts.jsonl import OWN_FIELDS
from memoria.connectors.transcripts.source import JsonObject

_ROLES = ("user", "assistant", "tool", "system")
_COPILOT_FIELDS = ("type", "data", "timestamp")
_CLAUDE_TYPES = (
    "user",
    "assistant",
    "summary",
    "file-history-snapshot",
    "system",
    "queue-operation",
)


_Recogniser = Callable[[Probe], bool]


def _is_plain_turns(probe: Probe) -> bool:
    """Check for our own format, a turn a line; or for a file without a readable line.

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


def _is_claude_code(line: JsonObject) -> bool:
    """Check for a line with a type, and with a message or a summary of a session."""
    is_of_session = has_fields(line, "sessionId") or has_fields(line, "leafUuid")
    return line.get("type") in _CLAUDE_TYPES and is_of_session and "projectHash" not in line


def _is_gemini(probe: Probe) -> bool:
    """Check for a log of changes, or the one document that older versions wrote."""
    named = (*probe.lines, {item.key: item.value for item in probe.items if item.key})
    return any(has_fields(one, "sessionId", "projectHash") for one in named)


def _with_line(holds: Callable[[JsonObject], bool]) -> _Recogniser:
    """Return the check for a file with a line that holds something."""
    return lambda probe: any(map(holds, probe.lines))


_TITLES: dict[str, tuple[str, _Recogniser]] = {
    "jsonl": ("JSON lines", _is_plain_turns),
    "claude-code": ("Claude Code", _with_line(_is_claude_code)),
    "codex": ("Codex", _with_line(lambda line: has_fields(line, "timestamp", "type", "payload"))),
    "gemini": ("Gemini CLI", _is_gemini),
    "copilot": (
        "GitHub Copilot CLI",  # whose events have types of two words
        _with_line(lambda one: has_fields(one, *_COPILOT_FIELDS) and "." in str(one["type"])),
    ),
    "cline": ("Cline", lambda probe: probe.keys >= {"agent", "sessionId", "messages"}),
    "droid": (
        "Droid",
        _with_line(
            lambda one: one.get("type") == "session_start" and has_fields(one, "id", "title")
        ),
    ),
}


TRANSCRIPTS = tuple(
    ImportSource.of_transcripts(form, *_TITLES.get(form.name, (form.name, lambda _: False)))
    for form in FORMATS.values()
)
