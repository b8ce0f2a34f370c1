"""Commands that start this installation: the server by a client, the hook program by its hooks."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from memoria.bare.home import find_home
from memoria.config import Settings
from memoria.settings_file import is_secret, list_key_variables

_IF_THERE = (
    "import os, sys; f = sys.argv.pop(1); "
    "os.path.exists(f) and exec(open(f).read(), dict(__file__=f))"
)
"""Starter of a program that may be gone. Python ends with 2 without the script, and to clients 2
means that a hook forbids what it was asked about: without Memoria no prompt would pass."""
_OPTIONS = ("HOME", "TENANT", "WORKSPACE")
"""Settings given as options of the command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientProgram:
    """Program that a client starts, with the options that lead to one home and tenant."""

    command: str
    """The console script, in full."""
    python: str
    hook_script: str
    options: tuple[str, ...] = ()
    plain_variables: tuple[str, ...] = ()
    """Settings that are set in this shell, but for keys: their names."""
    key_variables: tuple[str, ...] = ()
    """Keys that are set in this shell: their names."""

    @classmethod
    def here(
        cls,
        home: str | None,
        tenant: str | None,
        workspace: str | None,
        environment: Mapping[str, str] = os.environ,
    ) -> Self:
        """Return this very installation.

        A home or tenant that only the environment names is given as an option, too: a client is
        started elsewhere and sees another environment.
        """
        home = home or environment.get("MEMORIA_HOME")
        tenant = tenant or environment.get("MEMORIA_TENANT")
        given = {
            "--home": str(Path(home).expanduser().absolute()) if home else None,
            "--tenant": tenant,
            "--workspace": workspace,
        }
        options = [word for name, value in given.items() if value for word in (name, value)]
        names = {f"MEMORIA_{name.upper()}": name for name in Settings.model_fields}
        seen = [name for name in names if environment.get(name)]
        keys = tuple(name for name in seen if is_secret(Settings, names[name]))
        return cls(
            command=find_program(),
            python=sys.executable,
            hook_script=str(Path(__file__).parents[2] / "surface" / "hook" / "__main__.py"),
            options=tuple(options),
            plain_variables=tuple(
                one for one in seen if one not in keys and one[8:] not in _OPTIONS
            ),
            key_variables=(*keys, *_list_of_file(find_home(home), environment)),
        )

    @property
    def is_in_cache(self) -> bool:
        """True if this installation is one that `uvx` made for a while."""
        folders = Path(self.command).parts
        return any(part.startswith("archive-v") for part in folders) and "uv" in folders

    @property
    def arguments(self) -> list[str]:
        """Arguments of the console script to serve."""
        return [*self.options, "serve"]

    def hook_words(self, client: str, *, recall: bool = False, event: str = "") -> list[str]:
        """Return a client's hook program, word by word; with the event, if the client says none."""
        start = [self.python, "-I", "-S", "-c", _IF_THERE, self.hook_script, client, *self.options]
        return [*start, *(["--event", event] if event else []), *(["--recall"] if recall else [])]

    def hook_line(self, client: str, *, recall: bool, windows: bool, event: str = "") -> str:
        """Return a client's hook program, as a shell is given it."""
        words = self.hook_words(client, recall=recall, event=event)
        if not windows:
            return shlex.join(words)
        # Slashes, as some clients hand the line to Git's bash, some to cmd, some to PowerShell.
        # Not tried on Windows: a path with a blank in it is quoted, which PowerShell takes for a
        # text and not for a program.
        return " ".join(_quote_for_windows(word.replace("\\", "/")) for word in words)


def find_program() -> str:
    """Find the console script of this installation."""
    beside = shutil.which("memoria", path=str(Path(sys.executable).parent))
    return beside or shutil.which("memoria") or "memoria"


def _list_of_file(home: str, environment: Mapping[str, str]) -> list[str]:
    """List variables set in this shell that hold keys by the settings file."""
    return [name for name in list_key_variables(home, Settings) if environment.get(name)]


def _quote_for_windows(word: str) -> str:
    return word if word and not set(word) & set(" \t&()^;'`$%!") else f'"{word}"'
