"""Repositories for tests, made without git."""

from pathlib import Path

from dulwich import porcelain

from memoria import Settings
from memoria.bare.projects import note_project

_ANN = b"Ann <ann@example.org>"


class MadeRepository:
    """A repository in a folder, with a commit for each change."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        porcelain.init(folder).close()

    def commit(self, files: dict[str, str | None], message: str = "A change", at: int = 0) -> str:
        """Write and remove files, and return the id of the commit.

        Args:
            files: their contents by path; None removes a file.
            message: of the commit.
            at: seconds since 1970; by default now.
        """
        for path, content in files.items():
            place = self.folder / path
            if content is None:
                porcelain.remove(self.folder, [place])
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(content, "utf-8")
                porcelain.add(self.folder, [place])
        made = porcelain.commit(
            self.folder,
            message,
            author=_ANN,
            committer=_ANN,
            commit_timestamp=at or None,
            author_timestamp=at or None,
        )
        return made.decode("ascii")


def make_settings(home: Path, project: MadeRepository) -> Settings:
    """Make a home that knows a repository; return its settings within that project."""
    home.mkdir(mode=0o700, exist_ok=True)
    workspace = note_project(str(home), project.folder)
    return Settings.from_values(home=home, embedder="off", workspace=workspace)
