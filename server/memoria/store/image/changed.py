"""Changed: documents that a tenant has changed or added since an earlier state of the file.

Every cache of documents asks for them at each new snapshot. Mostly all caches are of one state, and
little has changed: so it is read once, with all columns that any of them needs.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoria.store.image.visibility import write_token
from memoria.store.sql.statements import TenantRows

if TYPE_CHECKING:
    from memoria.store.image.tenants import StoreTenant

FEW = 100
"""Changed documents up to which all columns are read; beyond, caches mostly start anew."""


class ChangedDocument(NamedTuple):
    """A document as a snapshot has it."""

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
        """Token of its visibility."""
        return write_token(
            self.kind, self.tenant, self.workspace, self.current, self.suppressed, self.processed
        )


def list_changed(rows: TenantRows, seen: int) -> Sequence[int]:
    """List the documents changed after so many changes, as far as they carry a change's number.

    Args:
        rows: the statements about documents, on a snapshot.
        seen: the number of changes that are known.
    """
    few = read_few_changed(rows, seen)
    if few is not None:
        return [each.n for each in few]
    return rows.connection.read_settled(
        ("changed", rows.tenant, seen),
        lambda: [n for (n,) in rows.tuples("changed_since", seen=seen)],
    )


def read_few_changed(rows: TenantRows, seen: int) -> Sequence[ChangedDocument] | None:
    """Return the same documents with all columns, the last change last; None if there are many."""
    return rows.connection.read_settled(
        ("few changed", rows.tenant, seen), lambda: _read_few(rows, "few_changed", seen)
    )


def read_few_added(rows: TenantRows, newest: int) -> Sequence[ChangedDocument] | None:
    """Return documents beyond a number that were never embedded, oldest first; None if many.

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
    """Return all documents changed or added since, oldest first; None if that can't be told.

    They may be too many, or no document may carry the number of a change any more: then any may
    have changed.

    Args:
        rows: the statements about documents, on a snapshot.
        tenant: as the snapshot has it.
        seen: the number of changes that are known.
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
