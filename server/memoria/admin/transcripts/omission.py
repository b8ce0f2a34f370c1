"""What is left out of every transcript, whoever reads it: an import, or hooks that point to it."""

from collections.abc import Iterator

from memoria.admin.transcripts.base import SkippedLine, TranscriptItem, TranscriptTurn
from memoria.admin.transcripts.own_calls import is_own_call
from memoria.bare.ignored import is_ignored


def leave_out(items: Iterator[TranscriptItem]) -> Iterator[TranscriptItem]:
    """The items without calls of our tools, and without what was said in folders left out.

    A session may begin in such a folder, or go there and come back: each turn counts for itself.
    """
    known: dict[str, bool] = {}
    for item in items:
        is_left_out = isinstance(item, TranscriptTurn) and (
            is_own_call(item.turn) or _is_in_ignored_folder(item, known)
        )
        yield SkippedLine(item.line or 0) if is_left_out else item


def _is_in_ignored_folder(said: TranscriptTurn, known: dict[str, bool]) -> bool:
    folder = said.folder or said.cwd
    if folder is None:
        return False
    if folder not in known:
        known[folder] = is_ignored(folder)
    return known[folder]
