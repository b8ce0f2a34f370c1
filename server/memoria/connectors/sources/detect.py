"""Table of all sources, detection of each source's files, and counts of the files' items.

A format that is given is taken at its word. Without one, every file is looked into: a file that no
source recognises is named with what it seems to be, and is not read as anything.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from memoria.connectors.packages import SOURCES_GROUP, guard_call, load_connectors
from memoria.connectors.sources.basic_memory import BASIC_MEMORY
from memoria.connectors.sources.chatgpt import CHATGPT
from memoria.connectors.sources.claude_ai import CLAUDE_AI
from memoria.connectors.sources.claude_mem import CLAUDE_MEM
from memoria.connectors.sources.conversations import TRANSCRIPTS
from memoria.connectors.sources.cursor import CURSOR
from memoria.connectors.sources.git import GIT
from memoria.connectors.sources.goose import GOOSE
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource, read_file
from memoria.connectors.sources.memory_stores import MEM0, MEMORIES_JSON, MEMORY_SERVICE
from memoria.connectors.sources.notes import NOTES, OBSIDIAN
from memoria.connectors.sources.opencode import OPENCODE
from memoria.connectors.sources.probe import Probe
from memoria.connectors.sources.server_memory import SERVER_MEMORY
from memoria.connectors.transcripts import (
    SkippedLine,
    TranscriptSource,
    TranscriptTurn,
    UnusableLine,
)
from memoria.connectors.transcripts.base import BadLine, FoldersLeftOut
from memoria.connectors.transcripts.files import (
    Transcript,
    find_transcripts,
    has_own_notes,
    name_transcripts,
    refuse_other_kinds,
)
from memoria.errors import InvalidInputError

_SOURCES = (
    *TRANSCRIPTS,
    CURSOR,
    OPENCODE,
    GOOSE,
    CHATGPT,
    CLAUDE_AI,
    SERVER_MEMORY,
    MEM0,
    MEMORY_SERVICE,
    CLAUDE_MEM,
    MEMORIES_JSON,
    BASIC_MEMORY,
    OBSIDIAN,
    NOTES,
    GIT,
)
SOURCES: Mapping[str, ImportSource] = {source.name: source for source in _SOURCES}


def list_sources(
    packages: Sequence[str], warn: Callable[[str], None]
) -> Mapping[str, ImportSource]:
    """List all sources: first those of other packages, then ours."""
    loaded = load_connectors(packages, SOURCES_GROUP, ImportSource, SOURCES, warn)
    return {**{one.name: _keep_apart(one, warn) for one in loaded}, **SOURCES}


def _keep_apart(source: ImportSource, warn: Callable[[str], None]) -> ImportSource:
    """Guard a source's functions, so that an error in one does not end the others."""
    none: list[Path] = []
    find_places = guard_call(source.name, lambda: [*source.places()], none, warn)

    def list_places() -> Iterator[Path]:
        yield from find_places()

    recognises = guard_call(source.name, source.recognises, False, warn)
    return replace(source, recognises=recognises, places=list_places)


_SUFFIXES = frozenset(
    ".json .jsonl .ndjson .zst .zip .db .sqlite .sqlite3 .vscdb .md .markdown .txt".split()
)
_OPENCODE = frozenset({"session", "message", "part"})
"""Folders side by side that hold one conversation in pieces: the first names the others' files."""
_NOT_LOOKED_INTO = frozenset({"node_modules", "__pycache__", "venv"})


@dataclass(frozen=True, slots=True)
class SourceFiles:
    """The files of one source."""

    source: ImportSource
    files: tuple[Transcript, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class UnknownFile:
    """A file that no source recognises."""

    path: Path
    description: str
    is_damaged: bool = False
    """True if the file is damaged, so that no format can read it."""


@dataclass(slots=True)
class _Finds:
    """Files of one source, by their real paths."""

    named: dict[Path, Path] = field(default_factory=dict)
    found: dict[Path, Path] = field(default_factory=dict)


def find_files(source: ImportSource, paths: Sequence[Path]) -> SourceFiles:
    """Find the files of a source in some paths; without paths, where the source keeps its data.

    Raises:
        InvalidInputError: no file can be read; the message says what to do.
    """
    if source.find is not None:
        return SourceFiles(source, tuple(source.find(paths)))
    places = paths or source.list_places()
    if not places and source.folder is None and source.name != "jsonl":
        raise InvalidInputError(
            f"There is nothing of {source.title} where it keeps its data. Name the files or "
            "folders to import."
        )
    return SourceFiles(source, tuple(find_transcripts(places, source)))


def detect_files(
    paths: Sequence[Path], sources: Mapping[str, ImportSource] = SOURCES
) -> tuple[list[SourceFiles], list[UnknownFile]]:
    """Sort files by source, those in folders too; also list the files that no source recognises.

    Raises:
        InvalidInputError: a path leads to nothing that can be read.
    """
    finds: dict[str, _Finds] = {}
    unknown: list[UnknownFile] = []
    patterns = (pattern for source in sources.values() for pattern in source.patterns)
    suffixes = _SUFFIXES | {Path(pattern).suffix.lower() for pattern in patterns}
    for path in paths:
        if not path.exists():
            raise InvalidInputError(f"{path} does not exist. Give a file or folder that does.")
        if not path.is_dir():
            refuse_other_kinds(path)
        for file in _walk(path, suffixes) if path.is_dir() else (path,):
            probe = Probe(file)
            source = recognise(probe, sources)
            if source is None:
                description = "a damaged zip" if probe.is_damaged else probe.description
                unknown.append(UnknownFile(file, description, probe.is_damaged))
            elif not set(file.relative_to(path).parts) & source.excluded_folders:
                own = finds.setdefault(source.name, _Finds())
                own.found[file.resolve()] = file
                if file == path:
                    own.named[file.resolve()] = file
    return [
        SourceFiles(source, tuple(name_transcripts(finds[name].named, finds[name].found)))
        for name, source in sources.items()
        if name in finds
    ], [one for one in unknown if not _is_companion(one.path, finds, sources)]


def _is_companion(
    path: Path, finds: Mapping[str, _Finds], sources: Mapping[str, ImportSource]
) -> bool:
    """Check whether a program writes a file of this name beside its data, and its data is there."""
    return any(
        path.name in sources[name].companions
        and any(file.parent == path.parent for file in own.found.values())
        for name, own in finds.items()
    )


def recognise(probe: Probe, sources: Mapping[str, ImportSource] = SOURCES) -> ImportSource | None:
    """Return the source that recognises a file; None where no source does."""
    return next((source for source in sources.values() if source.recognises(probe)), None)


def find_everything(sources: Mapping[str, ImportSource] = SOURCES) -> list[SourceFiles]:
    """List the files of every source that are on this machine."""
    found = []
    for source in sources.values():
        files: dict[Path, Transcript] = {}
        for place in source.list_places():
            try:
                of_place = find_transcripts([place], source)
            except InvalidInputError:
                continue  # a folder that is there, with nothing in it
            files.update((file.path.resolve(), file) for file in of_place)
        own = [
            file
            for file in files.values()
            if source.folder is not None or source.recognises(Probe(file.path))
        ]
        if own:
            found.append(SourceFiles(source, tuple(own)))
    return found


def _walk(folder: Path, suffixes: frozenset[str]) -> Iterator[Path]:
    """Yield the files of a folder that may be data, always in the same order."""
    for parent, folders, files in os.walk(folder):
        if has_own_notes(Path(parent)):
            folders.clear()
            continue
        left_out = set(folders) if set(folders) >= _OPENCODE else _NOT_LOOKED_INTO
        folders[:] = sorted(
            name
            for name in folders
            if name == "session" or not (name in left_out or name.startswith("."))
        )
        for name in sorted(files):
            path = Path(parent) / name
            if path.suffix.lower() in suffixes and path.is_file() and not path.is_symlink():
                yield path


_PROGRESS_ITEMS = 500
_MOST_NAMED = 3


@dataclass(slots=True)
class SourceCount:
    """Contents of a source, counted."""

    source: ImportSource
    paths: tuple[Path, ...]
    files: int = 0
    size: int = 0
    """Bytes of all files."""
    conversations: int = 0
    turns: int = 0
    memories: int = 0
    skipped: int = 0
    bad: int = 0
    bad_lines: list[BadLine] = field(default_factory=list)
    """The first few lines that can't be read."""
    first_at: int | None = None
    last_at: int | None = None
    _sessions: set[str] = field(default_factory=set)

    def add_item(self, item: ImportItem, path: Path) -> None:
        """Count an item of a file."""
        match item:
            case TranscriptTurn():
                self.turns += 1
                self._sessions.add(item.turn.session_id or "")
                self.conversations = len(self._sessions)
                self._note_time(item.turn.at)
            case ForeignItem():
                self.memories += 1
                self._note_time(item.memory.at)
            case SkippedLine():
                self.skipped += 1
            case UnusableLine():
                self.bad += 1
                if len(self.bad_lines) < _MOST_NAMED:
                    self.bad_lines.append(BadLine(str(path), item.line, item.problem))

    def _note_time(self, at: int | None) -> None:
        if at is not None:
            self.first_at = at if self.first_at is None else min(at, self.first_at)
            self.last_at = at if self.last_at is None else max(at, self.last_at)


def count_items(
    groups: Sequence[SourceFiles],
    progress: Callable[[Path, int], None],
    ignored_folders: Sequence[str] = (),
) -> list[SourceCount]:
    """Count the items in the files of some sources."""
    folders = FoldersLeftOut(ignored_folders)
    before = 0
    counts = []
    for group in groups:
        count = SourceCount(group.source, tuple(file.path for file in group.files))
        for file in group.files:
            is_document = file.path.suffix in group.source.documents
            source = TranscriptSource(file.path, file.session, is_document=is_document)
            for number, item in enumerate(read_file(source, group.source.read, folders)):
                count.add_item(item, file.path)
                if number % _PROGRESS_ITEMS == 0:
                    progress(file.path, before + min(source.position, file.size))
            before += file.size
            count.files += 1
            count.size += file.size
        counts.append(count)
    return counts
