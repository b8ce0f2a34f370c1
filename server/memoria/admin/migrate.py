"""A move of a whole memory from one engine to another: copied, compared row by row, built anew.

A move that was stopped is gone on with by asking for it again: what is equal already is left alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from memoria.disk.folders import DERIVED
from memoria.disk.tenant_files import TenantFiles, list_core_places
from memoria.errors import InvalidInputError, StoreError
from memoria.store.connection import Connection
from memoria.store.engine import Store
from memoria.store.rows.findings import UNFINISHED_COPY
from memoria.store.tables import MOVED_TABLES, copy_table, count_differences, empty_outdated

Progress = Callable[[int, int], None]
_MODEL = "embedding_model"


@dataclass(frozen=True, slots=True)
class MoveReport:
    """Report on a move."""

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
        InvalidInputError: the target holds a memory already, or the source is half a copy itself.
        StoreError: the copy differs from its source, as somebody has changed that meanwhile; or
            the target can't hold what is in it.
    """
    with source.moved.read_all() as snapshot:
        rows = _count_rows(snapshot)
        _begin(target)
        empty_outdated(snapshot, target.moved)
        steps = _MoveSteps(progress, 2 * sum(rows.values()))
        written = sum(_copy(one, snapshot, target, steps) for one in MOVED_TABLES)
        numbers, model = source.moved.read_numbers(snapshot), _read_setting(snapshot, _MODEL)
    target.moved.raise_numbers(numbers)
    if model is not None:
        _set(target, _MODEL, model)
    files = _copy_files(source, target)
    with source.moved.read_all() as present, target.moved.read_all() as copied:
        _require_equal(present, copied, steps)
    _require_equal_files(source, target)
    target.rebuild(progress)
    if target.needs_scrub():
        target.scrub()
    _unset(target, UNFINISHED_COPY)
    return MoveReport({one: many for one, many in rows.items() if many}, written, files)


def preview_move(source: Store) -> MoveReport:
    """Count what a move would copy."""
    with source.moved.read_all() as snapshot:
        rows = _count_rows(snapshot)
    files = sum(len(_read_digests(source.files.of(one))) for one in source.tenants())
    return MoveReport({one: many for one, many in rows.items() if many}, 0, files)


def _begin(target: Store) -> None:
    with target.moved.read_all() as connection:
        is_unfinished = _read_setting(connection, UNFINISHED_COPY) is not None
    if target.tenants() and not is_unfinished:
        raise InvalidInputError(
            "There is a memory already where this one is to go, and two are not mixed. Name a "
            "database or a folder that is empty. Nothing was changed."
        )
    _set(target, UNFINISHED_COPY, "1")


def _count_rows(connection: Connection) -> dict[str, int]:
    """Count the rows of each table of a memory that is whole."""
    if _read_setting(connection, UNFINISHED_COPY) is not None:
        raise InvalidInputError(
            "The memory that is to be moved is itself half a copy of another one. Finish that: run "
            "the `memoria migrate` again that began it. Nothing was changed."
        )
    return {
        table: int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0])  # noqa: S608  (names of our own list)
        for table in MOVED_TABLES
    }


def _copy(table: str, snapshot: Connection, target: Store, steps: _MoveSteps) -> int:
    try:
        return copy_table(table, snapshot, target.moved, steps.note)
    except InvalidInputError as error:
        raise StoreError(
            f"A row of {table} can't be moved, and none of that table was: {error} No database of "
            "PostgreSQL holds a text with a NUL character: correct or forget what has one, then "
            "run the same command again."
        ) from error


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
            places = _list_places(own)
            for place in {*_list_places(other)} - {*places}:
                other.delete(place)
            for place in places:
                content = own.read(place)
                if content is None:
                    other.delete(place)
                elif other.read(place) != content:
                    other.write(place, content)
                copied += content is not None
    return copied


def _require_equal_files(source: Store, target: Store) -> None:
    for tenant in source.tenants():
        there = _read_digests(source.files.of(tenant))
        copied = _read_digests(target.files.of(tenant))
        if differing := sorted({one for one, _ in there.items() ^ copied.items()}):
            raise StoreError(
                f"Files of the memory were changed while it was copied: {', '.join(differing)}. "
                "Run the same command again: it copies them."
            )


def _read_digests(files: TenantFiles) -> dict[str, bytes]:
    """Map the places of files to digests of what is in them."""
    contents = ((place, files.read(place)) for place in _list_places(files))
    return {place: sha256(one).digest() for place, one in contents if one is not None}


def _list_places(files: TenantFiles) -> list[str]:
    """List the places of core files, be they there or not, and of files that nights have written.

    A core file that can't be read is among them, so that whoever reads it says so.
    """
    written = (place for folder in DERIVED for place in files.list_places(folder))
    return [*list_core_places(files), *written]


def _read_setting(connection: Connection, name: str) -> str | None:
    row = connection.execute(connection.statements("moves")["setting"], {"name": name}).fetchone()
    return None if row is None else str(row["value"])


def _set(target: Store, name: str, value: str) -> None:
    with target.moved.change_table("settings") as connection:
        connection.execute(connection.statements("moves")["set"], {"name": name, "value": value})


def _unset(target: Store, name: str) -> None:
    with target.moved.change_table("settings") as connection:
        connection.execute(connection.statements("moves")["unset"], {"name": name})
