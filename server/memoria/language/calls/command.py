"""The shell line that a tool call ran."""

from pydantic import JsonValue

from memoria.bare.shell_line import Command, command_key, exact_key, read_command, read_commands

__all__ = ["Command", "command_key", "exact_key", "read_command", "read_commands", "shell_text"]

_COMMAND_FIELDS = ("command", "cmd", "CommandLine", "command_line", "script")
_SHELL_NAMES = (
    "bash shell exec terminal run_command run_in_terminal execute_command runcommand run_shell"
    " local_shell powershell execute cmd unified_exec command"
).split()
_OTHER_NAMES = ("edit", "write", "read", "browser", "mcp__", "str_replace")
_SHELL_FLAGS = frozenset(("-c", "-lc", "-ic", "-lic", "/c", "-Command"))


def shell_text(tool_name: str | None, args: JsonValue) -> str | None:
    """Return the shell line that a call ran; None for a call that ran none."""
    if isinstance(args, str):
        return args if args and _is_shell(tool_name) else None
    if not isinstance(args, dict):
        return None
    for field in _COMMAND_FIELDS:
        told = args.get(field)
        if isinstance(told, str) and told.strip():
            return told if _is_shell(tool_name) else None
        if isinstance(told, list) and told and all(isinstance(word, str) for word in told):
            return _join_words([str(word) for word in told])
    return None


def _is_shell(tool_name: str | None) -> bool:
    name = (tool_name or "").lower()
    if any(part in name for part in _OTHER_NAMES):
        return False
    return any(part in name for part in _SHELL_NAMES)


def _join_words(words: list[str]) -> str:
    """Write a list of words as a line: `bash -lc LINE` as the line alone."""
    if len(words) > 2 and words[-2] in _SHELL_FLAGS:  # noqa: PLR2004  # a shell, a flag, a line
        return words[-1]
    return " ".join(
        word
        if word and not any(c in word for c in " \t\n'\"|&;<>()$")
        else "'" + word.replace("'", "'\\''") + "'"
        for word in words
    )
