"""Explanation of the settings that hold: by default, by the file, by the environment."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from memoria.bare.settings_file import find_line, settings_path
from memoria.config import Settings
from memoria.connectors.clients.syntax.toml_edit import write_value
from memoria.errors import InvalidInputError
from memoria.language.secrets.redact import holds_a_key
from memoria.settings_file import (
    NOT_IN_A_FILE,
    FileSettings,
    describe_former_variables,
    is_secret,
    read_settings_file,
    variable_of,
    without_other_places,
)

Source = Literal["default", "file", "environment"]
_HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """A setting: what it is, and what says so."""

    name: str
    value: str
    """Value as it is written; a key is hidden, and the empty text is none at all."""
    source: Source
    line: int | None = None
    """Line of the file, where that says something of it, whether it holds or not."""
    note: str = ""
    """Reason why the file's line does not hold."""


@dataclass(frozen=True, slots=True)
class SettingsInForce:
    """All settings of a home, and what is wrong with them."""

    file: str
    exists: bool
    settings: tuple[SettingInForce, ...]
    problems: tuple[str, ...]


def explain_settings(home: str) -> SettingsInForce:
    """Explain the settings in force for a home in this environment. None is refused: it is told."""
    environment = Settings.read_environment()
    try:
        filed = read_settings_file(home, Settings)
        conflicts = tuple(_find_conflicts(home))
    except InvalidInputError as error:
        filed, conflicts = FileSettings("", {}, (str(error),)), ()
    names = [name for name in Settings.model_fields if name not in NOT_IN_A_FILE]
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
    """Yield what keeps all of them from being used together."""
    try:
        Settings.load(home=home)
    except InvalidInputError as error:
        yield str(error)


def _show_value(name: str, value: object) -> str:
    text = value if isinstance(value, str) else write_value(value)
    return _HIDDEN if is_secret(Settings, name) or holds_a_key(text) else text


def _default(name: str) -> str:
    default = Settings.model_fields[name].default
    return "" if default is None else _show_value(name, default)


def describe_variable(setting: SettingInForce) -> str:
    """Say in words where a setting's value comes from."""
    match setting.source:
        case "environment":
            return variable_of(setting.name)
        case "file":
            return f"the file, line {setting.line}" if setting.line else "the file"
        case _:
            return "default"
