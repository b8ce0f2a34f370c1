"""The change of a file as a unified diff: only what lies between its first and last changed lines.

Clients' files have tens of thousands of lines, many of them alike, and `difflib` takes the square
of their number for those.
"""

import difflib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memoria.bare.lazy_regex import lazy_regex

_NOTHING = "/dev/null"
_CONTEXT = 3
_HUNK = lazy_regex(r"@@ -(\d+)(.*?) \+(\d+)(.*?) @@")


@lru_cache(maxsize=8)  # it is shown, and told as JSON
def unified_lines(name: str, before: bytes | None, after: bytes | None) -> tuple[str, ...]:
    """Return the lines of the diff of a file, which one side may not have."""
    old, new = _lines_of(before), _lines_of(after)
    first = max(0, _count_alike(old, new) - _CONTEXT)
    last = max(0, _count_alike(old[first:][::-1], new[first:][::-1]) - _CONTEXT)
    lines = difflib.unified_diff(
        old[first : len(old) - last],
        new[first : len(new) - last],
        _NOTHING if before is None else name,
        _NOTHING if after is None else name,
        lineterm="",
        n=_CONTEXT,
    )
    return tuple(_shift_hunks(lines, first))


def _count_alike(old: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines two texts begin with in common."""
    differing = (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other)
    return next(differing, min(len(old), len(new)))


def _shift_hunks(lines: Iterator[str], by: int) -> Iterator[str]:
    def shift(found: re.Match[str]) -> str:
        old, new = int(found[1]) + by, int(found[3]) + by
        return f"@@ -{old}{found[2]} +{new}{found[4]} @@"

    for line in lines:
        yield _HUNK.sub(shift, line, count=1) if line.startswith("@@ ") else line


def _lines_of(content: bytes | None) -> list[str]:
    return [] if content is None else content.decode("utf-8", "replace").splitlines()
