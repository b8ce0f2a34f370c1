"""A move of a whole memory from one engine to another: copied, compared row by row, built anew.

A move that was stopped is gone on with by asking for it again: what is equal already is left alone.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from memoria.disk.folders import DERIVED
from memoria.disk.tenant_files import TenantFiles, list_core_places
from memoria.errors import InvalidInputError, StoreError
from memoria.store.connection import Connection
from memoria.store.engine import Store
from memoria.store.tables import MOVED_TABLES, copy_table, count_differences

Progress = Callable[[int, int], None]
_UNFINISHED = "unfinished_copy"
"""Setting of a database that a move has begun to fill."""
_MODEL = "embedding_model"


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a move has copied."""

    rows: Mapping[str, int]
    """Number of rows by table, without empty tables."""
    written: int
    """Number of rows that had to be written; fewer than all where a move was gone on with."""
    files: int


class _MoveSteps:
    """Progress through rows, which are copied and then compared."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0

    def note(self, rows: int) -> None:
        """Note rows that are done with."""
        self._done += rows
        self._progress(min(self._done, self._total), self._total)


def move_memory(source: Store, target: Store, progress: Progress) -> MoveReport:
    """Copy everything from one store into another, empty one, and compare what came of it.

    Raises:
        InvalidInputError: the target holds a memory already.
        StoreError: the copy differs from its source, as somebody has changed that meanwhile.
    """
    _begin(target)
    with source.moved.read_all() as snapshot:
        rows = _count_rows(snapshot)
        steps = _MoveSteps(progress, 2 * sum(rows.values()))
        written = sum(copy_table(one, snapshot, target.moved, steps.note) for one in MOVED_TABLES)
        numbers, model = source.moved.read_numbers(snapshot), _read_setting(snapshot, _MODEL)
    target.moved.raise_numbers(numbers)
    if model is not None:
        _set(target, _MODEL, model)
    files = _copy_files(source, target)
    with source.moved.read_all() as present, target.moved.read_all() as copied:
        _require_equal(present, copied, steps)
    target.rebuild(progress)
    _unset(target, _UNFINISHED)
    return MoveReport({one: many for one, many in rows.items() if many}, written, files)


def preview_move(source: Store) -> MoveReport:
    """Count what a move would copy."""
    with source.moved.read_all() as snapshot:
        rows = _count_rows(snapshot)
    files = sum(len([*_list_places(source.files.of(one))]) for one in source.tenants())
    return MoveReport({one: many for one, many in rows.items() if many}, 0, files)


def _begin(target: Store) -> None:
    with target.moved.read_all() as connection:
        is_unfinished = _read_setting(connection, _UNFINISHED) is not None
    if target.tenants() and not is_unfinished:
        raise InvalidInputError(
            "There is a memory already where this one is to go, and two are not mixed. Name a "
            "database or a folder that is empty. Nothing was changed."
        )
    _set(target, _UNFINISHED, "1")


def _count_rows(connection: Connection) -> dict[str, int]:
    return {
        table: int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])  # noqa: S608  (names of our own list)
        for table in MOVED_TABLES
    }


def _require_equal(source: Connection, target: Connection, steps: _MoveSteps) -> None:
    differing = {
        table: many
        for table in MOVED_TABLES
        if (many := count_differences(table, source, target, steps.note))
    }
    if differing:
        where = ", ".join(f"{many} of {table}" for table, many in differing.items())
        raise StoreError(
            f"The memory was changed while it was copied; rows that differ: {where}. Stop the "
            "clients that use it and run the same command again: it copies what is missing."
        )


def _copy_files(source: Store, target: Store) -> int:
    """Copy the files of all tenants, and the keys by which what was forgotten is recognised."""
    copied = 0
    for tenant in source.tenants():
        with target.write(tenant):
            target.files.adopt_tombstone_keys(b"".join(source.files.list_tombstone_keys()))
            own, other = source.files.of(tenant), target.files.of(tenant)
            for place in _list_places(own):
                content = own.read(place)
                if content is not None and other.read(place) != content:
                    other.write(place, content)
                copied += content is not None
    return copied


def _list_places(files: TenantFiles) -> Iterator[str]:
    """Yield the places of core files, and of files that nights have written."""
    yield from filter(files.exists, list_core_places(files))
    for folder in DERIVED:
        yield from files.list_places(folder)


def _read_setting(connection: Connection, name: str) -> str | None:
    row = connection.execute(connection.statements("moves")["setting"], {"name": name}).fetchone()
    return None if row is None else str(row["value"])


def _set(target: Store, name: str, value: str) -> None:
    with target.moved.change_table("settings") as connection:
        connection.execute(connection.statements("moves")["set"], {"name": name, "value": value})


def _unset(target: Store, name: str) -> None:
    with target.moved.change_table("settings") as connection:
        connection.execute(connection.statements("moves")["unset"], {"name": name})
