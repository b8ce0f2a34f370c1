"""Changed: which documents a tenant has changed since an earlier state of the file.

Whatever a process keeps of documents asks that of each new snapshot, and mostly all of it was kept
of the same state: so it is read once.
"""

from memoria.store.sqlite.rows import TenantRows


def list_changed(rows: TenantRows, seen: int) -> list[int]:
    """The documents that were changed after so many changes, and tell of it.

    Args:
        rows: the statements about documents, on a snapshot.
        seen: the changes that are known.
    """
    return rows.connection.read_settled(
        ("changed", rows.tenant, seen),
        lambda: [n for (n,) in rows.tuples("changed_since", seen=seen)],
    )
