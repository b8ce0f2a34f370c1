"""Counting what an import would read, without a home and without writing anything."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memoria.connectors.sources.detect import SourceFiles
from memoria.connectors.sources.interface import ForeignItem, ImportItem, ImportSource
from memoria.connectors.sources.items import read_file
from memoria.connectors.transcripts import (
    SkippedLine,
    TranscriptSource,
    TranscriptTurn,
    UnusableLine,
)
from memoria.connectors.transcripts.base import BadLine
from memoria.connectors.transcripts.omission import FoldersLeftOut

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
    """The first few of those that can't be read."""
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
    """Count what some sources have.

    Args:
        groups: the files of each source.
        progress: told the file, and the bytes read so far of all files together.
        ignored_folders: those of which nothing is kept.
    """
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
