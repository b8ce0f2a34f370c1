"""Homes looked into and compared, and runs that end before their time."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bench.night.dump import Dump, differences, dump_files, dump_rows
from tests.databases import change_rows, copy_home, settings_elsewhere

from memoria.app.engine import choose_engine, open_store
from memoria.config import Settings
from memoria.lifecycle.runner import LEASE, hold_lease
from memoria.model import Memory
from memoria.model.retention import RetentionAttributes
from memoria.store.engine import JournalingStore, Store

__all__ = ["Dump", "differences", "dump"]


def dump(home: Path, *more: str) -> Dump:
    """The rows of every table that a night may change, and the files, wherever they are kept."""
    with change_rows(home) as connection:
        rows = dump_rows(connection, *more)
        if connection.columns("files"):
            kept = connection.execute("SELECT path, content FROM files ORDER BY tenant_id, path")
            rows["kept files"] = [*map(tuple, kept)]
    return rows | {"files": dump_files(home)}


def copied(settings: Settings, home: Path) -> Settings:
    """The settings of a copy of a home that nobody has open."""
    copy_home(settings.home_path, home)
    return settings_elsewhere(settings, home)


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
def night(settings: Settings) -> Iterator[tuple[Store, JournalingStore]]:
    """A home's store, and that of a night that is under way there."""
    with (
        closing(open_store(settings)) as shared,
        hold_lease(shared, settings.tenant, "night"),
        closing(choose_engine(settings).open_journaling(settings, LEASE, "night")) as own,
    ):
        yield shared, own


@contextmanager
def store_of(settings: Settings) -> Iterator[Store]:
    with closing(open_store(settings)) as store:
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
