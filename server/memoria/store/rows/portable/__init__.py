"""Reading and writing a tenant's rows as records that mean the same in any home."""

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
"""Errors that a record raises that is not as it should be."""


class PortableRows:
    """A tenant's rows as records."""

    def __init__(self, tables: PortableTables) -> None:
        self._connection = tables.connection
        self._memories = tables.memories
        self._reader = PortableReader(tables.connection, tables.tenant, tables.workspaces)
        self._writer = PortableWriter(tables)

    def count(self, kind: PortableKind, selection: PortableSelection) -> int:
        """Count the records of a kind; for some kinds an upper bound."""
        return self._reader.count(kind, selection)

    def read(self, kind: PortableKind, selection: PortableSelection) -> Iterator[PortableRecord]:
        """Yield the records of a kind; each follows those that it refers to."""
        return self._reader.read(kind, selection)

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Take in a record in this block: all of it, or nothing.

        Raises:
            ValueError: the record is not valid; the message says why.
        """
        try:
            with self._connection.savepoint():
                yield
        except _UNFIT as error:
            raise ValueError(_describe_fault(error)) from error

    def put(self, kind: PortableKind, record: PortableRecord, merge: PortableMerge) -> PutOutcome:
        """Write a record, or bring the rows of its subject in line with it.

        Two homes that read each other's records hold the same afterwards. To be called in an
        attempt: whatever is wrong with the record is said at its end.
        """
        outcome = self._writer.put(kind, record, merge)
        if kind == "memory":
            self._memories.get(str(record["id"]))  # or else it could never be read
        return outcome

    def join_entities(self, merge: PortableMerge) -> None:
        """Join the imported entities that are the same. To be called at the end."""
        self._writer.join_entities(merge)


def _describe_fault(error: Exception) -> str:
    """Describe the fault of a record, as the end of a sentence about it."""
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
