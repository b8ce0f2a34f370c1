"""What is done with the items of every source, whatever it is."""

import hashlib
from collections.abc import Iterator

from memoria.admin.imports.interface import ForeignItem, ImportItem
from memoria.admin.transcripts.base import SkippedLine, TranscriptPosition, TranscriptTurn
from memoria.admin.transcripts.omission import is_in_ignored_folder, is_left_out
from memoria.admin.transcripts.source import UnusableLine
from memoria.model import Role

_ID_CHARS = 32


def leave_out_items(items: Iterator[ImportItem]) -> Iterator[ImportItem]:
    """The items without calls of our own tools, and without what belongs to folders left out."""
    known: dict[str, bool] = {}
    for item in items:
        match item:
            case TranscriptTurn() if is_left_out(item, known):
                yield SkippedLine(item.line)
            case ForeignItem() if is_in_ignored_folder(item.folder, known):
                yield SkippedLine(item.line)
            case _:
                yield item


def as_note(item: ForeignItem, client: str) -> TranscriptTurn | UnusableLine:
    """What is too long for a memory, as a turn of the record: nobody has yet concluded from it."""
    given = item.memory
    own_id = hashlib.sha256(given.key.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_CHARS]
    place = TranscriptPosition(
        item.line, item.size, f"{client} notes", own_id, given.at, item.folder
    )
    return place.turn(Role.ASSISTANT, content=given.content, speaker=given.author)
