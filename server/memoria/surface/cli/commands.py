"""The commands by name: what `memoria --help` says of each, and the module that has it.

A module of commands is imported when one of them is named. So `memoria --help` needs none of
them, and a command pays for itself alone. A test compares the lines with the commands' own help.
"""

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_SERVING = {
    "serve": "Run the MCP server on standard input and output; a client's configuration starts it.",
    "demo": "Show what Memoria does: a bundled conversation, a real client, a temporary home.",
}
_CONNECT = {
    "connect": "Wire Memoria into a client: show the change, ask, write it, say what remains to be "
    "done.",
    "disconnect": "Take out of a client's files what `connect` wrote, and nothing else.",
}
_MEMORY = {
    "remember": "Store a statement as a memory. It counts as said by you, the user.",
    "search": "Search memories (first level): conclusions, a line each, with their source.",
    "traces": "Search the record (second level): what was said and done, word for word.",
    "revise": "Correct, confirm, archive, restore, pin, unpin, vote on or set the scope of a "
    "memory.",
    "scratchpad": "Show the tasks in hand and the last five finished tasks, by session.",
}
_CONTEXT = {
    "context": "Show what an agent is told unasked; with words, what a framework would put before "
    "a model.",
}
_BROWSING = {
    "list": "List memories page by page, the newest first, and below them quotes of yours.",
    "sessions": "List the recorded sessions page by page, the newest first.",
}
_FORGETTING = {
    "forget": "Erase for good (backups keep it) what ids or options select, and never learn it "
    "again.",
    "audit": "Show the proof of what was forgotten: what left which index, and no word of it.",
}
_UNDOING = {
    "undo": "Take back the last thing that you did to a memory, after it was shown to you.",
}
_ORIGINS = {
    "show": "Show a memory with its evidence, a turn with what was drawn from it, or a session's "
    "turns.",
    "history": "Show the history of a memory: every wording, all evidence, and who did what to it.",
    "graph": "Show what is known of a person, place or thing: the memories and turns that name it.",
    "review": "List what waits for your word: memories to confirm, contradictions, quotes, and "
    "namesakes.",
}
_PRIVATE = {
    "private": "Keep nothing of this project's sessions until it is switched off; searching works.",
}
_WORKSPACE = {
    "workspace": "List the projects; say where one moved to; have two remember as one, or apart.",
}
_IMPORTING = {
    "import": "Import conversations, memories and notes; the command can be repeated or stopped "
    "half way.",
}
_EXPORTING = {
    "export": "Write what the memory holds into a file that is yours: JSON Lines, or Markdown.",
}
_UPKEEP = {
    "doctor": "Check the home, and name the cure for whatever is wrong.",
    "stats": "Show how much this tenant's memory holds.",
    "backup": "Write a backup of the home and verify it, while clients go on using the home.",
    "restore": "Replace the home with a backup; the former home is kept beside it.",
}
_QUEUE = {"queue": "Manage the extraction queue: segments that a chat model has still to read."}
_NIGHTLY = {
    "nightly": "Run maintenance: merge duplicates, archive faded memories, refresh the core files."
}
_SCHEDULE = {
    "schedule": "Have cron, systemd, launchd or Task Scheduler run nightly maintenance.",
}
_CONFIG = {
    "config": "Show which settings hold and why; set one in the home's settings file.",
}
_MODEL = {
    "model": "Show who reads conversations for you, and who on this machine could; choose one.",
}
MODULES = {
    "serving": _SERVING,
    "connect": _CONNECT,
    "memory": _MEMORY,
    "context": _CONTEXT,
    "browsing": _BROWSING,
    "undoing": _UNDOING,
    "forgetting": _FORGETTING,
    "origins": _ORIGINS,
    "private": _PRIVATE,
    "workspace": _WORKSPACE,
    "importing": _IMPORTING,
    "exporting": _EXPORTING,
    "upkeep": _UPKEEP,
    "queue": _QUEUE,
    "nightly": _NIGHTLY,
    "schedule": _SCHEDULE,
    "model": _MODEL,
    "config": _CONFIG,
}
"""The lines of each module's commands."""
LINES = {name: line for lines in MODULES.values() for name, line in lines.items()}
"""What the list of commands says of each, in the order of the list."""
_MODULE_OF = {name: module for module, lines in MODULES.items() for name in lines}


class CommandTable(MutableMapping[str, Any]):
    """The commands by name. Looking one up imports it; counting and listing import nothing."""

    def __init__(self) -> None:
        self._commands: dict[str, Any] = dict.fromkeys(LINES)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  (Typer's own class)
        if self._commands[name] is None:
            module = import_module(f"memoria.surface.cli.{_MODULE_OF[name]}")
            own = typer.Typer()
            module.add_commands(own)
            self._commands.update(typer.main.get_group(own).commands)
        return self._commands[name]

    def __setitem__(self, name: str, command: object) -> None:
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self._commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    def __len__(self) -> int:
        return len(self._commands)


class LazyGroup(TyperGroup):
    """A group of commands of which only the one that is named is imported."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401  (Typer's own)
        super().__init__(**attributes)
        self.commands = CommandTable()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002  (Typer's own)
        """The names, in the order of the list."""
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002  (Typer's own)
        """Enough of a command to list it: its name and its line."""
        line = LINES.get(cmd_name)
        return None if line is None else TyperCommand(cmd_name, help=line)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401  (Typer's own)
        """The list of the commands, and the options before them."""
        from memoria.surface.cli.help import make_help_readable  # noqa: PLC0415  (for help alone)

        make_help_readable(self, ctx)
        super().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401  (Typer's own)
        """The command that was named, imported, and what comes after its name."""
        name, *rest = args
        if name in self.commands:
            command = self.commands[name]
            if hasattr(command, "commands") or {"-h", "--help"} & set(rest):
                from memoria.surface.cli.help import make_all_help_readable  # noqa: PLC0415  (slow)

                make_all_help_readable(command, ctx)
            return name, command, rest
        return super().resolve_command(ctx, args)
