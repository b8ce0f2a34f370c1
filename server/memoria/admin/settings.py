"""Settings of a home: explains which are in force and why, and changes the settings file.

A change is refused with a reason, or the file is written whole. Comments and the order of lines
stay.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memoria.bare.settings_file import SettingsFileError, find_line, parse, read_text, settings_path
from memoria.config import Settings
from memoria.config_database import hide_password
from memoria.connectors.clients.syntax.interface import newline_of
from memoria.connectors.clients.syntax.toml_edit import (
    TomlStatement,
    read_statements,
    skip_value,
    write_value,
)
from memoria.disk.folders import make_private
from memoria.disk.home_files import replace_file
from memoria.errors import InvalidInputError, StoreUnavailableError, shorten
from memoria.language.secrets.redact import holds_a_key
from memoria.settings_file import (
    FORMER_SETTINGS,
    KEY_IN_FILE,
    NOT_IN_A_FILE,
    VARIABLE_MARK,
    FileSettings,
    describe_former_variables,
    describe_unknown,
    find_faults,
    is_secret,
    read_settings_file,
    variable_of,
    without_other_places,
)

COMMENTS = {
    "time_zone": "Your time zone, such as Asia/Shanghai; by default this machine's.",
    "private_workspaces": "Projects that are seen from themselves alone.",
    "ignored_folders": "Folders of which nothing is kept, such as ~/diary.",
    "personal_data": "What becomes of personal data in memories: phone=mask,email=drop",
    "forget_grace_days": "Days in which what is forgotten can be put back; 0: erased at once.",
    "llm_command": "A program that reads conversations for you; `memoria model` finds one.",
    "llm_base_url": "Or an endpoint that does, such as http://127.0.0.1:11434/v1.",
    "llm_model": "The endpoint's model.",
    "llm_api_key": "The endpoint's key: the name of the variable that holds it, as $NAME.",
    "llm_daily_tokens": "Tokens that such a model may cost in a day.",
    "nightly_idle_minutes": "Idle minutes before a server does its nightly work; 0: never.",
    "core_file_tokens": "The size of each core file (MEMORY.md, USER.md, PERSONA.md) in tokens.",
    "backup_keep_days": "Days for which a backup is kept.",
}
_HEAD = """\
# Settings of this Memoria. A variable such as MEMORIA_TIME_ZONE wins over a line of this file.
# `memoria config` shows what holds and why; all settings: `memoria config --all`.
# Servers and commands read this file when they start.
"""
Source = Literal["default", "file", "environment"]
_HIDDEN = "(hidden)"
_KEEP_APART = (
    "Let the program read it itself, from a variable, a file or a keyring; a settings file is no "
    "place for one."
)


def new_file() -> str:
    """Write a settings file in which nothing is set."""
    return "\n".join([_HEAD, *_paragraphs()])


def comment_out(name: str) -> str:
    """Write a setting at its default, as a comment."""
    default = Settings.model_fields[name].default
    return f"# {name} = {write_value('' if default is None else default)}"


def _paragraphs() -> Iterator[str]:
    return (f"# {comment}\n{comment_out(name)}\n" for name, comment in COMMENTS.items())


def set_value(text: str, name: str, value: object) -> str:
    """Set a setting in a text: in its line, in place of its comment, or behind the others."""
    written = write_value(value)
    statement = _find(text, name)
    if statement is not None:
        end = skip_value(text, statement.value)
        return text[: statement.value] + written + text[end:]
    line = f"{name} = {written}{newline_of(text)}"
    lines = text.splitlines(keepends=True)
    for place, one in enumerate(lines):
        if _is_comment_of(one, name):
            return "".join([*lines[:place], line, *lines[place + 1 :]])
    return _append(text, line)


def unset_value(text: str, name: str) -> str:
    """Remove a setting from a text; a setting that people often need is left as a comment."""
    statement = _find(text, name)
    if statement is None:
        return text
    left = comment_out(name) + newline_of(text) if name in COMMENTS else ""
    return text[: statement.start] + left + text[statement.end :]


def _find(text: str, name: str) -> TomlStatement | None:
    return next((one for one in read_statements(text) if one.path == (name,)), None)


def _is_comment_of(line: str, name: str) -> bool:
    key, equals, _ = line.strip().removeprefix("#").partition("=")
    return line.startswith("#") and bool(equals) and key.strip() == name


def _append(text: str, line: str) -> str:
    """Add a line at the end, but before any table, whose lines belong to the table."""
    tables = (one.start for one in read_statements(text) if text[one.start] == "[")
    place = next(tables, len(text))
    before = text[:place]
    gap = newline_of(text) if before and not before.endswith("\n") else ""
    return before + gap + line + text[place:]


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """A setting with its value, and what has set it."""

    name: str
    value: str
    """Value as written in the file; a key is hidden, and an empty text means no value."""
    source: Source
    line: int | None = None
    """Number of the setting's line in the file, in force or not; None without a line."""
    note: str = ""
    """Reason why the file's line is not in force."""


@dataclass(frozen=True, slots=True)
class SettingsInForce:
    """All settings of a home, and what is wrong with them."""

    file: str
    exists: bool
    settings: tuple[SettingInForce, ...]
    problems: tuple[str, ...]


def explain_settings(home: str) -> SettingsInForce:
    """Explain the settings in force for a home in this environment, and problems with them."""
    environment = Settings.read_environment()
    try:
        filed = read_settings_file(home, Settings)
        conflicts = tuple(_find_conflicts(home))
    except InvalidInputError as error:
        filed, conflicts = FileSettings("", {}, (str(error),)), ()
    names = [name for name in Settings.model_fields if name not in NOT_IN_A_FILE]
    names += [name for name in ("database_url",) if name in environment]
    return SettingsInForce(
        file=settings_path(home),
        exists=os.path.lexists(settings_path(home)),
        settings=tuple(_explain_all(names, environment, filed)),
        problems=(*filed.problems, *describe_former_variables(Settings), *conflicts),
    )


def _explain_all(
    names: list[str], environment: Mapping[str, str], filed: FileSettings
) -> Iterator[SettingInForce]:
    held = without_other_places(filed.values, environment)
    for name in names:
        line = find_line(filed.text, name)
        if name in environment:
            note = f"line {line} of the file does not hold: the environment wins" if line else ""
            yield SettingInForce(
                name, _show_value(name, environment[name]), "environment", line, note
            )
        elif name in held:
            yield SettingInForce(name, _show_value(name, held[name]), "file", line)
        else:
            yield SettingInForce(name, _default(name), "default", line, _why_not(name, line, filed))


def _why_not(name: str, line: int | None, filed: FileSettings) -> str:
    if line is None:
        return ""
    if name in filed.values:
        return f"line {line} of the file does not hold: the environment names another model"
    return f"line {line} of the file can't be used"


def _find_conflicts(home: str) -> Iterator[str]:
    """Yield the error, if the settings can't be used together."""
    try:
        Settings.load(home=home)
    except InvalidInputError as error:
        yield str(error)


def _show_value(name: str, value: object) -> str:
    text = value if isinstance(value, str) else write_value(value)
    if name == "database_url":
        return _show_database(text)
    return _HIDDEN if is_secret(Settings, name) or holds_a_key(text) else text


def _show_database(url: str) -> str:
    try:
        return hide_password(url)
    except ValueError:
        return _HIDDEN


def _default(name: str) -> str:
    default = Settings.model_fields[name].default
    return "" if default is None else _show_value(name, default)


def describe_variable(setting: SettingInForce) -> str:
    """Describe in words where a setting's value comes from."""
    match setting.source:
        case "environment":
            return variable_of(setting.name)
        case "file":
            return f"the file, line {setting.line}" if setting.line else "the file"
        case _:
            return "default"


def change_settings(home: Path, changes: Mapping[str, str | None]) -> Path:
    """Write settings into the home's settings file; create the file if there is none.

    Args:
        home: the data folder.
        changes: what each is to be, as it is typed; None, or an empty text, for no longer set.

    Returns:
        The file.

    Raises:
        InvalidInputError: there is no such setting, it can't be that, or together they can't be.
        StoreUnavailableError: the file can't be written.
    """
    changes = {name: given or None for name, given in changes.items()}
    for name, given in changes.items():
        _check(name, given)
    folder = str(home)
    file = Path(settings_path(folder))
    try:
        before = read_text(folder)
        parse(folder, before)  # an edit needs a text that has a meaning
        after = _apply(before or new_file(), changes)
        _check_together(parse(folder, after))
    except SettingsFileError as error:
        raise InvalidInputError(f"{error}. Mend the file first.") from error
    try:
        make_private(home)
        is_written = replace_file(file, after.encode(), lambda: read_text(folder) == before)
    except OSError as error:
        raise StoreUnavailableError.from_system(error) from error
    if not is_written:
        raise InvalidInputError(f"{file} was changed at this very moment. Say it again.")
    return file


def _check(name: str, given: str | None) -> None:
    """Check that a setting exists and may have the given value.

    Raises:
        InvalidInputError: it can't.
    """
    if name in NOT_IN_A_FILE:
        raise InvalidInputError(f"{name}: give it with {NOT_IN_A_FILE[name]}; a file can't say it.")
    if given is None and name in FORMER_SETTINGS:
        return  # a line that says nothing any more
    if name not in Settings.model_fields:
        raise InvalidInputError(f"{shorten(name)}: {describe_unknown(Settings, name)}")
    if given is None:
        return
    if is_secret(Settings, name):
        if not given.removeprefix(VARIABLE_MARK).isidentifier() or given[:1] != VARIABLE_MARK:
            raise InvalidInputError(f"{name}: {KEY_IN_FILE}")
        return
    if holds_a_key(given):
        raise InvalidInputError(f"{name}: this holds a key. {_KEEP_APART}")
    if fault := find_faults(Settings, {name: given}).get(name):
        raise InvalidInputError(f"{name}: {fault}. {_describe(name)}")


def _describe(name: str) -> str:
    default = Settings.model_fields[name].default
    return f"Its default is {default!r}." if default is not None else "By default it is not set."


def _apply(text: str, changes: Mapping[str, str | None]) -> str:
    for name, given in changes.items():
        if given is None:
            text = unset_value(text, name)
        else:
            text = set_value(text, name, _read(name, given))
    return text


def _read(name: str, given: str) -> object:
    """Convert what was typed to the file's form: numbers and booleans, lists, else text."""
    if is_secret(Settings, name):
        return given
    try:
        meant = getattr(Settings(**{name: given}), name)
    except InvalidInputError:  # it does not stand alone, which is looked at with the others
        return given.strip()
    if isinstance(meant, bool | int | float):
        return meant
    is_list = isinstance(meant, tuple) and all(isinstance(one, str) for one in meant)
    return list(map(str, meant)) if is_list else given.strip()


def _check_together(values: Mapping[str, object]) -> None:
    """Check that a file's settings go together; settings wrong by themselves are left out."""
    known = {name: value for name, value in values.items() if name in Settings.model_fields}
    faults = find_faults(Settings, known)
    Settings(**{name: value for name, value in known.items() if name not in faults and value != ""})
