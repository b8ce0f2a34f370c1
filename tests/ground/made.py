"""Small repositories made object by object, without git and without anything of the machine's."""

from collections.abc import Mapping
from pathlib import Path

from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.repo import Repo

from memoria.ground.repository import Repository, open_repository

_FILE, _FOLDER = 0o100644, 0o40000
_BEGAN = 1_700_000_000
_DAY = 86_400


class Made:
    """A repository whose branch is `master`; each commit is a day after the one before."""

    def __init__(self, folder: Path) -> None:
        """Make an empty repository."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.git = folder / ".git"
        self.repo = Repo.init(str(folder))
        self.commits: list[str] = []

    def commit(self, files: Mapping[str, str | bytes], *, is_written: bool = True) -> str:
        """Commit exactly these files, check them out unless told otherwise, and return the name."""
        contents = {
            path: text.encode() if isinstance(text, str) else text for path, text in files.items()
        }
        made = Commit()
        made.tree = self._add_tree(contents)
        made.parents = [ObjectID(name.encode()) for name in self.commits[-1:]]
        made.author = made.committer = b"Ann <ann@example.com>"
        made.author_time = made.commit_time = _BEGAN + _DAY * len(self.commits)
        made.author_timezone = made.commit_timezone = 0
        made.message = b"A commit\n"
        self.repo.object_store.add_object(made)
        self.commits.append(made.id.decode())
        head = self.git / "refs" / "heads" / "master"
        head.parent.mkdir(parents=True, exist_ok=True)
        head.write_bytes(made.id + b"\n")
        if is_written:
            self.write(contents)
        return self.commits[-1]

    def write(self, contents: Mapping[str, bytes]) -> None:
        """Make the checkout have exactly these files."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if self.git in (path, *path.parents):
                continue
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()
        for name, content in contents.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

    def open(self) -> Repository:
        """Open it as the product does."""
        opened = open_repository(self.folder)
        assert opened is not None
        return opened

    def find_object(self, name: str) -> Path:
        """Return the file of an object."""
        return self.git / "objects" / name[:2] / name[2:]

    def _add_tree(self, files: Mapping[str, bytes]) -> ObjectID:
        tree, below = Tree(), dict[str, dict[str, bytes]]()
        for path, content in files.items():
            head, slash, rest = path.partition("/")
            if slash:
                below.setdefault(head, {})[rest] = content
                continue
            blob = Blob.from_string(content)
            self.repo.object_store.add_object(blob)
            tree.add(head.encode(), _FILE, blob.id)
        for name, within in below.items():
            tree.add(name.encode(), _FOLDER, self._add_tree(within))
        self.repo.object_store.add_object(tree)
        return tree.id
