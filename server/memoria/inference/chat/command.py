"""A command line: `claude -p`, `codex exec -`, `llm`, or a script.

The request goes to standard input, JSON comes from standard output. There is no shell, and the
program runs in an empty folder, so that nothing of a project it happens to start in gets into the
answer. The environment variable `MEMORIA_ASKED` marks the call, so that a Memoria which the program
starts in its turn does not ask again.
"""

import os
import re
import shlex
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from memoria.bare.ignored import ASKED_FOLDER
from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import (
    ModelMisconfiguredError,
    ModelUnavailableError,
    shorten,
)
from memoria.inference.chat.base import AnswerT, ChatReply, ChatRequest
from memoria.inference.chat.deadline import asking_stopped_error
from memoria.inference.chat.forms import append_form
from memoria.inference.chat.process import Program, ProgramResult
from memoria.inference.chat.tokens import request_tokens
from memoria.language.budget import estimate_tokens
from memoria.language.secrets.redact import redact

ASKED_BY_MEMORIA = "MEMORIA_ASKED"
"""Set in the environment of a program that Memoria asks."""
_OUR_SETTINGS = ("MEMORIA_LLM_", "MEMORIA_EMBEDDING_", "MEMORIA_RERANK_")
_MOST_BYTES = 1 << 20
_VARIABLE = lazy_regex(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_NOT_FOUND = (126, 127)
"""Exit codes of `env` and shells when there is no such program."""
_REVEALING_CHARS = 12


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
    """Asks a program, once a request."""

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
        """End what is under way."""
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
        """Raise the error that a program means by a bad end."""
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
        """The program without its arguments, which may hold a key."""
        return f"The command {shorten(Path(self._program).name)}"


def _child_environment(ours: Mapping[str, str], own_folder: str, place: Path) -> dict[str, str]:
    """Return the program's environment: ours without our keys, and a mark of the asking process.

    Whoever starts us may look for programs in few folders; a script's interpreter, such as Node,
    mostly lies beside it. Some programs take the folder that `PWD` names for the one they run in.
    """
    kept = {name: value for name, value in ours.items() if not name.startswith(_OUR_SETTINGS)}
    folders = [*filter(None, ours.get("PATH", os.defpath).split(os.pathsep))]
    folders += [] if own_folder in folders else [own_folder]
    path = os.pathsep.join(folders)
    return {**kept, "PATH": path, "PWD": str(place), ASKED_BY_MEMORIA: "1"}


def _last_line(last_words: bytes, request: str) -> str:
    """Return a program's last line, without secrets; empty where it repeats the request."""
    lines = last_words.decode("utf-8", "replace").split("\n")
    line = next((line.strip() for line in reversed(lines) if line.strip()), "")
    shown = shorten(redact(line).text)
    telling = min(_REVEALING_CHARS, len(line))
    parts = (line[i : i + telling] for i in range(len(line) - telling + 1))
    if not line or any(part in request for part in parts):
        return ""
    return f": {shown.rstrip('.')}"
