"""Kept tokens: the words of documents that a process has read (decision 113).

Tokens are bytes, which Python's collector does not look at.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from sys import getsizeof

from memoria.store.features import IndexTokens
from memoria.store.image.tenant_image import Changes, Column

LONGEST_KEPT = 2_000
"""Bytes. Few documents have more words, and they would take the room of many."""
_MOST_BYTES = 3 << 20
"""Room for the words of some 8,000 documents."""
_ENTRY = 120
"""Bytes of overhead for an entry of the dictionary."""
_PART = 16
"""Part that is dropped if there is no room: one entry of so many."""


class KeptTokens(Column):
    """Tokens by document."""

    def __init__(self) -> None:
        self._known: dict[int, IndexTokens] = {}
        """Tokens by document, in the order in which they were read."""
        self._room = _MOST_BYTES

    def recall(self, ns: Sequence[int]) -> dict[int, IndexTokens]:
        """Return the tokens that are known of some documents."""
        known = self._known
        return {n: known[n] for n in ns if n in known}

    def keep(self, found: Mapping[int, IndexTokens]) -> None:
        """Keep tokens of documents that carry the number of their last change."""
        for n, tokens in found.items():
            if len(tokens) <= LONGEST_KEPT and n not in self._known:
                self._known[n] = tokens
                self._room -= _weigh(tokens)
        while self._room < 0:  # many at once: to find the first of a dict is to walk to it
            for n in [*islice(self._known, 1 + len(self._known) // _PART)]:
                self._drop(n)

    def apply(self, changes: Changes) -> bool:
        """Drop the tokens of changed documents."""
        for n in changes.changed:
            self._drop(n)
        return True

    def _drop(self, n: int) -> None:
        tokens = self._known.pop(n, None)
        if tokens is not None:
            self._room += _weigh(tokens)


def _weigh(tokens: IndexTokens) -> int:
    return getsizeof(tokens) + _ENTRY
