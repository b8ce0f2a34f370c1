"""Remembered: what a reading transaction has read of documents, so that it is read once.

A question is several searches where it asks several things, and what surrounds a hit was often a
candidate itself. A snapshot does not change, so what was read of it stays true.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

_Value = TypeVar("_Value")
_MOST = 2_000
"""Documents: more than the searches of a question read. Who reads a whole record, reads each once,
and keeps no more of it than this."""


class RememberedRows(Generic[_Value]):
    """What was read of documents, by number."""

    def __init__(self, *, is_kept: bool) -> None:
        """Nothing is read yet.

        Args:
            is_kept: whether nothing changes meanwhile; a writer reads each time.
        """
        self._is_kept = is_kept
        self._known: dict[int, _Value | None] = {}

    def look_up(
        self, ns: Sequence[int], read: Callable[[Sequence[int]], Mapping[int, _Value]]
    ) -> dict[int, _Value]:
        """What there is of the documents, oldest first.

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
        """What was read of the documents already, and still holds."""
        return self._select(ns) if self._is_kept else {}

    def _select(self, ns: Sequence[int]) -> dict[int, _Value]:
        known = self._known
        return {n: value for n in ns if (value := known.get(n)) is not None}
