"""Changed: which documents a tenant has changed or added since an earlier state of the file.

Whatever a process keeps of documents asks that of each new snapshot, and mostly all of it was kept
of the same state, and little has changed: so it is read once, with all that any of them follows.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoria.store.sqlite.rows import TenantRows
from memoria.store.sqlite.visibility import write_token

if TYPE_CHECKING:
    from memoria.store.sqlite.tenants import StoreTenant

FEW = 100
"""Documents that are read with all that is told of them. Where more have changed, what is kept is
mostly read anew."""


class ChangedDocument(NamedTuple):
    """A document as a snapshot has it."""

    n: int
    changed: int
    """Which of its tenant's changes was its last; 0 for one that was never embedded, and does not
    tell when it is changed."""
    kind: str
    tenant: int
    workspace: int | None
    current: int
    suppressed: int
    processed: int
    words: str | None
    """Of what it says, and of who said it and when; None if it is not indexed."""
    context: str | None

    @property
    def token(self) -> str:
        """Its visibility."""
        return write_token(
            self.kind, self.tenant, self.workspace, self.current, self.suppressed, self.processed
        )


def list_changed(rows: TenantRows, seen: int) -> Sequence[int]:
    """The documents that were changed after so many changes, and tell of it.

    Args:
        rows: the statements about documents, on a snapshot.
        seen: the changes that are known.
    """
    few = read_few_changed(rows, seen)
    if few is not None:
        return [each.n for each in few]
    return rows.connection.read_settled(
        ("changed", rows.tenant, seen),
        lambda: [n for (n,) in rows.tuples("changed_since", seen=seen)],
    )


def read_few_changed(rows: TenantRows, seen: int) -> Sequence[ChangedDocument] | None:
    """The same with all that is told of them, the last change last; None where they are many."""
    return rows.connection.read_settled(
        ("few changed", rows.tenant, seen), lambda: _read_few(rows, "few_changed", seen)
    )


def read_few_added(rows: TenantRows, newest: int) -> Sequence[ChangedDocument] | None:
    """Documents beyond a number that were never embedded, oldest first; None where they are many.

    Args:
        rows: the statements about documents, on a snapshot.
        newest: the number of the newest that is known.
    """
    return rows.connection.read_settled(
        ("few added", rows.tenant, newest), lambda: _read_few(rows, "few_added", newest)
    )


def read_followed(
    rows: TenantRows, tenant: "StoreTenant", seen: int, newest: int
) -> Sequence[ChangedDocument] | None:
    """All that has become of documents, oldest first; None where that can't be told.

    They may be too many; and where a change is the last of no document that tells of it, it may
    have been one of any document.

    Args:
        rows: the statements about documents, on a snapshot.
        tenant: as the snapshot has it.
        seen: the changes that are known.
        newest: the number of the newest document that is known.
    """
    changed = read_few_changed(rows, seen)
    if changed is None:
        return None
    told = {each.changed for each in changed}
    if not told.issuperset(range(seen + 1, tenant.changes + 1)):
        return None
    more = tenant.newest_document - newest - sum(each.n > newest for each in changed)
    added = read_few_added(rows, newest) if more else ()
    return None if added is None else sorted([*changed, *added])


def _read_few(rows: TenantRows, name: str, after: int) -> Sequence[ChangedDocument] | None:
    found = rows.tuples(name, after=after, most=FEW + 1)
    return None if len(found) > FEW else [ChangedDocument._make(row) for row in found]
