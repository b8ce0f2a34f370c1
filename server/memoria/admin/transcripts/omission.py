"""What is left out of every transcript, whoever reads it: an import, or hooks that point to it."""

from collections.abc import Iterator

from memoria.admin.transcripts.base import SkippedLine, TranscriptItem, TranscriptTurn
from memoria.bare.ignored import is_ignored
from memoria.ingest.own_calls import is_own_call


def leave_out(items: Iterator[TranscriptItem]) -> Iterator[TranscriptItem]:
    """The items without calls of our tools, and without what was said in folders left out.

    A session may begin in such a folder, or go there and come back: each turn counts for itself.
    """
    known: dict[str, bool] = {}
    for item in items:
        is_out = isinstance(item, TranscriptTurn) and is_left_out(item, known)
        yield SkippedLine(item.line or 0) if is_out else item


def is_left_out(said: TranscriptTurn, known: dict[str, bool]) -> bool:
    """Whether a turn is left out.

    Args:
        said: the turn.
        known: which folders are left out, as far as they were looked at.
    """
    return is_own_call(said.turn) or is_in_ignored_folder(said.folder or said.cwd, known)


def is_in_ignored_folder(folder: str | None, known: dict[str, bool]) -> bool:
    """Whether what belongs to a folder is left out; `known` as above."""
    if folder is None:
        return False
    if folder not in known:
        known[folder] = is_ignored(folder)
    return known[folder]
