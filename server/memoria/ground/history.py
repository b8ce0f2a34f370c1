"""A repository's history: its commits with the files that they changed, and its tags.

Nothing is decoded here: a message is what its author wrote, in whatever encoding. Memory is bounded
by some hundred bytes a commit, as only names are kept of them.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal, cast

from dulwich.diff_tree import CHANGE_ADD, CHANGE_DELETE, TreeChange, tree_changes
from dulwich.object_store import BaseObjectStore, DiskObjectStore
from dulwich.objects import Commit, ObjectID, ShaFile, Tag

from memoria.ground.objects import DAMAGE
from memoria.ground.repository import Repository, UnreadableRepositoryError

MOST_CHANGES = 10_000
"""Changes of a commit that are listed at most."""
_MOST_TAGS_OF_TAGS = 5
_S_PER_MINUTE = 60
_MOST_RECENT = 4_096
_MOST_OFFSET = 24 * 60 - 1

Effect = Literal["new", "changed", "deleted"]


@dataclass(frozen=True, slots=True)
class Signature:
    """A name with a time, as an author or a tagger signs."""

    who: bytes
    """Name and address: `Ada <ada@example.com>`."""
    at: int
    """Seconds since 1970."""
    utc_offset: int | None
    """Minutes by which the clock was ahead of UTC; None if that can't be."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a commit changed."""

    path: str
    effect: Effect


@dataclass(frozen=True, slots=True)
class PastCommit:
    """A commit."""

    id: str
    parents: tuple[str, ...]
    author: Signature
    committed_at: int
    """Seconds since 1970."""
    message: bytes
    encoding: str | None
    """Encoding of the message, where the commit names one."""
    changes: tuple[ChangedFile, ...] | None
    """Files that it changed, `MOST_CHANGES` at most, none of a merge; None if that is not known
    because the commit or folder before it is not here."""


@dataclass(frozen=True, slots=True)
class PastTag:
    """A tag on a commit of the history."""

    name: str
    commit: str
    signed: Signature | None
    """Tagger and time; None for a tag that is only a name."""
    message: bytes


class CommitHistory:
    """The commits that led to HEAD."""

    def __init__(self, repository: Repository) -> None:
        """List the commits of a repository.

        Raises:
            UnreadableRepositoryError: HEAD's commit can't be read, or there is none yet.
        """
        self._objects = repository.objects
        self._recent = _Recent(repository.objects)
        self._tags = repository.list_tags()
        self.missing: set[str] = set()
        """Commits that others name as the one before, and that are not here."""
        head = repository.find_head()
        if head is None:
            raise UnreadableRepositoryError("it has no commit yet")
        found = self._find_all(ObjectID(head.encode("ascii")))
        if not found:
            raise UnreadableRepositoryError(f"its commit {head} is not here")
        self.head = head
        self.ids = [name.decode("ascii") for name in sorted(found, key=found.__getitem__)]
        """Commits, oldest first by their authors' clocks, of one second by their descent."""

    def read_commit(self, name: str) -> PastCommit:
        """Return a commit.

        Raises:
            KeyError: it is not here.
        """
        commit = self._objects[ObjectID(name.encode("ascii"))]
        if not isinstance(commit, Commit):
            raise UnreadableRepositoryError(f"{name} is no commit")
        encoding = commit.encoding
        return PastCommit(
            id=name,
            parents=tuple(parent.decode("ascii") for parent in commit.parents),
            author=_sign(commit.author, commit.author_time, commit.author_timezone),
            committed_at=commit.commit_time,
            message=commit.message,
            encoding=None if encoding is None else encoding.decode("ascii", "replace"),
            changes=self._list_changes(commit),
        )

    def list_tags(self) -> Iterator[PastTag]:
        """Yield the tags of commits of the history, in the order of their names."""
        known = set(self.ids)
        for name, tagged in sorted(self._tags.items()):
            tag, commit = self._follow_tag(ObjectID(tagged.encode("ascii")))
            if commit is None or commit not in known:
                continue
            signed = None
            if tag is not None and tag.tagger is not None and tag.tag_time is not None:
                signed = _sign(tag.tagger, tag.tag_time, tag.tag_timezone or 0)
            yield PastTag(name, commit, signed, b"" if tag is None else tag.message)

    def _find_all(self, head: ObjectID) -> dict[ObjectID, tuple[int, int]]:
        """Find the commits that led to one, with their authors' times and an order of descent."""
        found: dict[ObjectID, tuple[int, int]] = {}
        left = [head]
        while left:
            name = left.pop()
            if name in found:
                continue
            try:
                commit = self._objects[name]
            except KeyError:
                self.missing.add(name.decode("ascii"))
                continue
            if isinstance(commit, Commit):
                found[name] = commit.author_time, -len(found)
                left.extend(commit.parents)
        return found

    def _list_changes(self, commit: Commit) -> tuple[ChangedFile, ...] | None:
        if len(commit.parents) > 1:
            return ()
        try:
            before = None
            if commit.parents:
                parent = self._recent[commit.parents[0]]
                before = ObjectID(parent.tree) if isinstance(parent, Commit) else None
            store = cast("BaseObjectStore", self._recent)  # it is asked for objects alone
            changes = tree_changes(store, before, ObjectID(commit.tree))
            return tuple(map(_describe_change, islice(changes, MOST_CHANGES)))
        except DAMAGE:
            return None

    def _follow_tag(self, name: ObjectID) -> tuple[Tag | None, str | None]:
        """Return the tag of a name, if it is more than one, and the commit that it is on."""
        first: Tag | None = None
        for _ in range(_MOST_TAGS_OF_TAGS):
            try:
                found = self._objects[name]
            except KeyError:
                return None, None
            if not isinstance(found, Tag):
                is_commit = isinstance(found, Commit)
                return first, name.decode("ascii") if is_commit else None
            first = first or found
            name = ObjectID(found.object[1])
        return None, None


class _Recent:
    """The objects read last: most folders of a commit are those of the commit before."""

    def __init__(self, objects: DiskObjectStore) -> None:
        self._get = lru_cache(maxsize=_MOST_RECENT)(objects.__getitem__)

    def __getitem__(self, name: ObjectID) -> ShaFile:
        return self._get(name)


def _describe_change(change: TreeChange) -> ChangedFile:
    effects: dict[str, Effect] = {CHANGE_ADD: "new", CHANGE_DELETE: "deleted"}
    place = change.old if change.type == CHANGE_DELETE else change.new
    path = b"" if place is None or place.path is None else place.path
    return ChangedFile(os.fsdecode(path), effects.get(change.type, "changed"))


def _sign(who: bytes, at: int, zone: int) -> Signature:
    offset = zone // _S_PER_MINUTE
    return Signature(who, at, offset if abs(offset) <= _MOST_OFFSET else None)
