"""Two halves of a search at the same time, each with a connection of its own.

SQLite and the vector indexes both work outside of Python's lock, so text and vectors take no longer
together than the slower of them. A second connection has a snapshot of its own, which can't be
asked to be the first one's; but whatever changes what vectors find is counted in the file. Where
both count the same, the answer is the same as in turn.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.statements import statements
from memoria.store.sqlite.terms import BUDGET

_T = TypeVar("_T")
_SQL = statements("documents")


@contextmanager
def at_the_same_time(work: Callable[[], _T]) -> Iterator[Callable[[], _T]]:
    """Run work in a thread while the block runs; the thread has ended when the block has."""
    with ThreadPoolExecutor(1, "memoria-beside") as thread:
        yield thread.submit(work).result


def worth_it(connection: Connection) -> bool:
    """Whether a home is so large that a search in it waits for its indexes, and not for us."""
    return _number(connection, "newest") > BUDGET


def same_indexes(one: Connection, other: Connection) -> bool:
    """Whether two snapshots show the same documents with the same vectors."""
    return _number(one, "changed_at") == _number(other, "changed_at")


def _number(connection: Connection, name: str) -> int:
    return int(connection.execute(_SQL[name]).fetchone()[0])
