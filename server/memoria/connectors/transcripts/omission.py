"""Rules on what is left out of every transcript, by an import and by hooks that point to it."""

from collections.abc import Iterator, Sequence

from memoria.bare.ignored import is_ignored
from memoria.connectors.transcripts.base import SkippedLine, TranscriptItem, TranscriptTurn
from memoria.language.reading.own_calls import is_own_call


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
