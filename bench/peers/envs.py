"""An environment for each server, from its registry: made once, used again where it is there."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_READY = "installed.json"
_LONGEST_S = 900
_PROBE = (
    "import sqlite3, sys, venv; sys.exit(not (sys.version_info[:2] >= ({major}, {minor}) and "
    "(not {extensions} or hasattr(sqlite3.connect(':memory:'), 'enable_load_extension'))))"
)


class NotInstalledError(Exception):
    """A server could not be installed, with what the installer said last."""


@dataclass(frozen=True, slots=True)
class Pip:
    """A Python package, in a venv."""

    requirement: str
    python: tuple[int, int] = (3, 11)
    """The oldest Python it runs on."""
    extensions: bool = False
    """Whether it needs a Python whose own `sqlite3` loads extensions."""

    def install(self, folder: Path, pythons: Sequence[str]) -> None:
        """Make the venv and install into it."""
        _run([self._chosen(pythons), "-m", "venv", str(folder)])
        _run([str(folder / "bin" / "pip"), "install", "--quiet", self.requirement])

    def _chosen(self, pythons: Sequence[str]) -> str:
        probe = _PROBE.format(
            major=self.python[0], minor=self.python[1], extensions=self.extensions
        )
        for python in pythons:
            # A Python named by the person at the keyboard, asked what it can do.
            done = subprocess.run([python, "-c", probe], check=False, capture_output=True)  # noqa: S603
            if done.returncode == 0:
                return python
        loading = " whose sqlite3 loads extensions" if self.extensions else ""
        raise NotInstalledError(
            f"it wants Python {self.python[0]}.{self.python[1]}{loading}; name one with --python"
        )


@dataclass(frozen=True, slots=True)
class Npm:
    """A Node package, in a folder with its own node_modules."""

    requirement: str

    def install(self, folder: Path, pythons: Sequence[str]) -> None:
        """Install into the folder."""
        del pythons
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n', "utf-8")
        _run(["npm", "install", "--no-audit", "--no-fund", self.requirement], folder)


Package = Pip | Npm


def environment(package: Package, under: Path, pythons: Sequence[str]) -> Path:
    """The folder the package is installed in: made when it is not there yet.

    Raises:
        NotInstalledError: it can't be installed here.
    """
    folder = under / "".join(c if c.isalnum() or c in ".-" else "-" for c in package.requirement)
    ready = folder / _READY
    if not ready.is_file():
        sys.stderr.write(f"Installing {package.requirement}; this is done once.\n")
        shutil.rmtree(folder, ignore_errors=True)
        package.install(folder, pythons)
        ready.write_text(json.dumps({"requirement": package.requirement}), "utf-8")
    return folder


def usual_pythons() -> list[str]:
    """Pythons to try where none is named: this one, then what the path has."""
    named = (f"python3.{minor}" for minor in (14, 13, 12, 11))
    found = (shutil.which(name) for name in (*named, "python3"))
    system = Path("/usr/bin/python3")
    return [sys.executable, *(f for f in found if f), *([str(system)] if system.exists() else [])]


def _run(command: Sequence[str], folder: Path | None = None) -> None:
    try:
        # The package managers' own commands, with the names this module was given.
        done = subprocess.run(  # noqa: S603
            command,
            cwd=folder,
            env={**os.environ, "npm_config_update_notifier": "false"},
            check=False,
            capture_output=True,
            text=True,
            timeout=_LONGEST_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotInstalledError(f"{command[0]} did not come to an end: {error}") from error
    if done.returncode:
        raise NotInstalledError(_last_error(done.stderr))


def _last_error(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if "error" in line.lower()]
    return lines[-1] if lines else said.strip()[-300:]
