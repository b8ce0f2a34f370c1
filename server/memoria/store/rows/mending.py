"""Mending of tables that are the same for all engines, within an open transaction."""

from memoria.config import LONGEST_LEASE_MS
from memoria.model import now_millis
from memoria.store.connection import Connection


def forgive_failures(connection: Connection) -> None:
    """Reset the attempts of documents that could not be embedded."""
    _run(connection, "forgive_failures")


def queue_missing_vectors(connection: Connection) -> None:
    """Queue all documents whose vectors are not stored, or whose passages are damaged."""
    forgive_failures(connection)
    for name in ("await_missing_vectors", "await_damaged_passages", "drop_damaged_passages"):
        _run(connection, name)


def drop_stale_leases(connection: Connection) -> None:
    """Delete leases that no living process can hold."""
    _run(connection, "drop_stale_leases", now=now_millis(), longest=LONGEST_LEASE_MS)


def _run(connection: Connection, name: str, **parameters: int) -> None:
    connection.execute(connection.statements("examination")[name], parameters)
