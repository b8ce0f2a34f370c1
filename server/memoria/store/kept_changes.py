"""Work that is done again if its connection broke before anything of it was kept."""

import threading
from collections.abc import Callable
from typing import TypeVar

from memoria.store.connection import TransactionLostError

_T = TypeVar("_T")
_ATTEMPTS = 3
_KEPT = threading.local()


def note_kept_change() -> None:
    """Note that a transaction of this thread has changed something for good."""
    _KEPT.count = _count_kept() + 1


def run_whole(work: Callable[[], _T]) -> _T:
    """Run work in this thread, and run it again if it was lost as a whole.

    Raises:
        TransactionLostError: it was lost again and again, or a part of it is kept.
    """
    for _ in range(_ATTEMPTS - 1):
        kept = _count_kept()
        try:
            return work()
        except TransactionLostError:
            if _count_kept() > kept:
                raise
    return work()


def _count_kept() -> int:
    count: int = getattr(_KEPT, "count", 0)
    return count
