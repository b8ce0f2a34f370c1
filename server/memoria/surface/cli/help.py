"""The help of a command as a person reads it: whole words, colours for any background."""

from functools import partial
from typing import Any

_WORDS = {"str": "text", "int": "number", "float": "number", "Path": "path", "bool": ""}
"""Words beside an option, by the type of its value; a switch takes none."""
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
    """Let the help of a command name values in words, and break no name.

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
    """Make the help of a command and of all below it readable."""
    make_help_readable(command, context)
    for below in getattr(command, "commands", {}).values():
        make_all_help_readable(below, context)


def _join_paragraphs(text: str) -> str:
    """Join the lines of a help text's paragraphs, which then break where the terminal ends."""
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
