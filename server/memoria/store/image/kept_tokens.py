"""Kept tokens: the words of documents that a process has read, from one transaction to the next.

Questions lead to the same documents again and again (decision 113). What was read follows the
file as `standings` does: the tenant's count of changes tells which documents to read again, and all
is dropped once something was erased. A document that was never embedded carries no number of its
changes, so it is not kept.

Tokens are bytes, which Python's collector does not look at.
"""

import threading
from collections.abc import Mapping, Sequence
from itertools import islice
from sys import getsizeof
from typing import TYPE_CHECKING

from memoria.store.features import IndexTokens
from memoria.store.image.changed import list_changed
from memoria.store.sql.statements import TenantRows

if TYPE_CHECKING:
    from memoria.store.image.tenants import StoreTenant

LONGEST_KEPT = 2_000
"""Bytes. Few documents have more words, and they would take the room of many."""
_MOST_BYTES = 3 << 20
"""Room for the words of some 8,000 documents."""
_ENTRY = 120
"""Bytes of overhead for an entry of the dictionary."""
_PART = 16
"""Part that is dropped if there is no room: one entry of so many."""


class KeptTokens:
    """Tokens by document, as of one state of the file. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._age = (0, 0)
        self._forget_all()

    def recall(
        self, rows: TenantRows, tenant: "StoreTenant", ns: Sequence[int]
    ) -> dict[int, IndexTokens]:
        """Return the known tokens on a snapshot; none if others have followed a newer one.

        Args:
            rows: the statements about documents, on that snapshot.
            tenant: as the snapshot has it.
            ns: the numbers of documents.
        """
        with self._lock:
            if not self._follow(rows, tenant):
                return {}
            known = self._known
            return {n: known[n] for n in ns if n in known}

    def keep(self, tenant: "StoreTenant", found: Mapping[int, IndexTokens]) -> None:
        """Keep what was read on a snapshot, unless others have followed a newer one.

        Args:
            tenant: as the snapshot has it.
            found: tokens of documents that carry the number of their last change.
        """
        with self._lock:
            if tenant.age != self._age:
                return
            for n, tokens in found.items():
                if len(tokens) <= LONGEST_KEPT and n not in self._known:
                    self._known[n] = tokens
                    self._room -= _weigh(tokens)
            while self._room < 0:  # many at once: to find the first of a dict is to walk to it
                for n in [*islice(self._known, 1 + len(self._known) // _PART)]:
                    self._drop(n)

    def _follow(self, rows: TenantRows, tenant: "StoreTenant") -> bool:
        age = tenant.age
        if age < self._age:
            return False
        seen, _ = self._age
        if tenant.last_erasure > seen:
            self._forget_all()
        elif tenant.changes > seen and self._known:
            for n in list_changed(rows, seen):
                self._drop(n)
        self._age = age
        return True

    def _drop(self, n: int) -> None:
        tokens = self._known.pop(n, None)
        if tokens is not None:
            self._room += _weigh(tokens)

    def _forget_all(self) -> None:
        self._known: dict[int, IndexTokens] = {}
        """Tokens by document, in the order in which they were read."""
        self._room = _MOST_BYTES


def _weigh(tokens: IndexTokens) -> int:
    return getsizeof(tokens) + _ENTRY
