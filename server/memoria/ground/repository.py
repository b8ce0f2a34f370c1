"""A git repository, read without running anything of it.

Nobody vouches for a repository. Its objects and references are read as files: no configuration, no
hook, no filter and no remote of it is looked at, and git need not be installed. What is missing
(a partial or shallow clone) is not fetched.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from stat import S_IFDIR, S_ISDIR, S_ISREG
from typing import Self

from dulwich.diff_tree import CHANGE_RENAME, RenameDetector, tree_changes
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree

from memoria.bare.foreign_files import is_inside, read_foreign
from memoria.bare.workspace import find_shared, place_of, read_pointer
from memoria.ground.objects import DAMAGE, ForeignObjects, read_head, read_tags

MOST_BYTES = 1 << 20
"""Largest file that is read, in bytes: what is larger was written by no person."""
MOST_COMMITS = 2_000
"""Commits to go back at most in search of a change."""
_MS = 1000
_NS_PER_MS = 1_000_000


class UnreadableRepositoryError(Exception):
    """A repository lacks objects, is damaged, or is of a kind that can't be read."""


@dataclass(frozen=True, slots=True)
class FileChanges:
    """Commits that changed a file, and where the file is now."""

    commits: int
    path: str | None
    """None if it is gone."""
    is_complete: bool = True
    """False if there may be more: the commit to go back to was not reached."""


class Repository:
    """Commits, trees and files of a repository."""

    def __init__(self, folder: Path, own: str, common: str) -> None:
        """Open the repository of a checkout.

        Args:
            folder: the checkout.
            own: the git directory of this checkout, which has its HEAD.
            common: the git directory that all worktrees share.
        """
        self.folder = folder
        self._own, self._common = own, common
        self._objects = ForeignObjects(Path(common, "objects"))
        self._list_blobs = lru_cache(maxsize=4)(self._read_blobs)
        self._renames_of = lru_cache(maxsize=64)(self._find_renames)
        self._line_of = lru_cache(maxsize=65_536)(self._read_line)
        self._entry_of = lru_cache(maxsize=65_536)(self._find_entry)
        self._blob_of = lru_cache(maxsize=65_536)(self._find_blob)

    @property
    def place(self) -> str:
        """Place of its project, which all worktrees share."""
        return place_of(self._common)

    @property
    def is_there(self) -> bool:
        """True while the checkout is there and has a commit."""
        return self.folder.is_dir() and self.find_head() is not None

    @property
    def objects(self) -> ForeignObjects:
        """Its commits, trees and files."""
        return self._objects

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the packs."""
        self.close()

    def close(self) -> None:
        """Close the packs."""
        self._objects.close()

    def find_head(self) -> str | None:
        """Return the commit that is checked out; None before the first."""
        return read_head(self._own, self._common)

    def list_tags(self) -> dict[str, str]:
        """Return the names of its tags, each with the id of what is tagged."""
        return read_tags(self._common)

    def read(self, path: str, commit: str | None = None) -> bytes | None:
        """Return a file's content in a commit or, without one, in the checkout.

        None if there is no such file, if a link leads out of the checkout, or if it is larger than
        `MOST_BYTES`.

        Raises:
            UnreadableRepositoryError: the commit can't be read.
        """
        if commit is None:
            return self._read_checked_out(path)
        return self._read_blob(self._list_blobs(commit).get(path))

    def read_at(self, path: str, commit: str) -> bytes | None:
        """Return a file's content in a commit, of which no more is to be read.

        Raises:
            UnreadableRepositoryError: the commit can't be read.
        """
        return self._read_blob(self._blob_of(commit, path))

    def has(self, path: str) -> bool:
        """Check whether the checkout has a file, or a folder with anything in it.

        Args:
            path: below the checkout; a folder's ends with `/`.
        """
        try:
            place = Path(os.path.realpath(self.folder / path))
            is_there = any(place.iterdir()) if path.endswith("/") else place.is_file()
            return is_there and is_inside(os.fspath(place), os.path.realpath(self.folder))
        except (OSError, ValueError):
            return False

    def is_written_by(self, path: str, at: int) -> bool:
        """Check whether a file of the checkout has been as it is since a time in ms."""
        try:
            return (self.folder / path).stat().st_mtime_ns // _NS_PER_MS <= at
        except (OSError, ValueError):
            return False

    def list_paths(self, commit: str) -> Iterator[str]:
        """Yield the paths of all regular files of a commit.

        Raises:
            UnreadableRepositoryError: the commit can't be read.
        """
        yield from self._list_blobs(commit)

    def find_commit(self, at: int, most: int | None = None) -> str | None:
        """Return the newest commit of HEAD's first parents that is not later than a time in ms.

        Args:
            at: the time.
            most: commits to go back at most.

        Raises:
            UnreadableRepositoryError: a commit can't be read.
        """
        name, gone_back = self.find_head(), 0
        while name is not None and gone_back != most:
            gone_back += 1
            _, parent, time = self._line_of(name)
            if time * _MS <= at:
                return name
            name = parent
        return None

    def find_changes(self, path: str, since: str) -> FileChanges:
        """Return the commits of HEAD that changed a file after a commit, renames followed.

        Raises:
            UnreadableRepositoryError: a commit can't be read.
        """
        head = self.find_head()
        if head is None:
            return FileChanges(0, path)
        line = self._list_since(since, head)
        commits, now = 0, path
        for older, newer in pairwise(line):
            before, after = self._blob_of(older, now), self._blob_of(newer, now)
            if before == after:
                continue
            commits += 1
            if after is None and self._blob_of(head, now) is None:  # not deleted for a while
                moved = self._renames_of(older, newer).get(now)
                if moved is None:
                    return FileChanges(commits, None)
                now = moved
        return FileChanges(commits, now, is_complete=bool(line) and line[0] == since)

    def list_changed(self, since: str) -> list[str]:
        """List the files that HEAD has otherwise than a commit, or no longer.

        Raises:
            UnreadableRepositoryError: a commit can't be read.
        """
        head = self.find_head()
        if head is None or head == since:
            return []
        try:
            changes = tree_changes(self._objects, self._tree_of(since), self._tree_of(head))
            entries = [change.new or change.old for change in changes]
            return [os.fsdecode(one.path) for one in entries if one and S_ISREG(one.mode)]
        except DAMAGE as error:
            raise _describe(error) from error

    def _list_since(self, since: str, head: str) -> list[str]:
        """List the commits from one to HEAD by first parents, or those that are later than it."""
        _, _, began = self._line_of(since)
        line = [head]
        while line[-1] != since and len(line) < MOST_COMMITS:
            _, parent, time = self._line_of(line[-1])
            if parent is None or time < began:
                break
            line.append(parent)
        return line[::-1]

    def _find_renames(self, older: str, newer: str) -> dict[str, str]:
        """Map the paths of files to those that they got in the second of two commits."""
        detector = RenameDetector(self._objects)
        try:
            changes = detector.changes_with_renames(self._tree_of(older), self._tree_of(newer))
        except DAMAGE as error:
            raise _describe(error) from error
        renamed = ((one.old, one.new) for one in changes if one.type == CHANGE_RENAME)
        return {
            os.fsdecode(old.path): os.fsdecode(new.path)
            for old, new in renamed
            if old is not None and new is not None and old.path and new.path
        }

    def _read_checked_out(self, path: str) -> bytes | None:
        place = self.folder / path
        try:
            if not is_inside(os.path.realpath(place), os.path.realpath(self.folder)):
                return None
            return read_foreign(os.fspath(place), MOST_BYTES)
        except (OSError, ValueError):
            return None

    def _read_blobs(self, commit: str) -> dict[str, ObjectID]:
        """Return the ids of the contents of all regular files of a commit by their paths."""
        try:
            entries = self._objects.iter_tree_contents(self._tree_of(commit))
            return {os.fsdecode(each.path): each.sha for each in entries if S_ISREG(each.mode)}
        except DAMAGE as error:
            raise _describe(error) from error

    def _read_blob(self, blob: ObjectID | None) -> bytes | None:
        found = None if blob is None else self._get(blob)
        is_small = isinstance(found, Blob) and found.raw_length() <= MOST_BYTES
        return found.data if is_small and isinstance(found, Blob) else None

    def _find_blob(self, commit: str, path: str) -> ObjectID | None:
        """Return the id of a file's content in a commit."""
        mode, found = S_IFDIR, self._tree_of(commit)
        for name in os.fsencode(path).split(b"/"):
            entry = self._entry_of(found, name) if S_ISDIR(mode) else None
            if entry is None:
                return None
            mode, found = entry
        return found if S_ISREG(mode) else None

    def _find_entry(self, tree: ObjectID, name: bytes) -> tuple[int, ObjectID] | None:
        """Return mode and id of an entry of a tree."""
        found = self._get(tree)
        if not isinstance(found, Tree):
            raise UnreadableRepositoryError(f"{tree!r} is no tree")
        try:
            return found[name]
        except KeyError:
            return None
        except DAMAGE as error:
            raise _describe(error) from error

    def _tree_of(self, commit: str) -> ObjectID:
        return self._line_of(commit)[0]

    def _read_line(self, name: str) -> tuple[ObjectID, str | None, int]:
        """Return a commit's tree, its first parent and its time."""
        commit = self._get_commit(name)
        parent = commit.parents[0].decode("ascii") if commit.parents else None
        return ObjectID(commit.tree), parent, commit.commit_time

    def _get_commit(self, name: str) -> Commit:
        found = self._get(ObjectID(name.encode("ascii")))
        if not isinstance(found, Commit):
            raise UnreadableRepositoryError(f"{name} is no commit")
        return found

    def _get(self, name: ObjectID) -> ShaFile:
        try:
            return self._objects[name]
        except DAMAGE as error:
            raise _describe(error) from error


def open_repository(folder: Path) -> Repository | None:
    """Open the repository that a folder is in; None outside of any."""
    place = Path(os.path.realpath(folder))
    for each in (place, *place.parents):
        git = each / ".git"
        if git.is_dir():
            return Repository(each, str(git), str(git)) if (git / "HEAD").is_file() else None
        if git.is_file():
            return _open_linked(each, str(git))
    return None


def _open_linked(folder: Path, git: str) -> Repository | None:
    """Open the repository of a worktree or submodule, whose `.git` is a file that points to it."""
    try:
        own = read_pointer(git)
    except (OSError, ValueError):
        return None
    common = find_shared(own, git)
    return None if common is None else Repository(folder, own, common)


def _describe(error: Exception) -> UnreadableRepositoryError:
    return UnreadableRepositoryError(f"the repository can't be read: {error!r}")
