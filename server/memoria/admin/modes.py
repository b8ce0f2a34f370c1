"""File modes: a home's files are readable by their owner alone, and the owner can write them."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memoria.model import FIX, Finding
from memoria.store.folders import DERIVED, SCHEDULED_JOB, TENANTS

_FILE, _FOLDER, _OTHERS = 0o600, 0o700, 0o077
_OURS = (
    "memoria.db*",
    "*.md",
    "tombstone.key",
    SCHEDULED_JOB,
    "backups",
    "backups/**/*",
    "before-restore-*",
    "before-restore-*/**/*",
    *DERIVED,
    *(f"{folder}/**/*" for folder in DERIVED),
    TENANTS,
    f"{TENANTS}/**/*",
    ".memoria-*",
    ".memoria-*/**/*",
)
_FEW = 3
_ROOT = 0
_POSIX = os.name == "posix"


def check_privacy(home: Path) -> Finding:
    """Whether only this user can read the home, and this user can write it."""
    ours = _home_files(home)
    strangers = [one.path for one in ours if one.owner != os.geteuid()]
    if strangers:
        return Finding(
            check="privacy",
            state="warning" if os.geteuid() == _ROOT else "error",
            detail=f"another user owns {_list_paths(strangers)}",
            cure="Run Memoria as that user only, or give the home to this one with chown -R.",
        )
    closed = [one.path for one in ours if one.mode & one.wanted != one.wanted]
    if closed:
        return Finding(
            check="privacy",
            state="error",
            detail=f"{_list_paths(closed)} can't be written",
            cure=FIX,
        )
    exposed = [one.path for one in ours if one.mode & ~one.wanted & _OTHERS]
    if exposed:
        detail = f"other users may read {_list_paths(exposed)}"
        return Finding(check="privacy", state="warning", detail=detail, cure=FIX)
    return Finding(check="privacy", state="ok", detail="only this user can read the home")


def make_private(home: Path) -> None:
    """Give every file that Memoria made the mode it is made with.

    Raises:
        OSError: one belongs to somebody else.
    """
    home.chmod(_FOLDER)  # first: what lies in a closed folder can't be seen
    for one in _home_files(home):
        if one.mode != one.wanted:
            with suppress(FileNotFoundError):
                one.path.chmod(one.wanted)


@dataclass(frozen=True, slots=True)
class _HomeFile:
    """Something in a home."""

    path: Path
    owner: int
    mode: int
    wanted: int


def _home_files(home: Path) -> list[_HomeFile]:
    """The home and what Memoria made in it. Links are left alone: they may lead anywhere."""
    if not (_POSIX and home.is_dir()):
        return []
    found = {path for pattern in _OURS for path in home.glob(pattern)}
    kept = []
    for path in (home, *sorted(found)):
        with suppress(FileNotFoundError):  # a log goes with the last process that had it open
            kept += _inspect(path)
    return kept


def _inspect(path: Path) -> list[_HomeFile]:
    seen = path.lstat()
    if stat.S_ISLNK(seen.st_mode):
        return []
    wanted = _FOLDER if stat.S_ISDIR(seen.st_mode) else _FILE
    return [_HomeFile(path, seen.st_uid, stat.S_IMODE(seen.st_mode), wanted)]


def _list_paths(paths: list[Path]) -> str:
    more = len(paths) - _FEW
    return ", ".join(map(str, paths[:_FEW])) + (f" and {more} more" if more > 0 else "")
