"""Repositories made for tests: commits with authors, times, parents and files of choice."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dulwich.index import commit_tree
from dulwich.objects import Blob, Commit, ObjectID, Tag
from dulwich.refs import Ref
from dulwich.repo import Repo

ADA, BO = "Ada Byron <ada@example.com>", "林岚 <lin@example.com>"
ROBOT = "dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>"
_MODE = 0o100644
_DAY = 86_400
_BEGUN = 1_772_355_600  # 2026-03-01T09:00:00Z
MAIN = Ref(b"refs/heads/main")


class Workshop:
    """A repository under construction, with a clock that goes on by a day with each commit."""

    def __init__(self, folder: Path) -> None:
        """Make the repository."""
        folder.mkdir(parents=True)
        self.folder = folder
        self.repo = Repo.init(str(folder))
        self.repo.refs.set_symbolic_ref(Ref(b"HEAD"), MAIN)
        self.at = _BEGUN
        self.files: dict[str, bytes] = {}

    def commit(
        self,
        message: str | bytes,
        files: Mapping[str, str | None] | None = None,
        *,
        by: str = ADA,
        zone: int = 60,
        encoding: bytes | None = None,
        parents: Sequence[str] | None = None,
    ) -> str:
        """Commit; a file that is None is deleted, and `zone` is minutes ahead of UTC."""
        for path, content in (files or {}).items():
            if content is None:
                del self.files[path]
            else:
                self.files[path] = content.encode()
        made = Commit()
        made.tree = self._write_tree()
        head = self.repo.refs.as_dict().get(MAIN)
        if parents is None:
            made.parents = [] if head is None else [ObjectID(head)]
        else:
            made.parents = [ObjectID(one.encode()) for one in parents]
        made.author = made.committer = by.encode()
        made.author_time = made.commit_time = self.at
        made.author_timezone = made.commit_timezone = zone * 60
        made.message = message if isinstance(message, bytes) else message.encode()
        if encoding is not None:
            made.encoding = encoding
        self.repo.object_store.add_object(made)
        self.repo.refs[MAIN] = made.id
        self.at += _DAY
        return made.id.decode()

    def tag(self, name: str, commit: str, message: str | None = None) -> None:
        """Tag a commit, with a message or by name only."""
        target = ObjectID(commit.encode())
        if message is not None:
            tag = Tag()
            tag.name, tag.message, tag.tagger = name.encode(), message.encode(), BO.encode()
            tag.tag_time, tag.tag_timezone = self.at, 0
            tag.object = (Commit, target)
            self.repo.object_store.add_object(tag)
            target = tag.id
        self.repo.refs[Ref(b"refs/tags/" + name.encode())] = target

    def lose(self, name: str) -> None:
        """Delete an object, as a shallow or partial clone has never had it."""
        (self.folder / ".git" / "objects" / name[:2] / name[2:]).unlink()

    def _write_tree(self) -> ObjectID:
        blobs = []
        for path, content in sorted(self.files.items()):
            blob = Blob.from_string(content)
            self.repo.object_store.add_object(blob)
            blobs.append((path.encode(), blob.id, _MODE))
        return commit_tree(self.repo.object_store, blobs)
