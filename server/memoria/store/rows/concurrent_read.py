"""Two halves of a search at the same time, each with a connection of its own.

SQLite and the vector indexes both work outside of Python's lock, so text and vectors take no longer
together than the slower of them. A second connection has a snapshot of its own; but every change to
what a tenant's vectors find is counted, and if both snapshots have the same count, the answer is
the same as that of one connection.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from memoria.store.connection import Connection
from memoria.store.image.counts import BUDGET
from memoria.store.image.tenants import StoreTenant
from memoria.store.sql.statements import statements

_T = TypeVar("_T")
_SQL = statements("vectors")


@contextmanager
def run_concurrently(work: Callable[[], _T]) -> Iterator[Callable[[], _T]]:
    """Run work in a thread while the block runs; the thread has ended when the block has."""
    with ThreadPoolExecutor(1, "memoria-beside") as thread:
        yield thread.submit(work).result


class LargeTenants:
    """The tenants with so many vectors that a search in two threads pays.

    A tenant stays one once found: searching a smaller one in two threads does no harm.
    """

    def __init__(self) -> None:
        self._known: set[int] = set()

    def includes(self, connection: Connection, tenant: StoreTenant) -> bool:
        """Check whether the tenant is one."""
        if tenant.number not in self._known:
            if tenant.newest_document <= BUDGET:
                return False
            asked = {"tenant": tenant.number, "few": BUDGET}
            if connection.execute(_SQL["more_than"], asked).fetchone() is None:
                return False
            self._known.add(tenant.number)
        return True
