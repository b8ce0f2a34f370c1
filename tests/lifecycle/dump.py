"""Homes looked into and compared, and runs that end before their time."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from bench.night.dump import Dump, differences, dump

from memoria.app.upkeep import back_up, restore
from memoria.config import Settings
from memoria.model import Memory
from memoria.model.retention import RetentionAttributes
from memoria.store.sqlite import SqliteStore

__all__ = ["Dump", "differences", "dump"]


def copied(settings: Settings, twin: Settings) -> None:
    """A copy of a home, taken by SQLite itself."""
    report = back_up(settings, None, lambda *_: None)
    restore(twin, report.path, lambda *_: None)


class Interrupted(BaseException):
    """The process is gone, as far as the run can tell."""


def interrupting(after: int) -> Callable[[str, int, int], None]:
    """A progress report that ends the run after so many transactions."""
    left = iter(range(after))

    def told(_step: str, _done: int, _of: int) -> None:
        if next(left, None) is None:
            raise Interrupted

    return told


@contextmanager
def store_of(settings: Settings) -> Iterator[SqliteStore]:
    path = settings.home_path / "memoria.db"
    with closing(SqliteStore(path, busy_timeout_ms=5000, readers=1)) as store:
        yield store


def memory(settings: Settings, memory_id: str) -> Memory:
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        found = tx.memories.get(memory_id)
    assert found is not None
    return found


def vitals(settings: Settings, memory_id: str) -> RetentionAttributes:
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        found = tx.retention.get_attributes(memory_id)
    assert found is not None
    return found
