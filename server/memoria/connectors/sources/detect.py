"""Detection of the files an import reads, and of what each of them is.

A format that is given is taken at its word. Without one, every file is looked into: what nobody
recognises is named with what it seems to be, and is not read as anything.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memoria.connectors.sources.interface import ImportSource
from memoria.connectors.sources.probe import Probe
from memoria.connectors.sources.table import SOURCES
from memoria.connectors.transcripts.files import (
    Transcript,
    find_transcripts,
    has_own_notes,
    name_transcripts,
    refuse_other_kinds,
)
from memoria.errors import InvalidInputError

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
    """True if no format could help."""


@dataclass(slots=True)
class _Finds:
    """The files of one source, by their real paths."""

    named: dict[Path, Path] = field(default_factory=dict)
    found: dict[Path, Path] = field(default_factory=dict)


def find_files(source: ImportSource, paths: Sequence[Path]) -> SourceFiles:
    """Find the files of a source that is named.

    Args:
        source: the source.
        paths: files and folders; where the source keeps its data by default.

    Raises:
        InvalidInputError: there is nothing to read; says what to do.
    """
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
    """Sort files, and those in folders, by what they are; also list those that nobody recognises.

    Args:
        paths: files and folders.
        sources: the sources there are, in the order in which they are tried.

    Raises:
        InvalidInputError: a path leads to nothing that can be read.
    """
    finds: dict[str, _Finds] = {}
    unknown: list[UnknownFile] = []
    suffixes = _SUFFIXES | _suffixes_of(sources.values())
    for path in paths:
        if not path.exists():
            raise InvalidInputError(f"{path} does not exist. Give a file or folder that does.")
        if not path.is_dir():
            refuse_other_kinds(path)
        for file in _walk(path, suffixes) if path.is_dir() else (path,):
            probe = Probe(file)
            source = recognise(probe, sources)
            if source is None:
                unknown.append(_describe(probe))
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
    """Check whether a file lies beside what a program has left, and is one that it writes there."""
    return any(
        path.name in sources[name].companions
        and any(file.parent == path.parent for file in own.found.values())
        for name, own in finds.items()
    )


def recognise(probe: Probe, sources: Mapping[str, ImportSource] = SOURCES) -> ImportSource | None:
    """Return the source that a file is of; None where none knows it."""
    return next((source for source in sources.values() if source.recognises(probe)), None)


def _suffixes_of(sources: Iterable[ImportSource]) -> frozenset[str]:
    """Return the suffixes of all files that sources read."""
    return frozenset(
        Path(pattern).suffix.lower() for source in sources for pattern in source.patterns
    )


def _describe(probe: Probe) -> UnknownFile:
    if probe.is_damaged:
        return UnknownFile(probe.path, "a damaged zip", is_damaged=True)
    return UnknownFile(probe.path, probe.description)


def find_everything(sources: Mapping[str, ImportSource] = SOURCES) -> list[SourceFiles]:
    """List what there is on this machine, source by source."""
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
    """Yield the files of a folder that may be data, in an order that does not change."""
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
