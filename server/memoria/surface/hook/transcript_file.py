"""Places of clients' transcripts of the sessions that events belong to.

Some clients name the file with each event. Copilot CLI names it with some, and Cline with none:
theirs follow from the session's id.
"""

import os

from memoria.surface.hook.payloads import Payload

_NAMED_BY_CLIENTS = ("claude-code", "codex", "gemini", "droid")
TRANSCRIPT_CLIENTS = (*_NAMED_BY_CLIENTS, "copilot")
"""Clients whose transcripts are read: of a session of theirs that has none, nothing is recorded."""


def find_transcript(client: str, payload: Payload) -> str:
    """Find the file of the session; empty where there is none that could be read."""
    if client in _NAMED_BY_CLIENTS:
        return payload.transcript
    session = payload.session
    if not session or session != os.path.basename(session):
        return ""
    if client == "copilot":
        folder = _find_folder("COPILOT_HOME", ".copilot")
        file = os.path.join(folder, "session-state", session, "events.jsonl")
        return payload.transcript or file
    if client == "cline" and payload.text("rootSessionId"):
        folder = _find_folder("CLINE_DIR", ".cline")
        return os.path.join(folder, "data", "sessions", session, f"{session}.messages.json")
    return ""


def _find_folder(variable: str, name: str) -> str:
    return os.environ.get(variable) or os.path.join(os.path.expanduser("~"), name)
