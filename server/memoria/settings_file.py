"""Reading of a home's settings file: its usable values, and the problems of all others.

A setting that can't be used is named with its line and leaves its default in force. A fault in a
setting that keeps something private is an error: nothing of the file is used.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from pydantic import BaseModel, SecretStr, ValidationError

from memoria.bare.project_registry import RegistryError
from memoria.bare.projects import add_moved
from memoria.bare.settings_file import SettingsFileError, describe_place, parse, read_text
from memoria.errors import InvalidInputError, shorten

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

NOT_IN_A_FILE = {
    "database_url": "MEMORIA_DATABASE_URL",
    "home": "--home or MEMORIA_HOME",
    "homes": "MEMORIA_HOMES",
    "open_homes": "MEMORIA_OPEN_HOMES",
    "tenant": "--tenant or MEMORIA_TENANT",
    "workspace": "--workspace or MEMORIA_WORKSPACE",
}
"""Settings that a home's file can't have, each with how it is given where Memoria is started."""
VARIABLE_MARK = "$"
"""First sign of a key in the file; the rest names the variable that holds the key."""
FORMER_SETTINGS = {
    "busy_timeout_ms": "a process waits 10 s for another one that writes on and on",
    "embedder_wait_ms": "a search waits 3 s for a model that is loading, a command up to a minute",
    "embedding_attempts": "a text that can't be embedded is tried 5 times",
    "embedding_batch": "32 texts are embedded at a time",
    "embedding_timeout_s": "an endpoint has 20 s for a request",
    "extraction_attempts": "llm_attempts says how often a segment is read, too",
    "lease_ms": "a lease outlives a process that died by 30 s",
    "max_turn_bytes": "a turn may have 5,242,880 bytes",
    "read_connections": "a process reads over three connections",
    "search_helpers": "`memoria serve --http --workers N` serves a crowd from several processes",
    "search_without": "leave a source out of one search with `memoria search --without`",
    "segment_idle_minutes": "a segment ends after a pause of 30 minutes",
    "segment_messages": "a segment has 30 messages at most",
    "short_term_turns": "a context package shows 6 turns, unless its caller asks for others",
    "store_url": "a home is a folder, and `home` names it",
}
"""Settings that were removed, each with what holds instead."""
_GUARDS = ("ignored_folders", "private_workspaces", "personal_data")
"""Settings that keep something from being stored or shown; a fault in any of them is an error."""
_TOGETHER = (
    (("llm_command", "llm_base_url"), ("llm_model", "llm_api_key")),
    (("embedding_base_url",), ("embedding_model", "embedding_api_key")),
    (("rerank_base_url",), ("rerank_model", "rerank_api_key")),
)
"""Settings that name a model's address, and those that belong to the address, such as its key."""


@dataclass(frozen=True, slots=True)
class FileSettings:
    """Values and faults of a settings file."""

    text: str
    values: Mapping[str, object]
    """Usable values, by the settings' names."""
    problems: tuple[str, ...]
    """Sentences on settings that can't be used, each with the file and the line."""


def read_settings_file(home: str, settings: type[BaseModel]) -> FileSettings:
    """Read the settings file of a home; the result is empty where there is none.

    Args:
        home: the data folder's path.
        settings: the class of all settings.

    Raises:
        InvalidInputError: the file can't be read, or a setting that keeps something private is
            faulty.
    """
    try:
        text = read_text(home)
        found = parse(home, text) if text else {}
    except SettingsFileError as error:
        raise InvalidInputError(f"{error}. Mend the file, or take it away.") from error
    reading = _Reading(home, text, settings)
    return FileSettings(text, reading.choose(found), tuple(reading.problems))


def list_problems(home: str, settings: type[BaseModel]) -> tuple[str, ...]:
    """List the problems of a home's settings file and of the environment, a sentence each.

    Raises:
        InvalidInputError: the file can't be read, or a setting that keeps something private is
            faulty.
    """
    return (*read_settings_file(home, settings).problems, *describe_former_variables(settings))


def describe_former_variables(settings: type[BaseModel]) -> Iterator[str]:
    """Yield a sentence on each environment variable that names a removed setting."""
    for name in FORMER_SETTINGS:
        if os.environ.get(variable_of(name)):
            yield f"{variable_of(name)}: {describe_unknown(settings, name)}"


def without_other_places(
    values: Mapping[str, object], stronger: Mapping[str, object]
) -> dict[str, object]:
    """Return the file's values without those of a model whose address is named elsewhere."""
    left = dict(values)
    for places, belongings in _TOGETHER:
        if any(place in stronger for place in places):
            for name in (*places, *belongings):
                left.pop(name, None)
    return left


def find_faults(settings: type[BaseModel], values: Mapping[str, object]) -> dict[str, str]:
    """Map the names of values that are faulty by themselves to their faults."""
    try:
        settings(**values)
    except InvalidInputError as error:
        cause = error.__cause__
        if not isinstance(cause, ValidationError):
            raise
        return {
            str(one["loc"][0]): one["msg"].removeprefix("Value error, ")
            for one in cause.errors(include_input=False)
            if one["loc"]
        }
    return {}


def read_key(named: str) -> str | None:
    """Return the key in the variable that the file names as `$NAME`; None if it is not set."""
    return os.environ.get(named.removeprefix(VARIABLE_MARK))


def list_key_variables(home: str, settings: type[BaseModel]) -> list[str]:
    """List the environment variables from which a home's settings file takes API keys."""
    try:
        found = parse(home, read_text(home))
    except SettingsFileError:
        return []
    keys = [found.get(name) for name in settings.model_fields if is_secret(settings, name)]
    named = [key for key in keys if isinstance(key, str) and key.startswith(VARIABLE_MARK)]
    return [key.removeprefix(VARIABLE_MARK) for key in named]


def is_secret(settings: type[BaseModel], name: str) -> bool:
    """Check whether a setting is a key."""
    return settings.model_fields[name].annotation == SecretStr | None


def variable_of(name: str) -> str:
    """Return the name of the environment variable for a setting."""
    return f"MEMORIA_{name}".upper()


def describe_error(error: ValidationError) -> str:
    """Describe a pydantic error in sentences that name the setting, without echoing its value."""
    problems = "; ".join(
        f"{_name_place(item['loc'])}: {_describe_problem(item)}"
        for item in error.errors(include_input=False)
    )
    return f"{problems}. Mend the setting and start again."


def _describe_problem(item: "ErrorDetails") -> str:
    if item["type"] == "extra_forbidden" and (now := FORMER_SETTINGS.get(str(item["loc"][0]))):
        return f"this is no setting any more: {now}"
    return item["msg"].removeprefix("Value error, ")


def _name_place(place: tuple[int | str, ...]) -> str:
    return shorten(variable_of(str(place[0]))) if place else "settings"


class _Reading:
    """Reads one settings file, and collects its problems."""

    def __init__(self, home: str, text: str, settings: type[BaseModel]) -> None:
        self._home = home
        self._text = text
        self._settings = settings
        self.problems: list[str] = []

    def choose(self, found: Mapping[str, object]) -> dict[str, object]:
        """Return the values that can be used."""
        known = dict(self._read_known(found))
        faults = find_faults(self._settings, known)
        for name, fault in faults.items():
            self._note(name, f"{fault}. Until it is mended its default holds.")
            if name in _GUARDS:
                raise InvalidInputError(
                    f"{self._place(name)}: {fault}. Mend it first: it says what is to be kept from "
                    "others."
                )
        return {name: value for name, value in known.items() if name not in faults}

    def _read_known(self, found: Mapping[str, object]) -> Iterator[tuple[str, object]]:
        for name, value in found.items():
            if value == "":
                continue  # as in the environment: not set
            if name in NOT_IN_A_FILE:
                self._note(name, f"give it with {NOT_IN_A_FILE[name]}; a file can't say it.")
            elif name not in self._settings.model_fields:
                self._note(name, describe_unknown(self._settings, name))
            elif is_secret(self._settings, name):
                if key := self._read_key(name, value):
                    yield name, key
            else:
                yield name, value

    def _read_key(self, name: str, value: object) -> str | None:
        """Return a key from the variable that the file names; None if that is not possible."""
        if not isinstance(value, str) or not value.startswith(VARIABLE_MARK):
            self._note(name, KEY_IN_FILE)
            return None
        key = read_key(value)
        if not key:
            variable = shorten(value.removeprefix(VARIABLE_MARK))
            self._note(name, f"there is no variable {variable} in this environment.")
        return key

    def _note(self, name: str, problem: str) -> None:
        self.problems.append(f"{self._place(name)}: {problem}")

    def _place(self, name: str) -> str:
        return describe_place(self._home, self._text, shorten(name))


KEY_IN_FILE = (
    'a key does not belong into a file. Write the name of the variable that holds it, as "$NAME", '
    "and take the key out. From a keyring, set the variable where Memoria is started: export "
    'NAME="$(keyring get memoria NAME)".'
)


def describe_unknown(settings: type[BaseModel], name: str) -> str:
    """Return the message for an unknown or removed setting, with a similar name if there is one."""
    if now := FORMER_SETTINGS.get(name):
        return f"this is no setting any more, and is ignored: {now}."
    near = get_close_matches(name.lower().removeprefix("memoria_"), settings.model_fields, 1)
    meant = f"Is `{near[0]}` meant? " if near else ""
    return f"there is no such setting. {meant}`memoria config --all` lists them."


def name_private(home: str, given: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of private projects, each given by its name or by a folder.

    Raises:
        InvalidInputError: the home's file of projects can't be read.
    """
    try:
        return add_moved(home, given)
    except RegistryError as error:
        raise InvalidInputError(
            f"{error}. It says where private projects have moved to: move it away, and name the "
            "folders where they are now in private_workspaces."
        ) from error
