"""Handling that the items of every source have in common."""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial

from memoria.connectors.sources.interface import ForeignItem, ImportItem
from memoria.connectors.transcripts.base import SkippedLine, TranscriptPosition, TranscriptTurn
from memoria.connectors.transcripts.each import guard
from memoria.connectors.transcripts.omission import FoldersLeftOut, is_left_out
from memoria.connectors.transcripts.source import TranscriptSource, UnusableLine
from memoria.model import Role

Reader = Callable[[TranscriptSource], Iterator[ImportItem]]
_ID_CHARS = 32


def read_file(
    source: TranscriptSource, read: Reader, folders: FoldersLeftOut
) -> Iterator[ImportItem]:
    """Yield the items of a file, without our own tools' calls and what folders leave out.

    Args:
        source: the file.
        read: the reader of its format. What it raises outside of an item ends this file alone.
        folders: those of which nothing is kept.
    """
    for item in guard(None, read, source):
        yield from guard(item.line, partial(_leave_out, folders=folders), item)


def _leave_out(item: ImportItem, folders: FoldersLeftOut) -> list[ImportItem]:
    match item:
        case TranscriptTurn() if is_left_out(item, folders):
            return [SkippedLine(item.line)]
        case ForeignItem() if item.folder in folders:
            return [SkippedLine(item.line)]
        case _:
            return [item]


def as_note(item: ForeignItem, client: str) -> TranscriptTurn | UnusableLine:
    """Turn what is too long for a memory into a turn, from which nobody has yet concluded."""
    given = item.memory
    own_id = hashlib.sha256(given.key.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARS]
    place = TranscriptPosition(
        item.line, item.size, f"{client} notes", own_id, given.at, item.folder
    )
    return place.turn(Role.ASSISTANT, content=given.content, speaker=given.author)
