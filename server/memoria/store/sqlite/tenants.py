"""Tenants, as their rows have them.

A transaction begins with its tenant's row: what it counts is then known for as long as nobody in it
changes anything, which a reader never does.
"""

from dataclasses import dataclass
from typing import NamedTuple

from memoria.model import now_millis
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.statements import statements
from memoria.store.sqlite.terms import TermStatistics

_SQL = statements("tenants")


class IndexChanges(NamedTuple):
    """How far what a process holds of a tenant's indexes has to follow."""

    n: int
    """How often what the indexes hold was changed."""
    erased_at: int
    """The last of the changes that erased something."""


@dataclass(frozen=True, slots=True)
class StoreTenant:
    """A tenant as its row had it when the transaction began."""

    name: str
    number: int = 0
    """0 for one that has nothing yet."""
    private_times: int = 0
    """How many it has."""
    changes: int = 0
    last_erasure: int = 0
    newest_document: int = 0
    """The number that was given last."""
    has_others: bool = True
    """Whether others have theirs in the same home."""

    @property
    def age(self) -> tuple[int, int]:
        """How often its documents have changed, and the newest of them: later ones are greater."""
        return self.changes, self.newest_document

    @property
    def changed(self) -> IndexChanges:
        """What its counts say to indexes in memory."""
        return IndexChanges(self.changes, self.last_erasure)


class ReaderKnowledge(NamedTuple):
    """What a reader knows from the start. A writer has none of it: its own changes count."""

    tenant: StoreTenant
    counted: TermStatistics
    """What the process remembers of the full text."""


def list_tenants(connection: Connection) -> list[str]:
    """The names of all that ever stored something."""
    return [str(row["name"]) for row in connection.execute(_SQL["names"])]


def list_erasures(connection: Connection) -> list[tuple[int, int]]:
    """By tenant's number which of its changes was the last that erased something."""
    rows = connection.execute(_SQL["erasures"])
    return [(row["number"], row["last_erasure"]) for row in rows]


def find_tenant(connection: Connection, name: str) -> StoreTenant | None:
    """The tenant of that name, if it ever stored something."""
    return connection.read_settled(("tenant", name), lambda: _find_tenant(connection, name))


def _find_tenant(connection: Connection, name: str) -> StoreTenant | None:
    row = connection.execute(_SQL["find"], {"name": name}).fetchone()
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
    """The tenant of that name, made if it is new."""
    found = find_tenant(connection, name)
    if found is not None:
        return found
    added = connection.execute(_SQL["add"], {"name": name, "now": now_millis()})
    return StoreTenant(name, added.lastrowid or 0)
