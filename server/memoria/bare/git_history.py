"""The first commit of a repository, found by going back from its newest one."""

import os

from memoria.bare.foreign_files import read_foreign
from memoria.bare.git_objects import COMMIT_CHARS, Objects

_MOST_COMMITS = 5_000
"""Commits to go back at most: some tenths of a second, once for each project."""
_MOST_REFS = 1 << 24
_LINKS = 5
_REF = "ref: "


def find_first_commit(common: str) -> str | None:
    """Find the commit with which the line of a repository's newest commits begins.

    The empty text where that is too far back to be told. None where there is nothing to go by yet:
    the repository has no commit, or not all of them, or they are not as git writes them.
    """
    if os.path.lexists(os.path.join(common, "shallow")):
        return None
    try:
        objects = Objects(common)
    except OSError:
        return None
    try:
        return _go_back(objects, _find_newest(common))
    except (OSError, ValueError, IndexError, StopIteration):
        return None
    finally:
        objects.close()


def _go_back(objects: Objects, name: str) -> str:
    for _ in range(_MOST_COMMITS):
        parent = _read_parent(objects.read_commit(name))
        if not parent:
            return name
        name = parent
    return ""


def _read_parent(commit: bytes) -> str:
    """Read the name of a commit's first parent; empty where it has none."""
    tree, parent = [*commit.split(b"\n", 2), b"", b""][:2]
    if not tree.startswith(b"tree "):
        raise ValueError("not a commit")
    name = parent.removeprefix(b"parent ").decode("ascii")
    return _check_name(name) if parent.startswith(b"parent ") else ""


def _find_newest(common: str) -> str:
    """Find the name of the commit that is checked out.

    Raises:
        ValueError: there is none.
        OSError: it can't be read.
    """
    said = _REF + "HEAD"
    for _ in range(_LINKS):
        if not said.startswith(_REF):
            return _check_name(said)
        said = _read_ref(common, said.removeprefix(_REF))
    raise ValueError("references in a circle")


def _read_ref(common: str, name: str) -> str:
    if ".." in name or os.path.isabs(name):
        raise ValueError("a reference that leads elsewhere")
    path = os.path.join(common, *name.split("/"))
    if os.path.lexists(path):
        return read_foreign(path, 1 << 12).decode("ascii").strip()
    packed = read_foreign(os.path.join(common, "packed-refs"), _MOST_REFS).decode("utf-8")
    ends = f" {name}"
    return next(line for line in packed.splitlines() if line.endswith(ends)).partition(" ")[0]


def _check_name(name: str) -> str:
    if len(name) != COMMIT_CHARS or name.strip("0123456789abcdef"):
        raise ValueError("no name of a commit")
    return name
