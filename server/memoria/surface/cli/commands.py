"""The commands by name: what `memoria --help` says of each, and the module that has it.

A module of commands is imported when one of them is named. So `memoria --help` needs none of
them, and a command pays for itself alone. A test compares the lines with the commands' own help.
"""

import sys
from collections.abc import Iterator, MutableMapping
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from memoria.bare.collector import pause_collector
from memoria.surface.cli.former import name_command, rename_former

UsageError: Any = typer.BadParameter.__mro__[1]
"""Error that Typer raises for a misspelt command, under a name of our own: Typer exports none."""
_HELP = "help"


class Verb(NamedTuple):
    """A command in the list of commands: its module and its line of help."""

    module: str
    line: str


FIRST = {
    "demo": Verb(
        "serving",
        "Show what Memoria does: a bundled conversation, a real client, a temporary home.",
    ),
    "connect": Verb(
        "connect",
        "Wire Memoria into a client: show the change, ask, write it, say what remains to be done.",
    ),
    "import": Verb(
        "importing",
        "Import conversations, memories and notes; the command can be repeated or stopped half "
        "way.",
    ),
    "remember": Verb(
        "memory", "Store a statement as a memory. It counts as said by you, the user."
    ),
    "search": Verb(
        "memory", "Search memories (first level): conclusions, a line each, with their source."
    ),
    "traces": Verb(
        "memory", "Search the record (second level): what was said and done, word for word."
    ),
    "list": Verb(
        "browsing",
        "List memories, newest first, and quotes of yours; or sessions, tasks, or what was "
        "forgotten.",
    ),
    "show": Verb(
        "showing",
        "Show a memory, a turn, a session, a proof or a night by its id, or what is known of a "
        "name.",
    ),
    "revise": Verb(
        "memory",
        "Correct, confirm, archive, pin or vote on a memory, scope it; say that two names are one.",
    ),
    "review": Verb(
        "browsing",
        "List what waits for your word: memories to confirm, contradictions, quotes, and "
        "namesakes.",
    ),
    "undo": Verb("undoing", "Take back a change, a forget or a night, after it was shown to you."),
    "forget": Verb(
        "forgetting",
        "Erase for good (backups keep it) what ids or options select, and never learn it again.",
    ),
    "private": Verb(
        "workspace",
        "Keep nothing of this project's sessions until it is switched off; searching works.",
    ),
    "doctor": Verb("upkeep", "Check the home, and name the cure for whatever is wrong."),
}
"""Commands that people need first, in the order of the list."""
REST = {
    "disconnect": Verb(
        "connect", "Take out of a client's files what `connect` wrote, and nothing else."
    ),
    "context": Verb(
        "context",
        "Show what an agent is told unasked; with words, what a framework would put before a "
        "model.",
    ),
    "workspace": Verb(
        "workspace",
        "List the projects; say where one moved to; have two remember as one, or apart.",
    ),
    "model": Verb(
        "model", "Show who reads conversations for you, and who on this machine could; choose one."
    ),
    "nightly": Verb(
        "nightly",
        "Run maintenance: merge duplicates, archive faded memories, refresh the core files.",
    ),
    "skills": Verb(
        "skills",
        "List skills: tasks that were done three times, as drafts, kept or withdrawn; keep one.",
    ),
    "export": Verb(
        "exporting",
        "Write what the memory holds into a file that is yours: JSON Lines, or Markdown.",
    ),
    "backup": Verb(
        "upkeep", "Write a backup of the home and verify it, while clients go on using the home."
    ),
    "restore": Verb("upkeep", "Replace the home with a backup; the former home is kept beside it."),
    "migrate": Verb(
        "moving",
        "Copy the whole memory into an empty PostgreSQL database, or from there into a home.",
    ),
    "encrypt": Verb(
        "encryption", "Encrypt the home with its backups, under a key that you keep; or decrypt it."
    ),
    "stats": Verb("upkeep", "Show how much this tenant's memory holds."),
    "value": Verb(
        "value", "Compare sessions in which memory was silent with those in which it spoke."
    ),
    "config": Verb(
        "config", "Show which settings hold and why; set one in the home's settings file."
    ),
    "log": Verb(
        "log",
        "Show who did what to the memory and when, newest first, and which calls were refused.",
    ),
    "token": Verb(
        "token",
        "List the tokens by which this memory is reached over HTTP; create one, or revoke one.",
    ),
    "webhook": Verb(
        "webhook",
        "List the addresses to which a server over HTTP sends events; add, try or remove one.",
    ),
    "ui": Verb(
        "viewing",
        "Open the viewer in a browser: what agents are told, and why; what the memory holds.",
    ),
    "serve": Verb(
        "serving",
        "Run the MCP server: on standard input and output, as a client starts it, or over HTTP.",
    ),
}
"""All other commands, in the order of the list."""
PANELS = {"What people need first": FIRST, "Everything else": REST}
VERBS = FIRST | REST
_PANEL_OF = {name: panel for panel, verbs in PANELS.items() for name in verbs}


class CommandTable(MutableMapping[str, Any]):
    """The commands by name. Looking one up imports it; counting and listing import nothing."""

    def __init__(self) -> None:
        self._commands: dict[str, Any] = dict.fromkeys(VERBS)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  (Typer's own class)
        if self._commands[name] is None:
            with pause_collector():  # it would look through all that is loaded time and again
                module = import_module(f"memoria.surface.cli.{VERBS[name].module}")
                self._commands.update(typer.main.get_group(module.app).commands)
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
        """List the names, in the order of the list."""
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002  (Typer's own)
        """Return enough of a command to list it: its name and its line."""
        verb = VERBS.get(cmd_name)
        if verb is None:
            return None
        return TyperCommand(cmd_name, help=verb.line, rich_help_panel=_PANEL_OF[cmd_name])

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401  (Typer's own)
        """Write the options of `memoria`, and the list of its commands."""
        make_help_readable(self, ctx)
        super().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401  (Typer's own)
        """Import the command that was typed; return its name, itself and the words behind it."""
        name, *rest = rename_former(args, tells=not ctx.resilient_parsing)
        if name == _HELP:
            if not rest:
                sys.stdout.write(f"{ctx.get_help()}\n")
                raise typer.Exit
            name, *rest = [*rest, "--help"]
        if meant := name_command([name, *rest]):
            raise UsageError(meant, ctx)
        if name in self.commands:
            command = self.commands[name]
            if hasattr(command, "commands") or {"-h", "--help"} & set(rest):
                make_all_help_readable(command, ctx)
            return name, command, rest
        return super().resolve_command(ctx, [name, *rest])


_WORDS = {"str": "text", "int": "number", "float": "number", "Path": "path", "bool": ""}
"""Words for an option's value in the help, by its type; a switch has none."""
_STYLES = {
    "STYLE_OPTION": "bold",
    "STYLE_SWITCH": "bold",
    "STYLE_NEGATIVE_OPTION": "bold",
    "STYLE_NEGATIVE_SWITCH": "bold",
    "STYLE_TYPES": "dim",
    "STYLE_USAGE": "bold",
    "STYLE_HELPTEXT": "",
    "STYLE_OPTION_ENVVAR": "dim",
    "STYLE_REQUIRED_LONG": "red",
    "STYLE_COMMANDS_TABLE_FIRST_COLUMN": "bold",
}
"""Styles instead of Typer's: its yellow and cyan vanish on a light background, its red is dim."""


def make_help_readable(command: Any, context: Any) -> None:  # noqa: ANN401  (Typer's own classes)
    """Change a command's help so that values are named in words and no name is broken.

    Typer writes all values that an option can have into a narrow column, without a space: they are
    cut anywhere. They belong to the sentence about the option.
    """
    from typer import rich_utils  # noqa: PLC0415  (slow, and for help alone)

    for name, style in _STYLES.items():
        setattr(rich_utils, name, style)
    command.help = _join_paragraphs(command.help or "")
    for parameter in filter(None, (*command.params, command.get_help_option(context))):
        _describe_values(parameter)


def make_all_help_readable(command: Any, context: Any) -> None:  # noqa: ANN401  (as above)
    """Make the help of a command and of all its subcommands readable."""
    make_help_readable(command, context)
    for below in getattr(command, "commands", {}).values():
        make_all_help_readable(below, context)


def _join_paragraphs(text: str) -> str:
    """Join the lines of each paragraph of a help text, so that the terminal's width breaks it."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _describe_values(parameter: Any) -> None:  # noqa: ANN401  (as above)
    kind = parameter.type_descriptor
    word = parameter.metavar or ""
    if kind.is_choice:
        choices = ", ".join(str(getattr(one, "value", one)) for one in kind.choices or ())
        sentence = f"One of: {choices}."
        if sentence not in (parameter.help or ""):
            parameter.help = " ".join(filter(None, (parameter.help, sentence)))
        word = word or "name"
    elif not word:
        bare = parameter.bare_type().removeprefix("list[").removesuffix("]")
        word = _WORDS.get(bare, "text")
    is_argument = parameter.param_type_name == "argument"
    setattr(parameter, "display_type_rich", partial(_name_value, "" if is_argument else word))  # noqa: B010


def _name_value(word: str, *, ctx: object) -> str:  # noqa: ARG001  (Typer passes it)
    return word
