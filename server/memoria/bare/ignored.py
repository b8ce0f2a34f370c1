"""Folders of which hooks record nothing: by a `.memoriaignore` file, or by a setting.

`.memoriaignore` lies in the folder or in one above it, up to the root of the repository. It is
written as `.gitignore` is, and its patterns mean folders; an empty one means the whole folder it
lies in.
"""

import os

IGNORE_FILE = ".memoriaignore"
SETTING = "MEMORIA_IGNORED_FOLDERS"
_MOST_BYTES = 1 << 16


def is_ignored(folder: str, ignored: str | None = None) -> bool:
    """Whether nothing is to be recorded of what is said in a folder.

    Args:
        folder: where a session is held.
        ignored: folders with a comma between them; by default what the environment says.
    """
    place = os.path.abspath(os.path.expanduser(folder))
    named = os.environ.get(SETTING, "") if ignored is None else ignored
    return _is_in_one_of(place, named) or _is_left_out(place)


def _is_in_one_of(place: str, named: str) -> bool:
    real = os.path.realpath(place)
    for one in named.split(","):
        if one.strip():
            folder = os.path.abspath(os.path.expanduser(one.strip()))
            if _is_inside(place, folder) or _is_inside(real, os.path.realpath(folder)):
                return True
    return False


def _is_inside(place: str, folder: str) -> bool:
    return place == folder or place.startswith(folder.rstrip(os.sep) + os.sep)


def _is_left_out(place: str) -> bool:
    """Whether a file in the folder or above it says so. The nearest file that speaks of it wins."""
    folder, inside = place, list[str]()
    while True:
        patterns = _read_patterns(folder)
        if patterns is not None:
            verdict = _judge(patterns, inside)
            if verdict is not None:
                return verdict
        above, name = os.path.split(folder)
        if above == folder or os.path.lexists(os.path.join(folder, ".git")):
            return False
        folder, inside = above, [name, *inside]


def _read_patterns(folder: str) -> list[str] | None:
    """The patterns of a folder's file; None where it has none.

    A file that can't be read leaves everything out: it was put there to that end.
    """
    path = os.path.join(folder, IGNORE_FILE)
    if not os.path.lexists(path):
        return None
    try:
        with open(path, "rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    lines = (line.strip() for line in text.removeprefix("\ufeff").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _judge(patterns: list[str], inside: list[str]) -> bool | None:
    """What a file says of a folder below its own, given by its parts; None for nothing."""
    if not patterns:
        return True
    verdict = None
    for pattern in patterns:
        if _applies(pattern.removeprefix("!"), inside):
            verdict = not pattern.startswith("!")
    return verdict


def _applies(pattern: str, inside: list[str]) -> bool:
    """Whether a pattern means a folder, or one that it lies in."""
    parts = [part for part in pattern.split("/") if part]
    if not parts or parts in (["*"], ["**"], ["."]):
        return True
    is_anywhere = len(parts) == 1 and not pattern.startswith("/")
    return any(
        _fits(["**", *parts] if is_anywhere else parts, inside[:depth])
        for depth in range(1, len(inside) + 1)
    )


def _fits(parts: list[str], names: list[str]) -> bool:
    if not parts:
        return not names
    if parts[0] == "**":
        return any(_fits(parts[1:], names[at:]) for at in range(len(names) + 1))
    from fnmatch import fnmatchcase  # few folders have such a file

    return bool(names) and fnmatchcase(names[0], parts[0]) and _fits(parts[1:], names[1:])
