"""Chat model behind a command line: `claude -p`, `codex exec -`, `llm`, or a script.

The request goes to standard input, JSON comes from standard output, within a time and a size. There
is no shell, and the program runs in an empty folder, so that no project's files get into the
answer. The environment variable `MEMORIA_ASKED` marks the call, so that a Memoria which the program
starts in its turn does not ask again.

The program gets a process group of its own, and the whole group ends with it: what it started must
not live on after a timeout. Three threads feed and drain its pipes, because a program may write
before it has read everything.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from memoria.bare.ignored import ASKED_FOLDER
from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import ModelMisconfiguredError, ModelUnavailableError, shorten
from memoria.inference.chat.base import (
    AnswerT,
    ChatReply,
    ChatRequest,
    asking_stopped_error,
    request_tokens,
)
from memoria.inference.chat.schema import append_form
from memoria.language.budget import estimate_tokens
from memoria.language.secrets.redact import redact

_BLOCK_BYTES = 65_536
_LAST_WORDS_BYTES = 4096
_REAP_S = 2.0
ASKED_BY_MEMORIA = "MEMORIA_ASKED"
"""Environment variable that marks a program which Memoria asks."""
_OUR_SETTINGS = ("MEMORIA_LLM_", "MEMORIA_EMBEDDING_", "MEMORIA_RERANK_")
_MOST_BYTES = 1 << 20
_VARIABLE = lazy_regex(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_NOT_FOUND = (126, 127)
"""Exit codes of `env` and shells for a program that can't be found or run."""
_REVEALING_CHARS = 12


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """Result of a program."""

    code: int
    output: bytes
    stderr_tail: bytes
    """The end of what the program wrote to standard error."""
    cut: bool
    """True if the program was killed because it wrote too much."""


class Program:
    """A running program. `kill` may be called from any thread."""

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str], folder: Path, most_bytes: int
    ) -> None:
        """Start the program.

        Raises:
            OSError: it can't be started.
        """
        self._most_bytes = most_bytes
        self._output = bytearray()
        self._last_words = bytearray()
        self._cut = False
        self._process = subprocess.Popen(  # noqa: S603  (the user's own command, without a shell)
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )

    def run(self, text: str, timeout_s: float) -> ProgramResult:
        """Give the program a text, and wait for its end; it is killed at the latest then.

        Raises:
            TimeoutError: it takes longer.
        """
        deadline = time.monotonic() + timeout_s
        pipes = (
            threading.Thread(target=self._feed, args=(text.encode("utf-8", "replace"),)),
            threading.Thread(target=self._read_output),
            threading.Thread(target=self._read_stderr_tail),
        )
        for pipe in pipes:
            pipe.daemon = True
            pipe.start()
        try:
            pipes[1].join(timeout_s)
            if pipes[1].is_alive():
                raise TimeoutError
            code = self._process.wait(max(deadline - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            self.kill()
            for pipe in pipes:
                pipe.join(_REAP_S)
        return ProgramResult(code, bytes(self._output), bytes(self._last_words), self._cut)

    def kill(self) -> None:
        """Kill the program and all that it started, unless it has ended by itself."""
        if self._process.returncode is not None:
            return  # its number may be another's by now
        if sys.platform == "win32":
            number = str(self._process.pid)
            subprocess.run(  # noqa: S603  (a number)
                ["taskkill", "/T", "/F", "/PID", number],  # noqa: S607  (Windows' own)
                capture_output=True,
                check=False,
            )
        else:
            with suppress(ProcessLookupError, PermissionError):  # it is ending
                os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_REAP_S)

    def _feed(self, text: bytes) -> None:
        with suppress(OSError, ValueError), _pipe(self._process.stdin) as pipe:
            pipe.write(text)  # a program may end without reading all of it

    def _read_output(self) -> None:
        with _pipe(self._process.stdout) as pipe:
            while block := os.read(pipe.fileno(), _BLOCK_BYTES):
                self._output += block
                if len(self._output) > self._most_bytes:
                    self._cut = True
                    self.kill()
                    return

    def _read_stderr_tail(self) -> None:
        with _pipe(self._process.stderr) as pipe:
            while block := os.read(pipe.fileno(), _BLOCK_BYTES):
                self._last_words += block
                del self._last_words[:-_LAST_WORDS_BYTES]


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:  # never so: all three were asked for
        raise ValueError("no pipe")
    return pipe


def split_command(command: str) -> list[str]:
    """Return the program and its arguments in a command line, as this system writes them."""
    return _split(command)[1]


def _split(command: str) -> tuple[dict[str, str], list[str]]:
    """Return the variables before a program as `NAME=value`, and the program's own words."""
    words = shlex.split(command, posix=os.name != "nt")
    if os.name == "nt":
        words = [word.strip("\"'") for word in words]
    variables = dict[str, str]()
    while len(words) > 1 and _VARIABLE.fullmatch(words[0]):
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    return variables, words


class CommandChat:
    """Chat model behind a command line: each request starts the program once."""

    def __init__(self, command: str, timeout_s: float) -> None:
        self._variables, self._words = _split(command)
        self._program = self._words[0]
        self.name = f"command:{Path(self._program).name}"
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._running: set[Program] = set()
        self._closed = False

    def ask(self, request: ChatRequest[AnswerT]) -> ChatReply:
        """Return the reply to a request."""
        asked = append_form(request)
        text = f"{asked.instructions}\n\n{asked.text}\n"
        try:
            ended = self._run(text)
        except TimeoutError:
            raise ModelUnavailableError(
                f"{self._display_name} gave no answer within {self._timeout_s:g} s "
                "(MEMORIA_LLM_TIMEOUT_S). It is asked again later.",
                uncounted=True,
                too_much=True,
            ) from None
        self._check_result(ended, text)
        answer = ended.output.decode("utf-8", "replace")
        return ChatReply(
            text=answer,
            model=self.name,
            input_tokens=request_tokens(asked),
            output_tokens=estimate_tokens(answer),
            finish="length" if ended.cut else "stop",
        )

    def close(self) -> None:
        """Kill the programs under way."""
        with self._lock:
            self._closed = True
            running = [*self._running]
        for program in running:
            program.kill()

    def _run(self, text: str) -> ProgramResult:
        with TemporaryDirectory(prefix=ASKED_FOLDER, ignore_cleanup_errors=True) as folder:
            program = self._start(Path(folder))
            try:
                ended = program.run(text, self._timeout_s)
            finally:
                with self._lock:
                    self._running.discard(program)
        if self._closed:
            raise asking_stopped_error()
        return ended

    def _start(self, folder: Path) -> Program:
        found = shutil.which(self._program)
        if found is None:
            raise self._misconfiguration("is not there, or may not be run")
        with self._lock:
            if self._closed:
                raise asking_stopped_error()
            try:
                words = [str(Path(found).absolute()), *self._words[1:]]
                environment = _child_environment(os.environ, str(Path(words[0]).parent), folder)
                program = Program(words, environment | self._variables, folder, _MOST_BYTES)
            except OSError as error:
                raise self._misconfiguration(f"can't be started: {error.strerror}") from None
            self._running.add(program)
        return program

    def _check_result(self, ended: ProgramResult, text: str) -> None:
        """Raise an error if a program ended badly."""
        if ended.cut:
            return  # it was we who ended it
        if ended.code in _NOT_FOUND:
            raise self._misconfiguration(f"ended with {ended.code}")
        if ended.code:
            raise ModelUnavailableError(
                f"{self._display_name} ended with {ended.code}"
                f"{_last_line(ended.stderr_tail, text)}. Try it in a shell; it is asked again."
            )

    def _misconfiguration(self, problem: str) -> ModelMisconfiguredError:
        return ModelMisconfiguredError(
            f"{self._display_name} {problem}. Check MEMORIA_LLM_COMMAND."
        )

    @property
    def _display_name(self) -> str:
        """Name of the program without its arguments, which may hold a key."""
        return f"The command {shorten(Path(self._program).name)}"


def _child_environment(ours: Mapping[str, str], own_folder: str, place: Path) -> dict[str, str]:
    """Return the program's environment: that of this process, without Memoria's keys.

    Memoria's own PATH may have few folders; a script's interpreter, such as Node,
    mostly lies beside the script. Some programs take the folder in `PWD` for the one they run in.
    """
    kept = {name: value for name, value in ours.items() if not name.startswith(_OUR_SETTINGS)}
    folders = [*filter(None, ours.get("PATH", os.defpath).split(os.pathsep))]
    folders += [] if own_folder in folders else [own_folder]
    path = os.pathsep.join(folders)
    return {**kept, "PATH": path, "PWD": str(place), ASKED_BY_MEMORIA: "1"}


def _last_line(last_words: bytes, request: str) -> str:
    """Return a program's last line of error, without secrets; empty if it quotes the request."""
    lines = last_words.decode("utf-8", "replace").split("\n")
    line = next((line.strip() for line in reversed(lines) if line.strip()), "")
    shown = shorten(redact(line).text)
    telling = min(_REVEALING_CHARS, len(line))
    parts = (line[i : i + telling] for i in range(len(line) - telling + 1))
    if not line or any(part in request for part in parts):
        return ""
    return f": {shown.rstrip('.')}"
