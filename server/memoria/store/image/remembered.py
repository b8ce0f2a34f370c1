"""Remembered: rows of documents that a reading transaction has read, so that each is read once.

A question is several searches if it asks several things, and the neighbours of a hit were often
candidates themselves. A snapshot does not change, so what was read of it stays true.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

_Value = TypeVar("_Value")
_MOST = 2_000
"""Documents: more than the searches of a question read, and enough for reading a record once."""


class RememberedRows(Generic[_Value]):
    """Rows that were read, by document."""

    def __init__(self, *, is_kept: bool) -> None:
        """Make an empty cache.

        Args:
            is_kept: True if nothing changes meanwhile; for a writer, every call reads.
        """
        self._is_kept = is_kept
        self._known: dict[int, _Value | None] = {}

    def look_up(
        self, ns: Sequence[int], read: Callable[[Sequence[int]], Mapping[int, _Value]]
    ) -> dict[int, _Value]:
        """Map documents to what was read, oldest first; those without anything are missing.

        Args:
            ns: their numbers.
            read: reads those that are not known.
        """
        if not self._is_kept or len(self._known) > _MOST:
            self._known = {}
        unknown = [n for n in ns if n not in self._known]
        if unknown:
            found = read(unknown)
            self._known.update(dict.fromkeys(unknown))
            self._known.update(found)
        return self._select(sorted({*ns}))

    def list_kept(self, ns: Sequence[int]) -> dict[int, _Value]:
        """Map documents to what was read already, and still holds."""
        return self._select(ns) if self._is_kept else {}

    def _select(self, ns: Sequence[int]) -> dict[int, _Value]:
        known = self._known
        return {n: value for n in ns if (value := known.get(n)) is not None}
