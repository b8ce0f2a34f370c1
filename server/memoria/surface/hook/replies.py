"""What a hook prints: a text for the model, in the form that its client takes, and fixed texts."""

from memoria.bare.plain_json import write_json

FAMILY = (
    "claude-code",
    "codex",
    "gemini",
    "vscode",
    "opencode",
    "kilo",
    "qwen",
    "droid",
    "openclaw",
)
"""Clients that take a text for the model in the form of Claude Code."""
_OTHER_KEYS = {"copilot": "additionalContext", "hermes": "context"}
"""Keys of a text for the model, by the client that has a form of its own."""
MOST_CHARS = 10_000
"""Length above which Claude Code shows only the beginning of a text."""
IS_RECORDED = (
    "<memoria>\n"
    "This session is recorded for you: do not call record_conversation in it.\n"
    "</memoria>\n"
)
IS_LEFT_OUT = (
    "<memoria>\nThe user wants nothing of what is said in this folder to be recorded: do not call "
    "record_conversation here.\n</memoria>\n"
)
GUIDE = (
    "<memoria>\n"
    "Memoria keeps what was said in earlier sessions. Before you ask the user for what they may "
    "have said already, call search_memory, one thing a query; search_conversation_traces has the "
    "words themselves.\n"
    "过往会话由 Memoria 记录：询问用户之前，先用 search_memory 检索，一次只问一件事。\n"
    "</memoria>"
)
"""Advice for an agent at the start of a session for which there is no briefing."""
NOT_REACHED = (
    "<memoria>\n"
    "The server that has the user's memory did not answer at the start of this session. What is "
    "said is recorded and sent later; if its tools fail, tell the user.\n"
    "</memoria>"
)
"""Note for an agent where a server elsewhere could not be asked."""
_FENCE_END = "\n</memoria>"


def make_reply(client: str, event: str, name: str, text: str) -> str:
    """Return the text that the hook prints.

    Args:
        client: who has started the hook.
        event: our name of the event.
        name: the client's own.
        text: what the model is to read; empty for nothing.
    """
    text = shorten(text)
    if client == "cline":
        reply: dict[str, object] = {"cancel": False}
        return write_json({**reply, "contextModification": text} if text else reply)
    if client == "cursor":
        if event == "prompt":
            return write_json({"continue": True})
        return write_json({"additional_context": text}) if text and event == "start" else "{}"
    if client in _OTHER_KEYS and text:
        return write_json({_OTHER_KEYS[client]: text})
    if client in FAMILY and text:
        return write_json(
            {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
        )
    return "{}" if client == "gemini" else ""


def shorten(text: str) -> str:
    """Shorten a text to what clients show: whole lines of it, with its fence closed."""
    if len(text) <= MOST_CHARS - 1:
        return text
    begin = text[: MOST_CHARS - len(_FENCE_END) - 1].rpartition("\n")[0]
    return begin + _FENCE_END if text.startswith("<memoria>") else begin
