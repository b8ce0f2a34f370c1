"""Which project a folder belongs to: the git repository, shared by all of its worktrees."""

from pathlib import Path

_POINTER = "gitdir:"


def find_workspace(folder: Path) -> str | None:
    """The workspace of a folder: its git common directory, without the `/.git` at the end.

    Worktrees of one repository give the same answer, so that none is cut off from what the others
    learnt. Read from the files themselves (gitrepository-layout), so git need not be installed.
    A folder that is no longer there counts as where it was. None outside of any repository.
    """
    start = folder.expanduser().absolute().resolve()
    for place in (start, *start.parents):
        common = _common_directory(place / ".git")
        if common is not None:
            return str(common.parent if common.name == ".git" else common)
    return None


def workspace_of(folder: str) -> str:
    """The workspace of the folder a session was held in, `none` if it was in no project.

    A folder that is gone, with whatever repository it was in, was a project of its own.
    """
    found = find_workspace(Path(folder))
    if found is not None:
        return found
    return "none" if Path(folder).is_dir() else folder


def _common_directory(git: Path) -> Path | None:
    """The directory all worktrees share, given a `.git` of whichever kind."""
    try:
        if git.is_dir():
            return git if (git / "HEAD").exists() else None
        if not git.is_file():
            return None
        own = _points_at(git)
        shared = own / "commondir"
        return (own / shared.read_text("utf-8").strip()).resolve() if shared.is_file() else own
    except (OSError, ValueError):
        return None  # a folder we may not read, or a file that is not git's, is no project


def _points_at(git: Path) -> Path:
    """Where the `.git` file of a worktree or submodule points."""
    line = git.read_text("utf-8").strip()
    if not line.startswith(_POINTER):
        raise ValueError(f"{git} is not a git pointer")
    return (git.parent / line.removeprefix(_POINTER).strip()).resolve()
