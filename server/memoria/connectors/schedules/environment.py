"""The settings of this shell that a job takes along. A key is never written into a job."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.language.secrets.redact import holds_a_key
from memoria.settings_file import list_key_variables

_PREFIX = "MEMORIA_"
_IN_THE_COMMAND = ("home", "tenant", "workspace")
"""Settings given as options of the command; maintenance is of all workspaces."""


@dataclass(frozen=True, slots=True)
class CapturedEnvironment:
    """Environment of the job: what is carried over, and the names of keys, which are not."""

    carried: Mapping[str, str]
    keys: tuple[str, ...]


def capture_environment(settings: Settings, environment: Mapping[str, str]) -> CapturedEnvironment:
    """Split the settings of an environment into what a job may hold and what it may not.

    Args:
        settings: as they were loaded from that environment.
        environment: the shell's variables.

    Raises:
        InvalidInputError: a value that would have to go along holds a key.
    """
    names = [name for name in Settings.model_fields if name not in _IN_THE_COMMAND]
    named = {name: value for name in names if (value := environment.get(_variable(name)))}
    keys = [name for name in named if isinstance(getattr(settings, name), SecretStr)]
    carried = {_variable(name): value for name, value in named.items() if name not in keys}
    for name, value in carried.items():
        if holds_a_key(value):
            raise InvalidInputError(_KEY_FOUND.format(name=name))
    if settings.llm_command:
        carried["PATH"] = _folders(environment.get("PATH", os.defpath))
    of_file = list_key_variables(str(settings.home_path), Settings)
    return CapturedEnvironment(carried, (*map(_variable, keys), *of_file))


_KEY_FOUND = (
    "{name} seems to hold a key or password, and a job is a file that others may read. Nothing was "
    "installed. Let the program read its key itself, from a file or a keyring, or install with "
    "{name} unset."
)


def _variable(name: str) -> str:
    return _PREFIX + name.upper()


def _folders(path: str) -> str:
    """List the folders of a PATH, each once: a command of the user's may need them."""
    folders = dict.fromkeys(folder for folder in path.split(os.pathsep) if Path(folder).is_dir())
    return os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
