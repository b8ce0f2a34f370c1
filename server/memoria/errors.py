"""Every error Memoria raises on purpose.

    MemoriaError
    ├── InvalidInputError        an argument can't be used; says which and how to mend it
    │   ├── InvalidTurnError         one turn of a call can't be kept; knows its place
    │   └── ConflictError            it can be used, but not as things stand
    ├── ForgottenError           it was forgotten on purpose; says when and how to undo that
    ├── PreviewChangedError      what would be forgotten is not what was agreed to; has the preview
    ├── NotFoundError            no such memory, turn or session for this tenant
    ├── StoreError
    │   ├── ClosedError              the memory was closed before the call
    │   ├── StoreUnavailableError    the home can't be opened, read or written
    │   │   └── StoreDamagedError        the file does not hold what was written to it
    │   ├── StoreTooNewError         the home was written by a newer Memoria
    │   ├── LeaseLostError           another process does this work now
    │   ├── BackupError              a backup can't be made, read or put back
    │   ├── UnsupportedEngineError   this SQLite or PostgreSQL lacks something we need
    │   └── RemoteError              a server over HTTP did not do it, or can't be understood
    │       ├── AccessDeniedError        the token does not hold, or does not allow it
    │       └── ServerUnavailableError   it can't be reached, or is busy
    ├── EmbedderError            no vector could be made; text search carries on
    ├── RerankerError            hits could not be scored anew; their own order stands
    ├── ScheduleError            the platform's scheduler did not do it; what to do by hand
    ├── ClientError              a client's configuration can't be read or edited; nothing changed
    └── ChatModelError           a question put to a chat model has no answer; knows why in a word
        ├── ModelUnavailableError    not now: rate limit, timeout, failure; may know when again
        ├── BudgetSpentError         the day's tokens are spent; knows when there are new ones
        ├── ModelRefusedError        the model or its filter will not answer this question
        ├── InvalidAnswerError       it answered twice, and neither answer is of use
        ├── ModelMisconfiguredError  it never will until a setting is mended; says which
        └── AskingStoppedError       Memoria is closing; the question is as good as unasked

A message says what happened and what to do next, because a model or a person at a terminal
reads it and nothing else.
"""

import errno
import os
import re
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SHOWN_CHARS, _SHOWN_BITS = 80, 64
NO_ARGUMENT = "arguments"
"""Name for a fault of all arguments together."""
_OPTIONS = {"queries": "query", "types": "type", "valid_from": "since"}
"""Arguments whose option a person repeats, or knows by another word."""


def shorten(text: str) -> str:
    """Return an id or name for an error message: its beginning, on one line."""
    shown = text[:_SHOWN_CHARS]
    is_plain = shown.isprintable() and shown == shown.strip() != ""
    return (shown if is_plain else repr(shown)) + _count_rest(text)


def quote_value(value: object) -> str:
    """Return a caller's value for an error message: text in quotes, and cut if it is long."""
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return "beyond 64 bits"  # Python refuses to write an integer of 5,000 digits
    if isinstance(value, str):
        return repr(value[:_SHOWN_CHARS]) + _count_rest(value)
    return repr(value)[:_SHOWN_CHARS] + _count_rest(repr(value))


def _count_rest(text: str) -> str:
    """Return how long a text is that is not shown whole; empty if it is."""
    return f"… ({len(text):,} characters)" if len(text) > _SHOWN_CHARS else ""


def name_settings(text: str) -> str:
    """Return a text with settings named as in the settings file, unless a variable sets them."""

    def name(found: "re.Match[str]") -> str:
        is_set = os.environ.get(found[0])
        return found[0] if is_set else found[0].removeprefix("MEMORIA_").lower()

    named = re.sub(r"\bMEMORIA_[A-Z_]*[A-Z]\b", name, text)
    return named if named == text else f"{named} See memoria config."


class NextStep(NamedTuple):
    """Advice for the next step, worded as a tool or method and as a command."""

    purpose: str
    """Purpose of the step, such as `Find its id`."""
    tool: str
    """Tool or method, such as `search_memory`."""
    command: str
    """Command, such as `memoria search`."""
    purpose_at_shell: str = ""
    """Purpose for a person at a terminal, where the wording for an agent does not fit."""


def name_option(argument: str) -> str:
    """Return the command line's option for an argument: `--max-tokens` for `max_tokens`."""
    return f"--{_OPTIONS.get(argument, argument).replace('_', '-')}"


def name_options(problems: str, *, words: str = "") -> str:
    """Return the problems with each argument's name written as a command-line option.

    >>> name_options("max_tokens: it is 3; query: it is empty", words="query")
    '--max-tokens: it is 3; the query is empty'

    Args:
        problems: such as `max_tokens: it is 3`, with semicolons between them.
        words: the argument that is typed without its name.
    """
    return "; ".join(_name_option(one, words) for one in problems.split("; "))


def _name_option(problem: str, words: str) -> str:
    name, colon, what = problem.partition(": ")
    if colon and name == NO_ARGUMENT:
        return what
    if colon and name == words:
        said = what.removeprefix("it is ")
        return f"the {name}: {what}" if said == what else f"the {name} is {said}"
    is_argument = colon and name.isidentifier() and name.islower()
    return f"{name_option(name)}: {what}" if is_argument else problem


class MemoriaError(Exception):
    """Base of all the errors Memoria raises on purpose.

    As a text it names the next tool, for an agent or a program; `at_shell` names the next command.
    """

    def __init__(
        self, message: str = "", *, step: NextStep | None = None, for_person: str | None = None
    ) -> None:
        """Create the error with what happened and, optionally, the next step.

        Args:
            message: what happened.
            step: what to do next.
            for_person: what happened, for a person at a terminal, where that reads otherwise.
        """
        super().__init__(f"{message} {step.purpose} with {step.tool}." if step else message)
        self._at_shell = message if for_person is None else for_person
        self._step = step

    @property
    def at_shell(self) -> str:
        """Message for a person at a terminal."""
        step = self._step
        if step is None:
            return self._at_shell
        return f"{self._at_shell} {step.purpose_at_shell or step.purpose}: {step.command}"

    @property
    def next_command(self) -> str | None:
        """The command that helps, where there is one."""
        if self._step is not None:
            return self._step.command
        _, opened, rest = self._at_shell.partition("`memoria ")
        return f"memoria {rest.partition('`')[0]}" if opened else None

    @property
    def kind(self) -> str:
        """Kind of error, for a program: `not_found`."""
        name = type(self).__name__.removesuffix("Error")
        return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).strip("_")


class InvalidInputError(MemoriaError):
    """An argument can't be used as it is. Nothing was written."""


class ConflictError(InvalidInputError):
    """A call can be made, but not as things stand. Nothing was written."""


class InvalidTurnError(InvalidInputError):
    """One turn of a call can't be kept, so none of the call was recorded."""

    def __init__(self, index: int, problem: str) -> None:
        """Create the error from the turn's place in the call, counted from 0, and its problem."""
        super().__init__(f"Turn {index}: {problem.rstrip('.')}. Nothing of this call was recorded.")
        self.problem = problem


class ForgottenError(MemoriaError):
    """The text to be kept was forgotten before, on purpose. Nothing was written."""


class PreviewChangedError(MemoriaError):
    """Something else would be forgotten now than the preview has shown. Nothing was forgotten."""

    def __init__(self, preview: Any) -> None:  # noqa: ANN401  (a value of a layer above)
        """Create the error with the `ForgetPreview` of what would be forgotten now."""
        super().__init__(
            "Nothing was forgotten: the token is not that of what would go now. It is of no "
            "preview or of another one, or what would go has changed since it was shown. Look "
            "at the preview again, and agree to that."
        )
        self.preview = preview


class PrivateTimeError(MemoriaError):
    """Private time is on in this project, so nothing that an agent says is kept."""

    def __init__(self, since: str) -> None:
        """Create the error with the time at which private time began, in words."""
        super().__init__(
            f"Nothing was kept: private time is on in this project since {since}. Go on without "
            "storing anything; searching works. Only the user ends it, with `memoria private off` "
            "in a shell, and can keep a statement meanwhile with `memoria remember`."
        )


class NoMemoryError(MemoriaError):
    """The home, or the tenant in it, does not exist. Nothing was made."""


class NotFoundError(MemoriaError):
    """The tenant has no memory, turn or session of that id."""

    @classmethod
    def for_memory(cls, memory_id: str) -> Self:
        """Return the error for an id that no memory has."""
        return cls(
            f"There is no memory {shorten(memory_id)}.",
            step=NextStep("Find its id", "search_memory", "memoria search"),
        )

    @classmethod
    def for_turn(cls, turn_id: str) -> Self:
        """Return the error for an id that no turn has."""
        return cls(
            f"There is no turn {shorten(turn_id)}.",
            step=NextStep("Find its id", "search_conversation_traces", "memoria traces"),
        )


class StoreError(MemoriaError):
    """The store can't do what was asked."""


class ClosedError(StoreError):
    """The memory was closed before the call. Nothing was done."""


class StoreUnavailableError(StoreError):
    """The home can't be opened, read or written: permissions, a full disk, a damaged file."""

    @classmethod
    def from_system(cls, error: OSError) -> Self:
        """Return the error for a refusal of the operating system, with what to do about it."""
        what = f"{error.filename or 'A file'}: {error.strerror or error}."
        if error.errno in _NO_ROOM:
            return cls(f"{what} Free some space and try again.")
        return cls(f"{what} Check that the folder is there and writable for this user.")


class UnusableFileError(MemoriaError):
    """A file in the home, other than the database, can't be read or written."""


class StoreDamagedError(StoreUnavailableError):
    """The database does not hold what was written to it."""

    @classmethod
    def for_problem(cls, problem: str) -> Self:
        """Return the error for a damage, described by a sentence without its full stop."""
        return cls(
            f"The database is damaged: {problem}. `memoria doctor` says how badly; "
            "`memoria restore` brings a backup back."
        )


class LeaseLostError(StoreError):
    """Another process holds the lease on this work now, or has finished it. Nothing was written."""


class BackupError(StoreError):
    """A backup can't be made, read or put back. The home is as it was."""

    @classmethod
    def for_damage(cls, archive: Path, problem: str) -> Self:
        """Return the error for a backup file that is damaged."""
        return cls(f"The backup {archive} is damaged: {problem}. Use another one.")


class ExportError(MemoriaError):
    """An export can't be made or read. Nothing was changed."""

    @classmethod
    def for_newer(cls, export: Path, version: str) -> Self:
        """Return the error for an export by a newer version, which this version can't read."""
        return cls(
            f"{export} was made by a newer Memoria ({version}). Nothing was changed. Upgrade with: "
            "pip install -U memoria-server"
        )


class UnknownProjectError(ExportError):
    """There is no such project to export."""


class StoreTooNewError(StoreError):
    """The home holds a schema newer than this version of Memoria knows."""


class UnsupportedEngineError(StoreError):
    """The database engine at hand lacks something Memoria needs."""


class RemoteError(StoreError):
    """A server over HTTP did not do what was asked, or its answer can't be read."""


class AccessDeniedError(RemoteError):
    """The token does not hold, or does not allow the call. Nothing was done."""


class ServerUnavailableError(RemoteError):
    """The server can't be reached, is busy, or gave no answer; says whether anything was done."""


class EmbedderError(MemoriaError):
    """The embedder is off, not ready or failing. Text search carries on."""


class RerankerError(MemoriaError):
    """The reranker gave no scores. The message holds no word of what it was asked."""


class ScheduleError(MemoriaError):
    """A scheduler of the platform can't be asked, or did not do as it was asked."""


class ClientError(MemoriaError):
    """A client's configuration can't be read or edited. Nothing was changed."""


class ChatModelError(MemoriaError):
    """A chat model gave no answer. The message quotes neither the question nor an answer."""

    outcome: ClassVar[str] = "failed"
    """Outcome in the log of calls."""

    def __init__(
        self,
        message: str,
        *,
        retry_at: int | None = None,
        uncounted: bool = False,
        too_much: bool = False,
    ) -> None:
        """Create the error from a sentence or two.

        Args:
            message: what happened and what to do next.
            retry_at: when asking again may help, in UTC epoch milliseconds, if that is known.
            uncounted: whether the question may have cost tokens that nobody has counted.
            too_much: whether half the question may well be answered.
        """
        super().__init__(name_settings(message))
        self.too_much = too_much
        self.retry_at = retry_at
        self.uncounted = uncounted


class ModelUnavailableError(ChatModelError):
    """The model does not answer now: a rate limit, a timeout, a failure of its server."""

    outcome = "unavailable"


class BudgetSpentError(ChatModelError):
    """The tenant's tokens left for the day are too few. The model was not asked."""

    outcome = "budget"


class ModelRefusedError(ChatModelError):
    """The model, its filter or its endpoint will not answer this question."""

    outcome = "refused"


class InvalidAnswerError(ChatModelError):
    """The answer is not what was asked for, not even at the second try."""

    outcome = "invalid"


class ModelMisconfiguredError(ChatModelError):
    """No question will be answered until somebody mends a setting."""

    outcome = "misconfigured"


class AskingStoppedError(ChatModelError):
    """Memoria closed before the answer came. Ask again when it is open."""

    outcome = "stopped"
