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
from typing import Protocol, TypeVar

from pydantic import ValidationError

from memoria.bare.ignored import is_ignored
from memoria.connectors.transcripts.source import JsonObject, Record, TranscriptSource, UnusableLine
from memoria.errors import shorten
from memoria.language.reading.clean import is_own_call
from memoria.language.secrets.redact import redact
from memoria.model import Role, Turn, describe_problems


@dataclass(frozen=True, slots=True)
class TranscriptTurn:
    """A turn, and where it came from."""

    line: int
    turn: Turn
    cwd: str | None = None
    """The folder the session was held in: what its workspace is found by."""
    size: int = 0
    """Bytes of the lines it was made of."""
    folder: str | None = None
    """The folder in which it was said, where that may be another one."""


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that is left out by rule: no words of the conversation are in it."""

    line: int


TranscriptItem = TranscriptTurn | SkippedLine | UnusableLine


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was left out."""

    file: str
    line: int | None
    """Counted from 1; nothing where the trouble is with the whole file."""
    problem: str


@dataclass(frozen=True, slots=True)
class TranscriptFormat:
    """Form and place of a client's transcripts. The command line's help follows from it."""

    name: str
    client: str
    """The source of its sessions. A hook of the same client meets them there."""
    patterns: tuple[str, ...]
    """Names of its files. Where two are one transcript written twice, the first pattern wins."""
    read: Callable[[TranscriptSource], Iterator[TranscriptItem]]
    folder: "DefaultFolder | None" = None
    """Folder in which the client keeps them unless told otherwise."""
    note: str = ""
    """Advice in the help for a user who has to choose."""
    excluded_folders: frozenset[str] = frozenset()
    """Names of folders that hold something else."""
    documents: frozenset[str] = frozenset()
    """Suffixes of files that are one JSON document, not a line each."""
    follow: "Callable[[str, Path], TranscriptReading] | None" = None
    """Reader of a file that is still being written, made from the session of unnamed lines, and
    the file. Without it the whole file is read whenever it has changed."""

    @property
    def summary(self) -> str:
        """The files it reads and where they lie, as the help says."""
        where = f" in {self.folder}" if self.folder else ""
        return f"{self.name}: {', '.join(self.patterns)}{where}{self.note and '; '}{self.note}"


class TranscriptReading(Protocol):
    """A pass over a file that can be broken off after any line, and gone on with later."""

    def read_line(self, record: Record) -> Iterator[TranscriptItem]:
        """Read the next line."""
        ...

    def pause(self) -> Iterator[TranscriptItem]:
        """Yield what is complete: for now there are no more lines. What is still open stays so."""
        ...

    def finish(self) -> Iterator[TranscriptItem]:
        """Yield what is still open, as it is now."""
        ...

    @property
    def open_lines(self) -> set[int]:
        """The lines that have to be read again by whoever goes on."""
        ...

    def dump(self) -> JsonObject:
        """Return what else whoever goes on has to know: no word of the conversation."""
        ...

    def load(self, dumped: JsonObject) -> None:
        """Go on from what `dump` gave; the open lines were read again."""
        ...


@dataclass(frozen=True, slots=True)
class DefaultFolder:
    """A client's own folder of transcripts."""

    variable: str
    """The variable of the environment that moves the client's files."""
    home: str
    """Folder of these files where the variable is not set."""
    below: str
    """Folder of the transcripts among them."""

    def __str__(self) -> str:
        return f"${self.variable}/{self.below} (${self.variable} is {self.home} unless set)"

    @property
    def path(self) -> Path:
        """The folder on this machine."""
        return Path(os.environ.get(self.variable) or self.home).expanduser() / self.below


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
        """Make the turn said here, with more fields of `Turn` or with others than this place's."""
        own = {"session_id": self.session_id, "message_id": self.message_id, "at": self.at}
        turn = as_turn(self.line, {"role": role, **own, **fields})
        return (
            turn
            if isinstance(turn, UnusableLine)
            else TranscriptTurn(self.line, turn, self.cwd, self.size, self.folder)
        )


def as_turn(line: int, fields: Mapping[str, object]) -> Turn | UnusableLine:
    """Make a turn of these fields, or say what is wrong with them."""
    try:
        return Turn.model_validate(fields)
    except ValidationError as error:
        if any(found["type"].startswith("recursion") for found in error.errors()):
            return UnusableLine(line, "is nested too deeply")
        # An unknown field is named, and a name may be a secret as well as a text may.
        return UnusableLine(line, redact(describe_problems(error, of="line")).text)


_LOG = logging.getLogger(__name__)
_ItemT = TypeVar("_ItemT")
_GivenT = TypeVar("_GivenT")


def read_each(
    source: TranscriptSource,
    given: Iterable[_GivenT | UnusableLine],
    read: Callable[[_GivenT], Iterable[_ItemT]],
) -> Iterator[_ItemT | UnusableLine]:
    """Yield what a reader makes of each item.

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
    """Yield what a reader makes of one item, and behind it what went wrong.

    Args:
        line: where the item stands; None for the whole file.
        read: what is made of it.
        given: the item.
    """
    try:
        yield from read(given)
    except Exception as error:  # noqa: BLE001  (it is named, counted and logged)
        yield name_fault(line, error)


def name_fault(line: int | None, error: Exception) -> UnusableLine:
    """Return the line that an error came of, with the error in words and without secrets."""
    _LOG.debug("An item can't be read", exc_info=error)
    said = redact(shorten(str(error))).text if str(error) else "no more is known"
    return UnusableLine(
        line, f"holds something that can't be read ({type(error).__name__}: {said})"
    )


class FoldersLeftOut:
    """The folders of which nothing is kept, each looked at once."""

    def __init__(self, named: Sequence[str] = ()) -> None:
        """Take the folders that a setting names; a file in a folder may name further ones."""
        self._named = ",".join(named)
        self._known: dict[str, bool] = {}

    def __contains__(self, folder: str | None) -> bool:
        """Check whether what belongs to a folder is left out."""
        if folder is None:
            return False
        if folder not in self._known:
            self._known[folder] = is_ignored(folder, self._named)
        return self._known[folder]


def leave_out(items: Iterator[TranscriptItem], folders: FoldersLeftOut) -> Iterator[TranscriptItem]:
    """Yield the items without calls of our tools, and without what was said in folders left out.

    A session may begin in such a folder, or go there and come back: each turn counts for itself.
    """
    for item in items:
        is_out = isinstance(item, TranscriptTurn) and is_left_out(item, folders)
        yield SkippedLine(item.line or 0) if is_out else item


def is_left_out(said: TranscriptTurn, folders: FoldersLeftOut) -> bool:
    """Check whether a turn is a call of our tools, or was said in a folder left out."""
    return is_own_call(said.turn) or (said.folder or said.cwd) in folders
