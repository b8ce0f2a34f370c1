"""Tenants: the row of a tenant, with which a transaction begins.

A transaction begins with its tenant's row: what it counts is then known for as long as nobody in it
changes anything, which a reader never does.
"""

from dataclasses import dataclass
from typing import NamedTuple

from memoria.model import now_millis
from memoria.store.connection import Connection


class IndexChanges(NamedTuple):
    """Counts of a tenant's changes, by which vectors in memory follow the file."""

    n: int
    """Number of changes to what the indexes hold."""
    erased_at: int
    """Number of the last change that erased something."""


@dataclass(frozen=True, slots=True)
class StoreTenant:
    """Row of a tenant at the beginning of a transaction."""

    name: str
    number: int = 0
    """Number of the tenant; 0 if it has nothing yet."""
    private_times: int = 0
    """Number of its private times."""
    changes: int = 0
    last_erasure: int = 0
    newest_document: int = 0
    """Number of its newest document."""
    has_others: bool = True
    """True if other tenants have documents in the same home."""

    @property
    def age(self) -> tuple[int, int]:
        """Number of changes and newest document: a later state compares greater."""
        return self.changes, self.newest_document

    @property
    def changed(self) -> IndexChanges:
        """Counts of the tenant's changes."""
        return IndexChanges(self.changes, self.last_erasure)


def list_tenants(connection: Connection) -> list[str]:
    """List the names of all tenants that ever stored something."""
    return [
        str(row["name"]) for row in connection.execute(connection.statements("tenants")["names"])
    ]


def list_erasures(connection: Connection) -> list[tuple[int, int]]:
    """List (tenant, number of the change that erased something last)."""
    rows = connection.execute(connection.statements("tenants")["erasures"])
    return [(row["number"], row["last_erasure"]) for row in rows]


def ask_for_tenant(connection: Connection, name: str) -> None:
    """Ask ahead what `find_tenant` is going to ask."""
    connection.ask_ahead(connection.statements("tenants")["find"], {"name": name})


def find_tenant(connection: Connection, name: str) -> StoreTenant | None:
    """Return the tenant of that name; None if it never stored anything."""
    return connection.read_settled(("tenant", name), lambda: _find_tenant(connection, name))


def _find_tenant(connection: Connection, name: str) -> StoreTenant | None:
    row = connection.execute(connection.statements("tenants")["find"], {"name": name}).fetchone()
    if row is None:
        return None
    return StoreTenant(
        name,
        row["number"],
        row["private_times"],
        row["changes"],
        row["last_erasure"],
        row["newest_document"],
        bool(row["has_others"]),
    )


def enter_tenant(connection: Connection, name: str) -> StoreTenant:
    """Return the tenant of that name, and add the tenant if it is new."""
    found = find_tenant(connection, name)
    if found is not None:
        return found
    added = connection.execute(
        connection.statements("tenants")["add"], {"name": name, "now": now_millis()}
    )
    return StoreTenant(name, added.lastrowid or 0)
