"""A project's folder as a git repository with commits, made without git and without a network."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from dulwich import porcelain

from bench.value.cases import Project

_WHO: Final = b"Ann <ann@example.org>"


def make_repository(folder: Path, project: Project) -> None:
    """Make the repository with the files that a project begins with, a day before its sessions."""
    folder.mkdir(parents=True)
    porcelain.init(folder).close()
    began = datetime.fromisoformat(project.sessions[0]["at"]) - timedelta(days=1)
    commit(folder, "Begin", began, project.files)


def apply_changes(folder: Path, project: Project) -> None:
    """Commit what changes in a project a day after its sessions."""
    at = datetime.fromisoformat(project.sessions[-1]["at"]) + timedelta(days=1)
    for change in project.changes:
        commit(folder, change["message"], at, change["files"], change.get("remove", ()))


def commit(
    folder: Path, message: str, at: datetime, files: Mapping[str, str], removed: Sequence[str] = ()
) -> None:
    """Write and delete files, and commit that as at a time."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for name in removed:
        (folder / name).unlink()
    paths = [folder / name for name in (*files, *removed)]
    porcelain.add(folder, paths)
    porcelain.commit(
        folder,
        message.encode(),
        author=_WHO,
        committer=_WHO,
        commit_timestamp=at.timestamp(),
        author_timestamp=at.timestamp(),
        sign=False,
    )
