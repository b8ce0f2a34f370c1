"""Files: erasing phrases from the text files of a tenant.

In JSON Lines a record goes if it holds a phrase, however that is escaped there, or is the record
of an erased turn. In other texts the lines go in which a phrase occurs, also where it runs over
several of them. A file that a nightly run wrote and nobody has edited goes whole: the next run
writes it anew from what is left.
"""

import hashlib
import json
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from memoria.errors import StoreUnavailableError
from memoria.model.core import CONTRADICTED
from memoria.store.files import BACKUPS, replace_file
from memoria.store.folders import BEFORE_IMAGES, DRAFT, TENANTS, tenant_folder
from memoria.store.regular_files import find_obstacle, list_files, read_file
from memoria.text.document import full_text
from memoria.text.phrases import Phrases

_RECORDS = ".jsonl"
_SUFFIXES = (".md", ".txt", _RECORDS)
_RESTORED_OVER = "before-restore-*"
_MARK = re.compile(r"[ \t]*<!-- [a-z]:[0-9a-f]{4,36} -->")
_LABEL = re.compile(
    r"^- (?:file says|chat says|put aside in chat|taken out here, kept so far): ", re.MULTILINE
)
"""Begins a line of a core file that tells what stands against what."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_CONTENT_KEYS = ("content", "text")
_INERT = "‹!--", "<!--"
_State = tuple[int, int, int]
_NO_MARKS: Mapping[str, Collection[str]] = {}


class FileLine(NamedTuple):
    """A line of a file that somebody may have written or edited."""

    place: str
    """Of the file, below the tenant's folder."""
    text: str


@dataclass(frozen=True, slots=True)
class _Unwanted:
    """What is to go from a file."""

    phrases: Phrases
    turn_ids: Collection[str]
    """Of turns whose records are to go, whatever they say."""
    marks: Collection[str] = ()
    """Of lines that are to go, whatever they say."""


@dataclass(frozen=True, slots=True)
class _Record:
    """A line of JSON that may be a turn."""

    content: str
    tool_name: str | None
    tool_args: JsonValue
    tool_result: JsonValue


class TextFileEraser:
    """Erases from a tenant's text files. A second search reads only what has changed since."""

    def __init__(self, home: Path, tenant: str) -> None:
        self._home = home
        self._tenant = tenant
        self._folder = tenant_folder(home, tenant)
        self._clean: dict[Path, _State] = {}
        self._searched_for: object = None

    def find_lines(
        self,
        phrases: Phrases,
        generated: Mapping[str, str],
        erased_ids: Collection[str] = (),
        marks: Mapping[str, Collection[str]] = _NO_MARKS,
    ) -> list[FileLine]:
        """The lines that `erase_phrases` would take out; none of a file that goes whole.

        Raises:
            StoreUnavailableError: a file can't be read.
        """
        self._search_for(phrases, erased_ids, marks)
        ids, found = frozenset(erased_ids), list[FileLine]()
        with _store_errors():
            for file in sorted(set(self._text_files())):
                unwanted = _Unwanted(phrases, ids, marks.get(self._place(file), ()))
                texts = self._read_without(file, unwanted)
                if texts is not None and not self._goes_whole(file, generated):
                    lines = _list_removed(*texts)
                    found += (FileLine(self._place(file), line) for line in lines)
        return found

    def erase_phrases(
        self,
        phrases: Phrases,
        generated: Mapping[str, str],
        erased_ids: Collection[str] = (),
        marks: Mapping[str, Collection[str]] = _NO_MARKS,
    ) -> list[Path]:
        """Take out whatever holds one of the phrases. Gives the files changed or deleted.

        Backups are left alone: they are the user's to delete. So are other tenants' files.

        Args:
            phrases: what is to go.
            generated: what nightly runs wrote: digests by place below the tenant's folder.
            erased_ids: of turns whose records are to go, whatever they say.
            marks: of lines that are to go, whatever they say, by the place of their file.

        Raises:
            StoreUnavailableError: a file can't be changed. Others may have been.
            UnusableFileError: a file is too large to be searched, or can't be read.
        """
        self._search_for(phrases, erased_ids, marks)
        ids, changed = frozenset(erased_ids), list[Path]()
        with _store_errors():
            for file in sorted(set(self._text_files())):
                unwanted = _Unwanted(phrases, ids, marks.get(self._place(file), ()))
                if self._erase_in_file(file, unwanted, generated):
                    changed.append(file)
        return changed

    def remove_generated(self, path: str, generated: Mapping[str, str]) -> list[Path]:
        """Delete what a run wrote at a place, unless it was edited, and what stood there before.

        Raises:
            StoreUnavailableError: a file can't be deleted.
        """
        with _store_errors():
            images = self._folder.glob(f"{BEFORE_IMAGES}/*/{path}")
            gone = [file for file in images if _is_ours(self._home, file)]
            if self._is_as_generated(self._folder / path, generated):
                gone.append(self._folder / path)
            for file in gone:
                file.unlink(missing_ok=True)
        return gone

    def remove_all(self) -> list[Path]:
        """Delete every text file of the tenant, whoever wrote it. Backups are left alone.

        Raises:
            StoreUnavailableError: a file can't be deleted.
        """
        with _store_errors():
            gone = sorted(set(self._text_files()))
            for file in gone:
                file.unlink(missing_ok=True)
        return gone

    def list_files(self) -> list[str]:
        """The places of the tenant's text files."""
        with _store_errors():
            return [self._place(file) for file in sorted(set(self._text_files()))]

    def list_places(self, files: list[Path]) -> set[str]:
        """The places below the tenant's folder of files that a nightly run wrote, or wrote over."""
        inside = (f.relative_to(self._folder) for f in files if f.is_relative_to(self._folder))
        return {
            Path(*f.parts[2:]).as_posix() if f.parts[0] == BEFORE_IMAGES else f.as_posix()
            for f in inside
        }

    def _search_for(
        self,
        phrases: Phrases,
        erased_ids: Collection[str],
        marks: Mapping[str, Collection[str]],
    ) -> None:
        """Read every file anew where something else is searched for than before."""
        wanted = phrases.statements, frozenset(erased_ids), marks
        if wanted != self._searched_for:
            self._clean.clear()
            self._searched_for = wanted

    def _place(self, file: Path) -> str:
        root = self._folder if file.is_relative_to(self._folder) else self._home
        return file.relative_to(root).as_posix()

    def _erase_in_file(self, file: Path, unwanted: _Unwanted, generated: Mapping[str, str]) -> bool:
        texts = self._read_without(file, unwanted)
        if texts is None:
            return False
        if self._goes_whole(file, generated):
            file.unlink(missing_ok=True)
        else:
            replace_file(file, texts[1].encode("utf-8", "surrogateescape"))
        return True

    def _read_without(self, file: Path, unwanted: _Unwanted) -> tuple[str, str] | None:
        """The text as it is and as it is to be; None where nothing of it is to go."""
        state = _read_state(file)
        if state is None or self._clean.get(file) == state:
            return None
        content = read_file(self._home, file.relative_to(self._home))
        if content is None:
            return None
        text = content.decode("utf-8", "surrogateescape")
        kept = _remove_unwanted(text, unwanted, _suffix(file))
        if kept != text:
            return text, kept
        self._clean[file] = state
        return None

    def _goes_whole(self, file: Path, generated: Mapping[str, str]) -> bool:
        return self._is_generated(file, generated) or DRAFT.fullmatch(file.name) is not None

    def _is_generated(self, file: Path, generated: Mapping[str, str]) -> bool:
        image = self._folder / BEFORE_IMAGES
        return file.is_relative_to(image) or self._is_as_generated(file, generated)

    def _is_as_generated(self, file: Path, generated: Mapping[str, str]) -> bool:
        """Whether a file says just what a nightly run wrote into it."""
        if not file.is_relative_to(self._folder):
            return False
        noted = generated.get(file.relative_to(self._folder).as_posix())
        content = None if noted is None else read_file(self._home, file.relative_to(self._home))
        return content is not None and hashlib.sha256(content).hexdigest() == noted

    def _text_files(self) -> Iterator[Path]:
        for root in (self._folder, *self._folders_restored_over()):
            for file in list_files(self._home, root.relative_to(self._home)):
                inside = file.relative_to(self._home).parts
                others = root == self._home and TENANTS in inside[:2]
                if _suffix(file) in _SUFFIXES and inside[0] != BACKUPS and not others:
                    yield file

    def _folders_restored_over(self) -> Iterator[Path]:
        """Folders that restores have set aside of a tenant with a folder of its own."""
        if self._folder != self._home:
            yield from self._home.glob(f"{_RESTORED_OVER}/{self._folder.relative_to(self._home)}")


def _is_ours(home: Path, file: Path) -> bool:
    """Whether a file is one of the home, and no link leads to it."""
    return find_obstacle(home, file.relative_to(home)) is None


def _suffix(file: Path) -> str:
    draft = DRAFT.fullmatch(file.name)
    return Path(draft[1] if draft else file.name).suffix


def _read_state(file: Path) -> _State | None:
    """Which file it is and when it was last changed; None where it has gone."""
    try:
        found = file.lstat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _remove_unwanted(text: str, unwanted: _Unwanted, suffix: str) -> str:
    """The text without what holds one of the phrases, has a mark, or records an erased turn."""
    phrases = unwanted.phrases
    if suffix == _RECORDS:
        return "".join(
            line
            for line in _split_lines(text)
            if not (_is_record_of(line, unwanted.turn_ids) or _record_contains(line, phrases))
        )
    kept = [line for line in _split_lines(text) if not _has_mark(line, unwanted.marks)]
    if not phrases.may_occur_in(text):
        return "".join(kept)
    kept = [line for line in kept if not _line_contains(line, phrases)]
    while phrases.occur_in(_strip_markup("".join(kept))):
        _remove_shortest_match(kept, phrases)
    return "".join(kept)


def _has_mark(line: str, marks: Collection[str]) -> bool:
    return any(f"<!-- {mark} -->" in line for mark in marks)


def _list_removed(text: str, kept: str) -> list[str]:
    """The lines of a text that are missing in what is kept of it, without our own marks."""
    left = iter(_split_lines(kept))
    waiting = next(left, None)
    removed: list[str] = []
    for line in _split_lines(text):
        if line == waiting:
            waiting = next(left, None)
        else:
            removed.append(_strip_markup(line).strip())
    return removed


def _is_record_of(line: str, turn_ids: Collection[str]) -> bool:
    """Whether a line is the record of one of these turns, as a history file has it."""
    if not any(turn_id in line for turn_id in turn_ids):
        return False
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("id") in turn_ids


def _remove_shortest_match(lines: list[str], phrases: Phrases) -> None:
    """Take out the fewest lines that hold a phrase together, the first of such."""

    def says(first: int, end: int) -> bool:
        return phrases.occur_in(_strip_markup("".join(lines[first:end])))

    end = bisect_left(range(len(lines)), True, key=lambda i: says(0, i + 1)) + 1
    begins = bisect_left(range(end), True, key=lambda i: not says(i, end))
    del lines[max(0, begins - 1) : end]


def _line_contains(line: str, phrases: Phrases) -> bool:
    return phrases.may_occur_in(line) and (
        phrases.occur_in(line) or phrases.occur_in(_strip_markup(line))
    )


def _strip_markup(text: str) -> str:
    """The text without the labels and marks that Memoria has put into it."""
    plain = _LABEL.sub("", _MARK.sub("", text)).replace(CONTRADICTED, "")
    return plain.replace(*_INERT)


def _record_contains(line: str, phrases: Phrases) -> bool:
    if "\\u" not in line and not phrases.may_occur_in(line):
        return False
    try:
        record = json.loads(line)
    except ValueError:
        return phrases.occur_in(line)
    said, whole = _content_texts(record), "\n".join(_all_texts(record))
    return any(map(phrases.occur_in, said)) or phrases.distinctive.occur_in(whole)


def _content_texts(value: JsonValue) -> Iterator[str]:
    """What was said: short phrases are looked for in it alone, or every "user" would go."""
    match value:
        case list():
            for each in value:
                yield from _content_texts(each)
        case dict():
            yield from (each for key in _CONTENT_KEYS if isinstance(each := value.get(key), str))
            yield from (text for each in value.values() for text in _content_texts(each))
            yield full_text(_to_record(value))
        case _:
            pass


def _all_texts(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            yield from (text for each in value for text in _all_texts(each))
        case dict():
            yield from (text for each in value.values() for text in _all_texts(each))
        case _:
            pass


def _to_record(value: Mapping[str, JsonValue]) -> _Record:
    content, tool = value.get("content"), value.get("tool_name")
    return _Record(
        content if isinstance(content, str) else "",
        tool if isinstance(tool, str) else None,
        value.get("tool_args"),
        value.get("tool_result"),
    )


def _split_lines(text: str) -> list[str]:
    """Only a line feed ends a line: in a record other such characters may stand as they are."""
    return _LINE.findall(text)


@contextmanager
def _store_errors() -> Iterator[None]:
    """Turn errors of the operating system into one that says which file it is."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailableError(
            f"{error.filename} can't be changed: {error.strerror}. Check that it is writable."
        ) from error
