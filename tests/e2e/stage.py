"""A home of its own for a client, a model that stands in, and conversations with both."""

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.install import Installed, node_folders
from tests.e2e.program import Program
from tests.e2e.stand_in.dialect import strings
from tests.e2e.stand_in.script import Asked, Script
from tests.e2e.stand_in.server import StandIn, stand_in

_LONGEST_S = 240
"""So long only a run that hangs takes."""

_ENDING_S = 40
"""In which everything a client has started must have ended after it."""


@dataclass(frozen=True)
class Conversation:
    """A headless run of a client, from its first prompt to its end."""

    took_s: float
    output: str
    errors: str
    turns: list[Asked]
    """What its model was asked, in order: at least one question."""

    def text(self, turn: int = 0) -> str:
        """All words of a question to the model."""
        return "\n".join(strings(self.turns[turn].body))


class Stage:
    """One home: client and memory have used nothing else before."""

    def __init__(self, installed: Installed, home: Path, model: StandIn) -> None:
        self.installed, self.client, self.home = installed, installed.client, home
        self.project = self.folder("project")
        self.model = model
        self._programs: list[str] = []
        self.client.prepare(home, model.url)

    @property
    def environment(self) -> dict[str, str]:
        """All that a client or a command has of one."""
        return {
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "PATH": os.pathsep.join([*self._programs, *node_folders(), *_SYSTEM_PATH]),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            **self._no_network,
            **self.client.environment(self.home, self.model.url),
            **{name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ},
        }

    @property
    def _no_network(self) -> dict[str, str]:
        """Whatever is not on loopback is asked of the stand-in, which refuses it."""
        url = self.model.url
        return {"HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": "127.0.0.1,localhost"}

    @property
    def refused(self) -> list[str]:
        """Hosts elsewhere that the client asked for."""
        return self.model.refused

    def add_to_path(self, *programs: tuple[str, Path]) -> None:
        """Have the shell find programs, each by its name, in a folder of this home."""
        folder = self.home / "bin"
        folder.mkdir()
        for name, program in programs:
            (folder / name).symlink_to(program)
        self._programs.append(str(folder))

    def run_job(self, line: str) -> None:
        """Run a line of a crontab as cron does: with next to nothing in its environment.

        Raises:
            RuntimeError: it failed.
        """
        told = self.client.environment(self.home, self.model.url)
        poor = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh"}
        Program("cron", ("/bin/sh", "-c")).run(
            {**poor, **self._no_network, **told}, self.home, line
        )

    def run_client(self, arguments: Sequence[str]) -> None:
        """Have the client do something that is no conversation.

        Raises:
            RuntimeError: it failed.
        """
        Program(self.client.program, (str(self.installed.program),)).run(
            self.environment, self.project, *arguments
        )

    def processes(self) -> list[str]:
        """What still runs in this home after it has been given time to end (Linux alone tells)."""
        until = time.monotonic() + _ENDING_S
        while (left := list(_running(self.home))) and time.monotonic() < until:
            time.sleep(0.1)
        return left

    def waiting(self) -> list[str]:
        """What hooks have said and nobody has taken in."""
        return [str(path) for path in (self.home / ".memoria").rglob("spool/[!.]*.json")]

    def folder(self, name: str) -> Path:
        """A project, a repository of its own."""
        place = self.home / "src" / name
        if not place.exists():
            place.mkdir(parents=True)
            subprocess.run(["git", "init", "-q"], cwd=place, check=True)  # noqa: S607
        return place

    def talk(
        self, prompt: str, script: Script, *, folder: Path | None = None, resumed: bool = False
    ) -> Conversation:
        """One prompt; the model says what the script has it say.

        Raises:
            RuntimeError: the model was asked nothing.
        """
        self.model.begin(script)
        said = self.client.resume(prompt) if resumed else self.client.arguments(prompt)
        began = time.monotonic()
        done = subprocess.run(  # noqa: S603  (the client)
            [str(self.installed.program), *said],
            env=self.environment,
            cwd=folder or self.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LONGEST_S,
            check=False,
        )
        took = time.monotonic() - began
        if not self.model.turns:
            said = f"{done.stdout[-600:]}{done.stderr[-600:]}"
            raise RuntimeError(f"the model was asked nothing: exit {done.returncode}: {said}")
        return Conversation(took, done.stdout, done.stderr, self.model.turns)


def _running(home: Path) -> Iterator[str]:
    """The command lines of all processes whose HOME it is."""
    mark = f"HOME={home}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                yield (process / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
        except OSError:  # it has ended meanwhile, or is somebody else's
            continue


_SYSTEM_PATH = [
    folder for folder in os.environ.get("PATH", "").split(os.pathsep) if ".venv" not in folder
]


@contextmanager
def stage(installed: Installed) -> Iterator[Stage]:
    """A home that is removed in the end, with its stand-in."""
    with (
        TemporaryDirectory(prefix="memoria-e2e-", ignore_cleanup_errors=True) as folder,
        stand_in(installed.client.dialect) as model,
    ):
        yield Stage(installed, Path(folder).resolve(), model)
