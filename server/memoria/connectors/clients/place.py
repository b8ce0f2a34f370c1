"""Places of programs' configuration on this machine."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from memoria.errors import ClientError

Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPlace:
    """A user on a machine, in a project."""

    home: Path
    project: Path
    """The folder that holds `.git`, from here upwards; without one, the folder here."""
    environment: Mapping[str, str]
    platform: str
    """Platform as `sys.platform` has it."""

    @classmethod
    def here(cls) -> Self:
        """Return the place of this user, in this folder.

        Raises:
            ClientError: nobody knows which folder is the user's.
        """
        try:
            home = Path.home()
        except RuntimeError as error:
            raise ClientError("This user has no home folder: HOME is not set.") from error
        folder = Path.cwd()
        project = next(
            (one for one in (folder, *folder.parents) if (one / ".git").exists()), folder
        )
        return cls(home=home, project=project, environment=os.environ, platform=sys.platform)

    def folder(self, variable: str, *default: str) -> Path:
        """Return the folder that a variable of the environment names; else one below the user's."""
        given = self.environment.get(variable)
        return Path(given).expanduser() if given else self.home.joinpath(*default)

    @property
    def is_windows(self) -> bool:
        """True if paths and shells are those of Windows."""
        return self.platform == "win32"

    @property
    def dot_config(self) -> Path:
        """Folder of command line programs' settings."""
        return self.folder("XDG_CONFIG_HOME", ".config")

    @property
    def app_data(self) -> Path:
        """Folder of settings of programs with windows."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.is_windows:
            return self.folder("APPDATA", "AppData", "Roaming")
        return self.dot_config

    @property
    def ledger(self) -> Path:
        """File that lists what was written into other programs' files.

        It belongs to the user on this machine and not to a home, which may move or go.
        """
        if self.platform == "darwin":
            folder = self.app_data / "memoria"
        elif self.is_windows:
            folder = self.folder("LOCALAPPDATA", "AppData", "Local") / "memoria"
        else:
            folder = self.folder("XDG_STATE_HOME", ".local", "state") / "memoria"
        return folder / "connections.json"
