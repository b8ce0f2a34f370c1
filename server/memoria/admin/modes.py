"""File modes: what is in a home is its owner's alone, and the owner can write it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from memoria.model import FIX, Finding

_FILE, _FOLDER = 0o600, 0o700
_OURS = (
    "memoria.db*",
    "*.md",
    "tombstone.key",
    "backups",
    "backups/**/*",
    "before-restore-*",
    "before-restore-*/**/*",
    ".memoria-*",
    ".memoria-*/**/*",
)
_FEW = 3
_ROOT = 0
_POSIX = os.name == "posix"


def privacy(home: Path) -> Finding:
    """Whether only this user can read the home, and this user can write it."""
    strangers = [path for path in _ours(home) if _belongs_to_another(path)]
    if strangers:
        return Finding(
            check="privacy",
            state="warning" if os.geteuid() == _ROOT else "error",
            detail=f"another user owns {_named(strangers)}",
            cure="Run Memoria as that user only, or give the home to this one with chown -R.",
        )
    closed = [path for path in _ours(home) if _mode(path) & _wanted(path) != _wanted(path)]
    if closed:
        return Finding(
            check="privacy", state="error", detail=f"{_named(closed)} can't be written", cure=FIX
        )
    exposed = [path for path in _ours(home) if _mode(path) & ~_wanted(path) & 0o077]
    if exposed:
        detail = f"other users may read {_named(exposed)}"
        return Finding(check="privacy", state="warning", detail=detail, cure=FIX)
    return Finding(check="privacy", state="ok", detail="only this user can read the home")


def make_private(home: Path) -> None:
    """Give every file of ours the mode it is made with.

    Raises:
        OSError: one belongs to somebody else.
    """
    home.chmod(_FOLDER)  # first: what lies in a closed folder can't be seen
    for path in _ours(home):
        if _mode(path) != _wanted(path):
            path.chmod(_wanted(path))


def _ours(home: Path) -> Iterator[Path]:
    """The home and what Memoria made in it. Links are left alone: they may lead anywhere."""
    if _POSIX and home.is_dir():
        yield home
        found = {path for pattern in _OURS for path in home.glob(pattern)}
        yield from (path for path in sorted(found) if not path.is_symlink())


def _wanted(path: Path) -> int:
    return _FOLDER if path.is_dir() else _FILE


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _belongs_to_another(path: Path) -> bool:
    return path.stat().st_uid != os.geteuid()


def _named(paths: list[Path]) -> str:
    more = len(paths) - _FEW
    return ", ".join(map(str, paths[:_FEW])) + (f" and {more} more" if more > 0 else "")
