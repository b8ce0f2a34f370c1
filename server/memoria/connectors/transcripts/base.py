"""Format of transcripts, the items that reading a file yields, and the rules for every item.

Other programs' data may hold anything, and a reader may have met nothing like it. So every reader
hands its items to `read_each`: whatever an item makes the reader raise becomes an `UnusableLine`.
The error with its traceback goes to the log, at the level DEBUG: `memoria import --verbose`.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from memoria.bare.ignored import is_ignored
from memoria.connectors.transcripts.source import Record, TranscriptSource, UnusableLine
from memoria.errors import shorten
from memoria.language.reading.clean import is_own_call
from memoria.language.secrets.redact import redact
from memoria.model import Role, Turn, describe_problems

if TYPE_CHECKING:
    from memoria.connectors.transcripts.reading import TranscriptReading

_LOG = logging.getLogger(__name__)
_ItemT = TypeVar("_ItemT")
_GivenT = TypeVar("_GivenT")


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """A turn, and its place in a transcript."""

    line: int
    turn: Turn
    cwd: str | None = None
    """Folder in which the session was held, by which the session's workspace is found."""
    size: int = 0
    """Bytes of the lines that the turn was made of."""
    folder: str | None = None
    """Folder in which the turn was said, where that may not be the session's."""


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line without words of the conversation, left out by rule."""

    line: int


TranscriptItem = TranscriptTurn | SkippedLine | UnusableLine


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that can't be used, as reports name it."""

    file: str
    line: int | None
    """Number of the line, from 1; None where the whole file can't be used."""
    problem: str


@dataclass(frozen=True, slots=True)
class DefaultFolder:
    """Folder in which a client keeps its transcripts."""

    variable: str
    """The variable of the environment that moves the client's files."""
    home: str
    """Folder of the client's files where the variable is not set."""
    below: str
    """Folder of the transcripts, below the client's files."""

    def __str__(self) -> str:
        return f"${self.variable}/{self.below} (${self.variable} is {self.home} unless set)"

    @property
    def path(self) -> Path:
        """The folder on this machine."""
        return Path(os.environ.get(self.variable) or self.home).expanduser() / self.below


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat:
    """Names and places of a program's files. The command line's help follows from both."""

    name: str
    """Name for `--format`: lower case, with hyphens."""
    client: str
    """The source of its sessions, and the author of its memories. Keep it for ever: what was
    imported before is known by it, and a hook of the same client meets its sessions there."""
    patterns: tuple[str, ...]
    """Names of its files, as globs: `("*.jsonl",)`. Where two are one transcript written twice, the
    first pattern wins."""
    folder: DefaultFolder | None = None
    """Folder in which the client keeps its files, where a variable of the environment moves it."""
    note: str = ""
    """Advice in the help for a user who has to choose."""
    documents: frozenset[str] = frozenset()
    """Suffixes of files that are one JSON document, not a line each."""
    is_of_project: bool = False
    """True if what is read is a project's: its sessions are named after that, wherever it lies."""
    excluded_folders: frozenset[str] = frozenset()
    """Names of folders that hold something else."""

    @property
    def summary(self) -> str:
        """The files it reads and where they lie, as the help says."""
        where = f" in {self.folder}" if self.folder else ""
        files = f"{', '.join(self.patterns)}{where}"
        return f"{self.name}: {'; '.join(filter(None, [files, self.note]))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptFormat(FileFormat):
    """Format of a client's transcripts."""

    read: Callable[[TranscriptSource], Iterator[TranscriptItem]]
    follow: "Callable[[str, Path], TranscriptReading] | None" = None
    """Maker of a pass over a file that is still being written, from the session of unnamed lines
    and the file. Without it the whole file is read whenever the file has changed."""


@dataclass(frozen=True, slots=True)
class TranscriptPosition:
    """Place and time at which something in a transcript was said."""

    line: int
    size: int
    session_id: str
    message_id: str
    at: object
    cwd: str | None
    folder: str | None = None

    def turn(self, role: Role, /, **fields: object) -> TranscriptTurn | UnusableLine:
        """Make the turn that was said at this place; `fields` of `Turn` may replace the place's."""
        own = {"session_id": self.session_id, "message_id": self.message_id, "at": self.at}
        turn = as_turn(self.line, {"role": role, **own, **fields})
        if isinstance(turn, UnusableLine):
            return turn
        return TranscriptTurn(self.line, turn, self.cwd, self.size, self.folder)


def as_turn(line: int, fields: Mapping[str, object]) -> Turn | UnusableLine:
    """Make a turn of fields; where they make none, return an `UnusableLine` that says why."""
    try:
        return Turn.model_validate(fields)
    except ValidationError as error:
        if any(found["type"].startswith("recursion") for found in error.errors()):
            return UnusableLine(line, "is nested too deeply")
        # An unknown field is named, and a name may be a secret as well as a text may.
        return UnusableLine(line, redact(describe_problems(error, of="line")).text)


def read_each(
    source: TranscriptSource,
    given: Iterable[_GivenT | UnusableLine],
    read: Callable[[_GivenT], Iterable[_ItemT]],
) -> Iterator[_ItemT | UnusableLine]:
    """Yield what a reader makes of each item, and an `UnusableLine` for an item that fails.

    Args:
        source: the file, which counts the items that have no line of their own.
        given: the items; those that can't be used already are passed on.
        read: what is made of one.
    """
    for one in given:
        if isinstance(one, UnusableLine):
            yield one
            continue
        line = one.line if isinstance(one, Record) else source.lines
        yield from guard(line, read, one)


def guard(
    line: int | None, read: Callable[[_GivenT], Iterable[_ItemT]], given: _GivenT
) -> Iterator[_ItemT | UnusableLine]:
    """Yield what a reader makes of one item; where the reader fails, an `UnusableLine` follows.

    The line is None where the whole file is read.
    """
    try:
        yield from read(given)
    except Exception as error:  # noqa: BLE001  (it is named, counted and logged)
        yield name_fault(line, error)


def name_fault(line: int | None, error: Exception) -> UnusableLine:
    """Return an `UnusableLine` that names an error, without secrets."""
    _LOG.debug("An item can't be read", exc_info=error)
    said = redact(shorten(str(error))).text if str(error) else "no more is known"
    return UnusableLine(
        line, f"holds something that can't be read ({type(error).__name__}: {said})"
    )


class FoldersLeftOut:
    """Folders of which nothing is kept. Each folder is looked at once."""

    def __init__(self, named: Sequence[str] = ()) -> None:
        """Take the folders that a setting names; a file in a folder may name further folders."""
        self._named = ",".join(named)
        self._known: dict[str, bool] = {}

    def __contains__(self, folder: str | None) -> bool:
        """Check whether nothing of a folder is kept."""
        if folder is None:
            return False
        if folder not in self._known:
            self._known[folder] = is_ignored(folder, self._named)
        return self._known[folder]


def leave_out(items: Iterator[TranscriptItem], folders: FoldersLeftOut) -> Iterator[TranscriptItem]:
    """Yield items, with a `SkippedLine` for each call of our tools and each turn in such a folder.

    A session may begin in such a folder, or go there and come back: each turn counts for itself.
    """
    for item in items:
        is_out = isinstance(item, TranscriptTurn) and is_left_out(item, folders)
        yield SkippedLine(item.line or 0) if is_out else item


def is_left_out(said: TranscriptTurn, folders: FoldersLeftOut) -> bool:
    """Check whether a turn is a call of our tools, or was said in a folder that is left out."""
    return is_own_call(said.turn) or (said.folder or said.cwd) in folders
