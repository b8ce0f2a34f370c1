"""Journal: rows as they were before a nightly run or a forget changed them, kept by triggers."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from memoria.store.connection import Column

if TYPE_CHECKING:
    from memoria.store.postgres.driver import PostgresConnection


def list_columns(connection: "PostgresConnection", table: str) -> list[Column]:
    """List the columns of a table that hold the truth."""
    raise NotImplementedError


def hide_changes(
    connection: "PostgresConnection", tables: Sequence[str], tenant: int, report_id: str
) -> AbstractContextManager[None]:
    """Record in `hidden_changes` how the rows were that the block changes."""
    raise NotImplementedError
