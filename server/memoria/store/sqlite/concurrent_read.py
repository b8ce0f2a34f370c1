"""Two halves of a search at the same time, each with a connection of its own.

SQLite and the vector indexes both work outside of Python's lock, so text and vectors take no longer
together than the slower of them. A second connection has a snapshot of its own, which can't be
asked to be the first one's; but whatever changes what a tenant's vectors find is counted. Where
both count the same, the answer is the same as in turn.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.statements import statements
from memoria.store.sqlite.tenants import StoreTenant
from memoria.store.sqlite.terms import BUDGET

_T = TypeVar("_T")
_SQL = statements("vectors")


@contextmanager
def run_concurrently(work: Callable[[], _T]) -> Iterator[Callable[[], _T]]:
    """Run work in a thread while the block runs; the thread has ended when the block has."""
    with ThreadPoolExecutor(1, "memoria-beside") as thread:
        yield thread.submit(work).result


class LargeTenants:
    """The tenants of so many vectors that a search waits for its indexes, and not for us.

    Who was found to be one stays one: it is no harm to search a smaller one in two threads.
    """

    def __init__(self) -> None:
        """Nobody is known."""
        self._known: set[int] = set()

    def includes(self, connection: Connection, tenant: StoreTenant) -> bool:
        """Whether the tenant is one."""
        if tenant.number not in self._known:
            if tenant.newest_document <= BUDGET:
                return False
            asked = {"tenant": tenant.number, "few": BUDGET}
            if connection.execute(_SQL["more_than"], asked).fetchone() is None:
                return False
            self._known.add(tenant.number)
        return True
