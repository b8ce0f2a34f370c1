"""Tenant image: what a process knows of a tenant from one search to the next.

Searches need the same again and again: words of documents, the documents that hold a word, counts,
visibilities, turns. An image keeps each of these in a column, and all columns are of one state of
the file. A search on a newer snapshot first reads what the tenant has changed since then, once, and
every column applies it. A search on an older snapshot uses an image of its own, which is empty.

An erasure drops all columns, and with them every word and name that they held.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from memoria.store.image.tenants import StoreTenant
from memoria.store.image.visibility import write_token
from memoria.store.sql.statements import TenantRows

_Column = TypeVar("_Column", bound="ImageColumn")
_FEW = 100
"""Changed documents up to which all their columns are read; beyond, most of an image is dropped."""


class ChangedDocument(NamedTuple):
    """A document on a snapshot."""

    n: int
    changed: int
    """Number of its last change, by tenant; 0 if never embedded, as then none is counted."""
    kind: str
    tenant: int
    workspace: int | None
    current: int
    suppressed: int
    processed: int
    words: str | None
    """Tokens of what it says; in `context`, of who said it and when. None if not indexed."""
    context: str | None

    @property
    def token(self) -> str:
        """Token of the document's visibility."""
        return write_token(
            self.kind, self.tenant, self.workspace, self.current, self.suppressed, self.processed
        )


class TenantChanges(NamedTuple):
    """Documents that a tenant has changed or added between two states of the file."""

    seen: int
    """Number of the tenant's changes in the older state."""
    newest: int
    """Number of its newest document in the older state."""
    now: StoreTenant
    """Tenant in the newer state."""
    changed: Sequence[int]
    """Changed documents; a document that was never embedded does not tell when it is changed."""
    documents: Sequence[ChangedDocument] | None
    """All changed and added documents, oldest first; None if any other may have changed too."""


class ImageColumn(ABC):
    """Column of an image: one kind of knowledge of documents. Its user holds the image's lock."""

    @property
    def is_whole(self) -> bool:
        """True if the column has the visibility of every document of the tenant."""
        return False

    @abstractmethod
    def apply(self, changes: TenantChanges) -> bool:
        """Apply changes; return False if the column can't, so that it is dropped."""


class TenantImage:
    """Columns of one tenant, all of one state of the file. Its user holds the image's lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seen = self._newest = 0
        self._columns: dict[type[ImageColumn], ImageColumn] = {}

    @property
    def columns(self) -> Iterable[ImageColumn]:
        """Columns that hold anything."""
        return self._columns.values()

    @property
    def is_whole(self) -> bool:
        """True if the image has the visibility of every document of the tenant."""
        return any(column.is_whole for column in self.columns)

    def column(self, make: type[_Column]) -> _Column:
        """Return the column of a class, empty if the image has none."""
        found = self._columns.get(make)
        if not isinstance(found, make):
            found = self._columns[make] = make()
        return found

    def put(self, column: ImageColumn) -> None:
        """Add a column of the image's state, in place of the former column of its class."""
        self._columns[type(column)] = column

    def drop(self, kind: type[ImageColumn]) -> None:
        """Drop the column of a class."""
        self._columns.pop(kind, None)

    def follow(self, rows: TenantRows, tenant: StoreTenant) -> bool:
        """Bring all columns up to a snapshot; return False if the image is of a newer one.

        Args:
            rows: the statements about documents, on that snapshot.
            tenant: as the snapshot has it.
        """
        now, before = tenant.age, (self.seen, self._newest)
        if now <= before:
            return now == before
        if tenant.last_erasure > self.seen:
            self._columns = {}
        elif self._columns:
            changes = _read_changes(rows, tenant, *before)
            columns, self._columns = self._columns, {}  # if one fails, none stays half followed
            self._columns = {kind: each for kind, each in columns.items() if each.apply(changes)}
        self.seen, self._newest = now
        return True


def _read_changes(rows: TenantRows, tenant: StoreTenant, seen: int, newest: int) -> TenantChanges:
    few = _read_few(rows, "few_changed", seen) if tenant.changes > seen else ()
    if few is None:
        every = [n for (n,) in rows.tuples("changed_since", seen=seen)]
        return TenantChanges(seen, newest, tenant, every, None)
    changed, told = [each.n for each in few], {each.changed for each in few}
    documents = None
    if told.issuperset(range(seen + 1, tenant.changes + 1)):
        others = tenant.newest_document - newest - sum(n > newest for n in changed)
        added = _read_few(rows, "few_added", newest) if others else ()
        documents = None if added is None else sorted([*few, *added])
    return TenantChanges(seen, newest, tenant, changed, documents)


def _read_few(rows: TenantRows, name: str, after: int) -> Sequence[ChangedDocument] | None:
    found = rows.tuples(name, after=after, most=_FEW + 1)
    return None if len(found) > _FEW else [ChangedDocument._make(row) for row in found]
