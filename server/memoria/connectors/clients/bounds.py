"""Bounds of a project's files: no link of a repository leads out of it, no copy lies in one."""

import os
from pathlib import Path

from memoria.errors import ClientError

_REPOSITORY_SIGNS = (".git", ".hg", ".jj", ".svn")


def check_stays_inside(path: Path, project: Path) -> None:
    """Refuse a file of a project that a link, its own or a folder's, leads out of it.

    Raises:
        ClientError: a link does; it is named.
    """
    room, place = Path(os.path.realpath(project)), project
    for part in path.relative_to(project).parts:
        place = place / part
        target = Path(os.path.realpath(place))
        if not target.is_relative_to(room):
            raise ClientError(
                f"{place} is a link that leads out of the project, to {target}. Nothing was "
                "changed: put a file or folder of the project's own there, or connect with "
                "--scope user."
            )


def is_in_repository(folder: Path) -> bool:
    """Check whether a folder is versioned, so that what lies in it may be committed."""
    real = Path(os.path.realpath(folder))
    return any((one / sign).exists() for one in (real, *real.parents) for sign in _REPOSITORY_SIGNS)
