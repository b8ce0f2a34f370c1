"""Drafts outside of a home: what a backup or an export is until it is whole, beside its target.

A process that is killed leaves its draft there, with all that was in it, and nobody would look for
it. So each is noted in the home before anything is written, in a file that its process holds
locked: a draft whose note nobody holds was left behind.
"""

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memoria.bare.file_locks import read_at, try_lock, write_at
from memoria.disk.folders import DRAFT, make_private, sync_folder
from memoria.disk.regular_files import list_folder

NOTES = "drafts"
"""The folder of a home with a note for each draft that is being written."""
STAGING = ".memoria-"
"""Start of the names of working folders; one is left behind by a process that died."""
_PRIVATE = 0o600
_HELD = 1 << 30
"""The byte of a note that its process locks: far behind the place, which others may read."""
_MOST_PLACE_BYTES = 16_384
_own_notes = set[Path]()
"""The notes of this process: it would not be kept out by its own locks."""


@contextmanager
def note_draft(home: Path, draft: Path) -> Iterator[None]:
    """Note a draft in the home for as long as this block takes."""
    note = (home / NOTES / secrets.token_hex(8)).absolute()
    make_private(note.parent)
    _own_notes.add(note)
    descriptor = os.open(note, os.O_CREAT | os.O_EXCL | os.O_RDWR, _PRIVATE)
    try:
        try_lock(descriptor, _HELD, 1)
        write_at(descriptor, 0, os.fsencode(draft.absolute()))
        os.fsync(descriptor)
        sync_folder(note.parent)
        yield
    finally:
        os.close(descriptor)  # first, as Windows deletes no file that is open
        note.unlink(missing_ok=True)
        _own_notes.discard(note)
        with suppress(OSError):  # another draft is noted there
            note.parent.rmdir()


def find_left_drafts(home: Path) -> list[Path]:
    """List the drafts that processes left behind which are no more."""
    return [draft for _, draft in _list_left(home) if _is_ours(draft)]


def delete_left_drafts(home: Path) -> None:
    """Delete the drafts that processes left behind, and their notes."""
    for note, draft in _list_left(home):
        if _is_ours(draft):
            shutil.rmtree(draft) if draft.is_dir() else draft.unlink()
        note.unlink(missing_ok=True)


def _list_left(home: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the notes that no process holds, each with the draft it names."""
    for note, found in list_folder(home, NOTES):
        if stat.S_ISREG(found.st_mode) and note.absolute() not in _own_notes:
            place = _read_if_left(note)
            if place:
                yield note, Path(os.fsdecode(place))


def _read_if_left(note: Path) -> bytes:
    """Read the place that a note names; empty where a process holds the note, or is about to."""
    try:
        descriptor = os.open(note, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return b""
    try:
        is_left = try_lock(descriptor, _HELD, 1)
        return read_at(descriptor, 0, _MOST_PLACE_BYTES) if is_left else b""
    finally:
        os.close(descriptor)


def _is_ours(draft: Path) -> bool:
    """Check whether there is a draft of this user's at a place, by its name and kind."""
    try:
        found = draft.lstat()
    except OSError:
        return False
    if os.name == "posix" and found.st_uid != os.getuid():
        return False
    if stat.S_ISDIR(found.st_mode):
        return draft.name.startswith(STAGING)
    return stat.S_ISREG(found.st_mode) and DRAFT.fullmatch(draft.name) is not None
