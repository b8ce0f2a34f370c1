"""Folders of which hooks record nothing: by a `.memoriaignore` file, or by a setting.

`.memoriaignore` lies in the folder or in one above it, up to the root of the repository. It is
written as `.gitignore` is, and its patterns mean folders; an empty one means the whole folder it
lies in. It may come from somebody else, with a clone: what can't be read, or would take long to
compare, leaves everything out.
"""

import os

from memoria.bare.foreign_files import is_inside, may_be_path, read_foreign

IGNORE_FILE = ".memoriaignore"
ASKED_FOLDER = "memoria-asked-"
"""Start of the name of a folder in which a program answers a question of Memoria's own."""
_MOST_BYTES = 1 << 14
_MOST_EFFORT = 5_000_000
"""Characters compared with characters, for one folder: well under a second."""
_STEP, _READ = 64, 16
"""Effort of a step through a pattern, and of a byte read."""


class _TooMuchError(Exception):
    """Patterns would take too long to compare."""


class _Effort:
    """Budget for finding out about one folder."""

    def __init__(self) -> None:
        self._left = _MOST_EFFORT

    def spend(self, effort: int) -> None:
        """Spend some of the budget.

        Raises:
            _TooMuchError: it is used up.
        """
        self._left -= effort
        if self._left < 0:
            raise _TooMuchError


def is_ignored(folder: str, ignored: str) -> bool:
    """Check whether a folder is excluded from recording.

    Args:
        folder: where a session is held; a path that no system can open is excluded.
        ignored: folders with a comma between them, as the setting names them.
    """
    if not may_be_path(folder) or os.path.basename(folder).startswith(ASKED_FOLDER):
        return True
    place = os.path.abspath(os.path.expanduser(folder))
    try:
        return _is_in_one_of(place, ignored) or _is_left_out(place)
    except _TooMuchError:
        return True


def _is_in_one_of(place: str, named: str) -> bool:
    real = os.path.realpath(place)
    for one in named.split(","):
        if one.strip():
            folder = os.path.abspath(os.path.expanduser(one.strip()))
            if is_inside(place, folder) or is_inside(real, os.path.realpath(folder)):
                return True
    return False


def _is_left_out(place: str) -> bool:
    """Check whether an ignore file in or above a folder excludes it; the nearest file decides."""
    effort = _Effort()
    folder, inside = place, list[str]()
    while True:
        patterns = _read_patterns(folder, effort)
        if patterns is not None:
            verdict = _judge(patterns, inside, effort)
            if verdict is not None:
                return verdict
        above, name = os.path.split(folder)
        if above == folder or os.path.lexists(os.path.join(folder, ".git")):
            return False
        folder, inside = above, [name, *inside]


def _read_patterns(folder: str, effort: _Effort) -> list[str] | None:
    """Return the patterns of a folder's ignore file; None if the folder has no such file.

    A file that can't be read gives no pattern, which excludes everything.
    """
    path = os.path.join(folder, IGNORE_FILE)
    if not os.path.lexists(path):
        return None
    try:
        text = read_foreign(path, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    effort.spend(_READ * len(text))
    lines = (line.strip() for line in text.removeprefix("\ufeff").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _judge(patterns: list[str], inside: list[str], effort: _Effort) -> bool | None:
    """Return True if patterns exclude a folder, False if they include it, None if neither."""
    if not patterns:
        return True
    verdict = None
    for pattern in patterns:
        if _applies(pattern.removeprefix("!"), inside, effort):
            verdict = not pattern.startswith("!")
    return verdict


def _applies(pattern: str, inside: list[str], effort: _Effort) -> bool:
    """Check whether a pattern matches a folder, or a folder above it."""
    parts = [part for part in pattern.split("/") if part]
    if not parts or parts in (["*"], ["**"], ["."]):
        return True
    is_anywhere = len(parts) == 1 and not pattern.startswith("/")
    return _fits(["**", *parts] if is_anywhere else parts, inside, effort)


def _fits(parts: list[str], names: list[str], effort: _Effort) -> bool:
    """Check whether the names of a path, or the first of them, match the parts of a pattern.

    All ways to go through the parts are followed at once, so that many `**` don't multiply them.
    """
    parts = [
        part
        for part, before in zip(parts, ["", *parts], strict=False)
        if (part, before) != ("**", "**")
    ]
    places = _pass_over(parts, {0}) - {len(parts)}
    for name in names:
        effort.spend(_STEP * len(places))
        stay = {at for at in places if parts[at] == "**"}
        go_on = {at + 1 for at in places - stay if _is_named(name, parts[at], effort)}
        places = _pass_over(parts, stay | go_on)
        if len(parts) in places:
            return True
    return False


def _pass_over(parts: list[str], places: set[int]) -> set[int]:
    """Return the places, and those behind a `**` that stands for nothing."""
    return places | {at + 1 for at in places if parts[at : at + 1] == ["**"]}


def _is_named(name: str, part: str, effort: _Effort) -> bool:
    """Check whether a part of a pattern matches a name."""
    if not any(sign in part for sign in "*?["):
        return name == part
    from fnmatch import fnmatchcase  # few folders have such a file

    effort.spend(len(part) * len(name))
    return fnmatchcase(name, part)
