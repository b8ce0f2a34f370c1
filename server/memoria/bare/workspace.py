"""Git repositories that folders belong to, also by links of worktrees and submodules."""

import os
import stat

from memoria.bare.foreign_files import may_be_path, read_foreign

_POINTER = "gitdir:"
_MOST_LINE, _MOST_CONFIG = 1 << 14, 1 << 20
_WORKTREES = "worktrees"


def read_pointer(git: str) -> str:
    """Return where a `.git` file points.

    Raises:
        OSError: it can't be read, or is too large to be one.
        ValueError: it is no pointer.
    """
    line = _read_line(git)
    if not line.startswith(_POINTER):
        raise ValueError(f"{git} is not a git pointer")
    target = line.removeprefix(_POINTER).strip()
    return os.path.realpath(os.path.join(os.path.dirname(git), target))


def find_shared(own: str, git: str) -> str | None:
    """Return the directory that all worktrees share; None if it does not point back.

    Args:
        own: where the `.git` file points.
        git: the file.
    """
    try:
        is_worktree = os.path.lexists(os.path.join(own, "commondir"))
        return _find_repository(own, git) if is_worktree else _find_module(own, git)
    except (OSError, ValueError):
        return None  # nothing is there, or what is there is not git's


def _find_repository(own: str, git: str) -> str | None:
    """Return the repository of a worktree, given the worktree's folder in it."""
    worktrees, common = os.path.dirname(own), os.path.dirname(os.path.dirname(own))
    claimed = os.path.realpath(os.path.join(own, _read_line(os.path.join(own, "commondir"))))
    back = os.path.join(own, _read_line(os.path.join(own, "gitdir")))
    is_back = os.path.basename(back) == os.path.basename(git) and os.path.samefile(
        os.path.dirname(back), os.path.dirname(git)
    )
    is_in_it = os.path.basename(worktrees) == _WORKTREES and claimed == common
    return common if is_back and is_in_it else None


def _find_module(own: str, git: str) -> str | None:
    """Return the repository of a submodule, which is nobody else's."""
    folder = _read_worktree(own)
    is_own = folder is not None and os.path.samefile(folder, os.path.dirname(git))
    return own if is_own else None


def _read_worktree(own: str) -> str | None:
    """Return the folder whose `.git` file points here, as the configuration says."""
    found = None
    for name in ("config", "config.worktree"):
        path = os.path.join(own, name)
        if os.path.lexists(path):
            config = read_foreign(path, _MOST_CONFIG).decode("utf-8")
            named = [value for part, value in list_settings(config, "worktree") if part == "core"]
            found = named[-1] if named else found
    return None if found is None else os.path.join(own, found)


def list_settings(config: str, name: str) -> list[tuple[str, str]]:
    """Return what a configuration sets under a name, each with its section in lower case."""
    found, section = [], ""
    for raw in config.splitlines():
        line = raw.strip()
        if line.startswith("["):
            section, _, line = line[1:].partition("]")
            section, line = section.strip().lower(), line.strip()
        key, _, value = line.partition("=")
        if key.strip().lower() == name:
            found.append((section, _unquote(value.strip())))
    return found


def _unquote(value: str) -> str:
    """Return a value without its quotes, escapes and comment."""
    plain, is_quoted, chars = "", False, iter(value)
    for char in chars:
        if char == "\\":
            plain += next(chars, "")
        elif char == '"':
            is_quoted = not is_quoted
        elif char in "#;" and not is_quoted:
            break
        else:
            plain += char
    return plain.strip()


def _read_line(file: str) -> str:
    return read_foreign(file, _MOST_LINE).decode("utf-8").strip()


def find_common(folder: str | os.PathLike[str]) -> str | None:
    """Find the git common directory of the repository that a folder is in; None outside of any.

    Worktrees of a repository share the directory, so that none is cut off from what the others
    learnt. Read from the files themselves (gitrepository-layout), so git need not be installed. A
    folder that is no longer there counts as where it was; what can't be a path is in no repository.
    """
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
