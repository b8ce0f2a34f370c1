"""Erasing statements from the text files of a tenant.

In JSON Lines a record goes if it says one, however it is escaped there. In other texts the lines
go in which one stands, also where it runs over several. A file that a night wrote and nobody has
edited goes whole: the next night writes it anew from what is left.
"""

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from memoria.errors import StoreUnavailableError
from memoria.store.files import BACKUPS, replace
from memoria.store.folders import BEFORE_IMAGES, DRAFT, TENANTS, tenant_folder
from memoria.text.document import full_text
from memoria.text.sayings import Sayings

_RECORDS = ".jsonl"
_SUFFIXES = (".md", ".txt", _RECORDS)
_ASIDE = "before-restore-*"
_MARK = re.compile(r"[ \t]*<!-- [a-z]:[0-9a-f]{4,36} -->")
_LABEL = re.compile(
    r"^- (?:file says|chat says|put aside in chat|taken out here, kept so far): ", re.MULTILINE
)
"""Begins a line of a core file that tells what stands against what."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SAID = ("content", "text")
_INERT = "‹!--", "<!--"
_State = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Record:
    """A line of JSON that may be a turn."""

    content: str
    tool_name: str | None
    tool_args: JsonValue
    tool_result: JsonValue


class Papers:
    """A tenant's text files. Looked through twice, the second time only at what has changed."""

    def __init__(self, home: Path, tenant: str) -> None:
        self._home = home
        self._tenant = tenant
        self._folder = tenant_folder(home, tenant)
        self._clean: dict[Path, _State] = {}
        self._looked_for: tuple[str, ...] = ()

    def erase(self, sayings: Sayings, written: Mapping[str, str]) -> list[Path]:
        """Take out whatever says one of them. Gives the files changed or taken away.

        Backups are left alone: they are the user's to delete. So are other tenants' files.

        Args:
            sayings: what is to go.
            written: what a night wrote: digests by place below the tenant's folder.

        Raises:
            StoreUnavailableError: a file can't be read or changed. Others may have been.
        """
        if sayings.statements != self._looked_for:
            self._clean.clear()
            self._looked_for = sayings.statements
        try:
            return [f for f in sorted(set(self._texts())) if self._erase(f, sayings, written)]
        except OSError as error:
            raise _unusable(error) from error

    def take_away(self, path: str, written: Mapping[str, str]) -> list[Path]:
        """Take away what a night wrote at a place, unless it was edited, and all it said before.

        Raises:
            StoreUnavailableError: a file can't be taken away.
        """
        try:
            gone = list(self._folder.glob(f"{BEFORE_IMAGES}/*/{path}"))
            gone += [self._folder / path] if self._ours(self._folder / path, written) else []
            for file in gone:
                file.unlink(missing_ok=True)
        except OSError as error:
            raise _unusable(error) from error
        return gone

    def places(self, files: list[Path]) -> set[str]:
        """Where below the tenant's folder the files are that a night wrote, or wrote over."""
        inside = (f.relative_to(self._folder) for f in files if f.is_relative_to(self._folder))
        return {
            Path(*f.parts[2:]).as_posix() if f.parts[0] == BEFORE_IMAGES else f.as_posix()
            for f in inside
        }

    def _erase(self, file: Path, sayings: Sayings, written: Mapping[str, str]) -> bool:
        state = _state(file)
        if state is None or self._clean.get(file) == state:
            return False
        text = file.read_bytes().decode("utf-8", "surrogateescape")
        kept = _without(text, sayings, _suffix(file))
        self._clean[file] = state
        if kept == text:
            return False
        if self._derived(file, written) or DRAFT.fullmatch(file.name):
            file.unlink(missing_ok=True)
        else:
            replace(file, kept.encode("utf-8", "surrogateescape"))
        return True

    def _derived(self, file: Path, written: Mapping[str, str]) -> bool:
        image = self._folder / BEFORE_IMAGES
        return file.is_relative_to(image) or self._ours(file, written)

    def _ours(self, file: Path, written: Mapping[str, str]) -> bool:
        """Whether a file says just what a night wrote into it."""
        if not (file.is_relative_to(self._folder) and file.is_file()):
            return False
        noted = written.get(file.relative_to(self._folder).as_posix())
        return noted is not None and hashlib.sha256(file.read_bytes()).hexdigest() == noted

    def _texts(self) -> Iterator[Path]:
        for root in (self._folder, *self._aside()):
            for file in root.rglob("*"):
                inside = file.relative_to(self._home).parts
                others = root == self._home and TENANTS in inside[:2]
                text = _suffix(file) in _SUFFIXES and file.is_file()
                if text and inside[0] != BACKUPS and not others:
                    yield file

    def _aside(self) -> Iterator[Path]:
        """What restores have put aside of a tenant with a folder of its own."""
        if self._folder != self._home:
            yield from self._home.glob(f"{_ASIDE}/{self._folder.relative_to(self._home)}")


def _suffix(file: Path) -> str:
    draft = DRAFT.fullmatch(file.name)
    return Path(draft[1] if draft else file.name).suffix


def _state(file: Path) -> _State | None:
    """Which file it is and when it was last changed; None where it has gone."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _without(text: str, sayings: Sayings, suffix: str) -> str:
    """A text without what says one of them."""
    if suffix == _RECORDS:
        return "".join(line for line in _lines(text) if not _record_says(line, sayings))
    if not sayings.might_stand_in(text):
        return text
    kept = [line for line in _lines(text) if not _line_says(line, sayings)]
    while sayings.stand_in(_plain("".join(kept))):
        _take_out(kept, sayings)
    return "".join(kept)


def _take_out(lines: list[str], sayings: Sayings) -> None:
    """Take out the fewest lines that say one of them together, the first of such."""

    def says(first: int, end: int) -> bool:
        return sayings.stand_in(_plain("".join(lines[first:end])))

    end = bisect_left(range(len(lines)), True, key=lambda i: says(0, i + 1)) + 1
    begins = bisect_left(range(end), True, key=lambda i: not says(i, end))
    del lines[max(0, begins - 1) : end]


def _line_says(line: str, sayings: Sayings) -> bool:
    return sayings.might_stand_in(line) and (
        sayings.stand_in(line) or sayings.stand_in(_plain(line))
    )


def _plain(text: str) -> str:
    """What a text says without what Memoria has put into it."""
    return _LABEL.sub("", _MARK.sub("", text)).replace(*_INERT)


def _record_says(line: str, sayings: Sayings) -> bool:
    if "\\u" not in line and not sayings.might_stand_in(line):
        return False
    try:
        record = json.loads(line)
    except ValueError:
        return sayings.stand_in(line)
    said, whole = _said_in(record), "\n".join(_texts_in(record))
    return any(map(sayings.stand_in, said)) or sayings.telling.stand_in(whole)


def _said_in(value: JsonValue) -> Iterator[str]:
    """What was said: short statements are looked for here alone, or every "user" would go."""
    match value:
        case list():
            for each in value:
                yield from _said_in(each)
        case dict():
            yield from (each for key in _SAID if isinstance(each := value.get(key), str))
            yield from (text for each in value.values() for text in _said_in(each))
            yield full_text(_record(value))
        case _:
            pass


def _texts_in(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            yield from (text for each in value for text in _texts_in(each))
        case dict():
            yield from (text for each in value.values() for text in _texts_in(each))
        case _:
            pass


def _record(value: Mapping[str, JsonValue]) -> _Record:
    content, tool = value.get("content"), value.get("tool_name")
    return _Record(
        content if isinstance(content, str) else "",
        tool if isinstance(tool, str) else None,
        value.get("tool_args"),
        value.get("tool_result"),
    )


def _lines(text: str) -> list[str]:
    """Only a line feed ends a line: in a record other such characters may stand as they are."""
    return _LINE.findall(text)


def _unusable(error: OSError) -> StoreUnavailableError:
    return StoreUnavailableError(
        f"{error.filename} can't be changed: {error.strerror}. Check that it is writable."
    )
