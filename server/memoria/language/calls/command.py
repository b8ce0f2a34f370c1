"""The shell line that a tool call ran."""

from memoria.bare.shell_line import Command, command_key, exact_key, read_command, read_commands
from memoria.bare.tool_calls import shell_text

__all__ = ["Command", "command_key", "exact_key", "read_command", "read_commands", "shell_text"]
