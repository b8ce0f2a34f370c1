"""Git repositories that folders belong to, shared by all of their worktrees."""

import os
import stat

from memoria.bare.foreign_files import may_be_path
from memoria.bare.git_links import find_shared, read_pointer


def find_workspace(folder: str | os.PathLike[str]) -> str | None:
    """Find the workspace of a folder: its git common directory, without the `/.git` at the end.

    Worktrees of one repository give the same answer, so that none is cut off from what the others
    learnt. Read from the files themselves (gitrepository-layout), so git need not be installed.
    A folder that is no longer there counts as where it was. None outside of any repository, and for
    what can't be a folder's path.
    """
    common = find_common(folder)
    return None if common is None else place_of(common)


def find_common(folder: str | os.PathLike[str]) -> str | None:
    """Find the git common directory of the repository that a folder is in; None outside of any."""
    given = os.path.expanduser(folder)
    if not may_be_path(os.fspath(given)):
        return None
    place = os.path.realpath(given)
    while True:
        common = _common_directory(os.path.join(place, ".git"))
        if common is not None:
            return common
        above = os.path.dirname(place)
        if above == place:
            return None
        place = above


def place_of(common: str) -> str:
    """Return a repository's place: its git common directory without the `/.git` at the end."""
    parent, name = os.path.split(common)
    return parent if name == ".git" else common


def _common_directory(git: str) -> str | None:
    """Return the directory all worktrees share, given a `.git` of whichever kind.

    A file that points at what does not point back makes its folder a project of its own.
    """
    try:
        kind = os.stat(git).st_mode
        if stat.S_ISDIR(kind):
            return git if os.path.exists(os.path.join(git, "HEAD")) else None
        if not stat.S_ISREG(kind):
            return None
        return find_shared(read_pointer(git), git) or git
    except (OSError, ValueError):
        return None  # a folder we may not read, or a file that is not git's, is no project
