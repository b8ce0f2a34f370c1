"""Where an attack takes place: a home of its own, the faces of the program, and what was seen."""

import json
import logging
import os
import shlex
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio.to_thread
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation

from bench.attack.caller import Caller
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.surface.mcp.server import build_server

PROCESS_S = 60.0
"""What takes longer hangs."""
ROOT = Path(__file__).resolve().parents[2]
_SHOWN = 300
NOTHING: Mapping[str, str] = {}
_TELLS_ITS_PID = (
    "import os, sys; open(sys.argv[1], 'w').write(str(os.getpid()));"
    "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)


class SkippedError(Exception):
    """An attack can't be tried here; the message says why."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did."""

    code: int | None
    """None where it hung and was killed."""
    out: str
    err: str

    @property
    def text(self) -> str:
        """All that was printed."""
        return self.out + self.err

    @property
    def document(self) -> Any:  # noqa: ANN401  (whatever the command prints)
        """What `--json` printed."""
        return json.loads(self.out)


class Arena:
    """What an attack is given. It tells the arena what it sees; the arena keeps the account."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.temporary = folder / "tmp"
        """The only place for temporary files that a process is told of."""
        self.temporary.mkdir()
        self.checks = 0
        self.broken: list[str] = []
        self.notes: dict[str, int | float] = {}
        self._log = _Log()

    def check(self, held: bool, seen: str) -> bool:
        """Note whether a promise held; if not, what was seen instead."""
        self.checks += 1
        if not held:
            self.broken.append(seen if len(seen) <= _SHOWN else f"{seen[:_SHOWN]}…")
        return held

    def note(self, what: str, figure: float) -> None:
        """Keep a figure for the report."""
        self.notes[what] = figure

    @asynccontextmanager
    async def connect(
        self,
        tenant: str = "default",
        *,
        client: str = "attacker",
        **more: Any,  # noqa: ANN401  (settings)
    ) -> AsyncIterator[Caller]:
        """A real MCP client of the real server, both in this process.

        Args:
            tenant: whose memory.
            client: the name the client gives itself.
            more: settings of the server; `elicitation_callback` for the client's user.
        """
        options = {key: more.pop(key) for key in ("elicitation_callback",) if key in more}
        values = {"home": self.home, "tenant": tenant, "embedder": "off", **more}
        settings = Settings.from_values(**values)
        server = build_server(lambda: open_memoria(settings=settings))
        info = Implementation(name=client, version="1")
        async with Client(server, client_info=info, **options) as connected:
            yield Caller(connected)

    @asynccontextmanager
    async def serve(
        self, *arguments: str, tenant: str = "default", **environment: str
    ) -> AsyncIterator[Caller]:
        """A real MCP client of `memoria serve` as a process of its own, over stdio.

        Args:
            arguments: options before `serve`.
            tenant: whose memory.
            environment: beside what every process is given.
        """
        number = len(list(self.folder.glob("pid-*")))
        pid_file, errors = self.folder / f"pid-{number}", self.folder / f"stderr-{number}"
        pid_file.touch()
        options = ["--home", str(self.home), "--tenant", tenant, "--workspace", "none", *arguments]
        server = StdioServerParameters(
            command=sys.executable,
            args=["-c", _TELLS_ITS_PID, str(pid_file), "-m", "memoria", *options, "serve"],
            env=self.environment(environment),
        )
        with errors.open("w", encoding="utf-8") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                yield Caller(client, int(pid_file.read_text()), errors)

    async def run(self, *arguments: str | Path, **environment: str) -> Ran:
        """Run `memoria --home HOME …` as a process, killed where it hangs."""
        return await self.run_bare("--home", str(self.home), *arguments, environment=environment)

    async def run_in(
        self,
        folder: Path,
        *arguments: str | Path,
        timeout_s: float = PROCESS_S,
        environment: Mapping[str, str] = NOTHING,
    ) -> Ran:
        """Run `memoria --home HOME …` as a process in a folder, killed where it hangs."""
        return await self.run_bare(
            *("--home", str(self.home), *arguments),
            timeout_s=timeout_s,
            environment=environment,
            folder=folder,
        )

    async def run_bare(
        self,
        *arguments: str | Path,
        umask: int = -1,
        timeout_s: float = PROCESS_S,
        environment: Mapping[str, str] = NOTHING,
        folder: Path | None = None,
    ) -> Ran:
        """Run `memoria …` as a process in a folder, killed where it hangs."""
        command = [sys.executable, "-m", "memoria", *map(str, arguments)]

        def run() -> Ran:
            try:
                done = subprocess.run(  # noqa: S603  (our own program)
                    command,
                    env=self.environment(environment),
                    cwd=folder or self.folder,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=timeout_s,
                    check=False,
                    umask=umask,
                )
            except subprocess.TimeoutExpired as late:
                return Ran(None, _text(late.stdout), _text(late.stderr))
            return Ran(done.returncode, _text(done.stdout), _text(done.stderr))

        return await anyio.to_thread.run_sync(run)

    @contextmanager
    def start(
        self, *arguments: str | Path, **environment: str
    ) -> Iterator[subprocess.Popen[bytes]]:
        """A process of `memoria --home HOME …` with its pipes in hand; killed at the end."""
        options = ["--home", str(self.home), "--workspace", "none", *map(str, arguments)]
        process = subprocess.Popen(  # noqa: S603  (our own program)
            [sys.executable, "-m", "memoria", *options],
            env=self.environment(environment),
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def read_home(self) -> dict[str, bytes]:
        """Every file of the home, by its place, as raw bytes."""
        files = (file for file in sorted(self.home.rglob("*")) if file.is_file())
        return {str(file.relative_to(self.home)): file.read_bytes() for file in files}

    @contextmanager
    def listen(self) -> Iterator[None]:
        """Hear what the program logs in this process while the block runs."""
        loggers = [logging.getLogger(name) for name in ("mcp", "memoria")]
        for logger in loggers:
            logger.addHandler(self._log)
        try:
            yield
        finally:
            for logger in loggers:
                logger.removeHandler(self._log)

    @property
    def logged(self) -> str:
        """What was logged in this process, with tracebacks."""
        return "\n".join(self._log.lines)

    @property
    def crashes(self) -> list[str]:
        """Exceptions that the program did not foresee."""
        return self._log.crashes

    def environment(self, more: Mapping[str, str] = NOTHING) -> dict[str, str]:
        """What every process is given: a place to live and no model."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "TMPDIR": str(self.temporary),
            "MEMORIA_EMBEDDER": "off",
            **more,
        }


def command_line(program: Path) -> str:
    """How `MEMORIA_LLM_COMMAND` names a Python program."""
    return shlex.join((sys.executable, str(program)))


class _Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []
        self.crashes: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record's text and its exception."""
        formatted = logging.Formatter("%(name)s %(message)s").format(record)
        self.lines.append(formatted)
        if record.exc_info and record.exc_info[1] is not None:
            error: BaseException = record.exc_info[1]
            error = error.__cause__ or error
            self.crashes.append(f"{type(error).__name__}: {error}")


def _text(printed: bytes | None) -> str:
    return (printed or b"").decode("utf-8", "replace")
