"""Portable rows: a tenant's rows as exported records, which mean the same in any home."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from memoria.errors import StoreDamagedError
from memoria.store.connection import RefusedRowError, RefusedValueError
from memoria.store.rows.portable.kinds import PortableReader, PortableWriter
from memoria.store.rows.portable.records import (
    PortableKind,
    PortableMerge,
    PortableRecord,
    PortableSelection,
    PortableTables,
    PutOutcome,
)

_UNFIT = (
    *(KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError),
    StoreDamagedError,
    *(RefusedRowError, RefusedValueError),
)
"""Errors that a faulty record raises."""


class PortableRows:
    """Reads a tenant's rows as exported records, and writes records to them."""

    def __init__(self, tables: PortableTables) -> None:
        self._connection = tables.connection
        self._memories = tables.memories
        self._reader = PortableReader(tables.connection, tables.tenant, tables.workspaces)
        self._writer = PortableWriter(tables)

    def count(self, kind: PortableKind, selection: PortableSelection) -> int:
        """Count the records of a kind; for some kinds, return an upper bound."""
        return self._reader.count(kind, selection)

    def read(self, kind: PortableKind, selection: PortableSelection) -> Iterator[PortableRecord]:
        """Yield the records of a kind; each follows the records to which it refers."""
        return self._reader.read(kind, selection)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Write a record in this block: all of its rows, or none.

        Raises:
            ValueError: the record is not valid; the message says why.
        """
        try:
            with self._connection.savepoint():
                yield
        except _UNFIT as error:
            raise ValueError(_describe_fault(error)) from error

    def put(self, kind: PortableKind, record: PortableRecord, merge: PortableMerge) -> PutOutcome:
        """Write an exported record, or merge it with the rows that the home has already.

        Two homes that read each other's records hold the same rows afterwards. To be called inside
        `attempt`, which reports a faulty record.
        """
        outcome = self._writer.put(kind, record, merge)
        if kind == "memory":
            self._memories.get(str(record["id"]))  # raises if the memory could not be read
        return outcome

    def join_entities(self, merge: PortableMerge) -> None:
        """Join the imported entities that are the same, at the end of an import."""
        self._writer.join_entities(merge)


def _describe_fault(error: Exception) -> str:
    """Describe the fault of a record, as the end of a sentence about the record."""
    match error:
        case KeyError():
            return f"lacks {error.args[0]}"
        case RecursionError():
            return "is nested too deeply"
        case ValidationError() if place := error.errors()[0]["loc"]:
            return f"has an impossible {place[0]}"
        case (
            StoreDamagedError()
            | RefusedRowError()
            | RefusedValueError()
            | OverflowError()
            | ValidationError()
        ):
            return "holds values that no version of Memoria writes"
        case _:
            return str(error)
