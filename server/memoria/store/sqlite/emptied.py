"""Emptied files: a database file of no bytes is a new home, or one whose memory was lost.

SQLite takes both for a new file. They are told apart by what else is in the home: files that
Memoria writes only beside a database with something in it, and backups.
"""

import shlex
import time
from pathlib import Path

from memoria.bare.kept import KEPT
from memoria.disk.folders import DERIVED, PROJECTS
from memoria.disk.home_files import BACKUPS, TOMBSTONE_KEY, core_files
from memoria.errors import StoreDamagedError

_BACKUP_NAMES = "memoria-*.zip"
_TRACES = (TOMBSTONE_KEY, KEPT, PROJECTS, *DERIVED)
_LOOKS, _PAUSE_S = 10, 0.05
"""Number of looks, with pauses, in which a process that makes the file just now writes to it."""


def refuse_emptied(path: Path) -> None:
    """Refuse a database file that has lost its content: using the file would hide the loss.

    Raises:
        StoreDamagedError: it has no bytes, though the home has held a memory.
    """
    if not _stays_empty(path):
        return
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreDamagedError(_describe(path, "though its log is not"))
    backups = sorted((path.parent / BACKUPS).glob(_BACKUP_NAMES))
    if backups:
        raise StoreDamagedError(_describe(path, "though the home has backups", backups[-1]))
    if trace := _find_trace(path.parent):
        raise StoreDamagedError(_describe(path, f"though {trace} says that the home held a memory"))


def _stays_empty(path: Path) -> bool:
    if not path.is_file() or path.stat().st_size:
        return False
    if _find_trace(path.parent) is None and not (path.parent / BACKUPS).exists():
        return True  # nobody need wait: a home that begins
    for _ in range(_LOOKS):
        time.sleep(_PAUSE_S)
        if not path.is_file() or path.stat().st_size:
            return False
    return True


def _find_trace(home: Path) -> str | None:
    """Return a file or folder of a home that only a home with a memory has; None if none."""
    found = [*core_files(home), *(name for name in _TRACES if (home / name).exists())]
    return found[0] if found else None


def _describe(path: Path, why: str, backup: Path | None = None) -> str:
    home = shlex.quote(str(path.parent))
    what = f"The database is damaged: the file is empty, {why} ({path})."
    if backup is not None:
        named = shlex.quote(str(backup))
        return f"{what} `memoria --home {home} restore {named}` brings the newest backup back."
    return (
        f"{what} There is no backup in the home: `memoria --home {home} restore FILE` brings one "
        f"back that you keep elsewhere. To begin anew, move {path} away."
    )
