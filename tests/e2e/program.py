"""Which Memoria a run uses: this checkout's, or that of another one."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LONGEST_S = 300
_SCRIPT = """\
#!{python}
import sys

sys.path.insert(0, {server!r})
from {module} import {function}

sys.exit({function}())
"""


@dataclass(frozen=True)
class Program:
    """A server's command, and how a table calls it."""

    name: str
    command: tuple[str, ...]

    def run(self, environment: Mapping[str, str], folder: Path, *arguments: str) -> str:
        """What a command says on standard output.

        Raises:
            RuntimeError: it failed.
        """
        done = subprocess.run(  # noqa: S603  (our own program)
            [*self.command, *arguments],
            env=dict(environment),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=_LONGEST_S,
            check=False,
        )
        if done.returncode:
            said = f"{done.stdout[-600:]}{done.stderr[-600:]}"
            command = " ".join([Path(self.command[-1]).name, *arguments])
            raise RuntimeError(f"{command}: exit {done.returncode}: {said}")
        return done.stdout


def this_program() -> Program:
    """The console script of this installation."""
    suffix = ".exe" if os.name == "nt" else ""
    return Program("this one", (str(Path(sys.executable).with_name(f"memoria{suffix}")),))


def older_program(checkout: Path, folder: Path) -> Program:
    """The console script that an installation of another checkout would have."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, function = project["scripts"]["memoria"].partition(":")
    server = str((checkout / "server").absolute())
    script = folder / "older-memoria"
    text = _SCRIPT.format(python=sys.executable, server=server, module=module, function=function)
    script.write_text(text, "utf-8")
    script.chmod(0o755)
    return Program("older", (sys.executable, str(script)))


def idle_program() -> Program:
    """A server that has nothing to load."""
    script = Path(__file__).with_name("idle_server.py")
    return Program("idle", (sys.executable, "-I", "-S", str(script)))


def command_line(program: Program, arguments: Sequence[str] = ("serve",)) -> list[str]:
    """What a client's entry says."""
    return [*program.command, *arguments]
