"""Workspaces: the projects of a tenant, by name and number."""

import json
from collections.abc import Mapping
from functools import cached_property

from memoria.store.connection import Connection
from memoria.store.sql.tenant_rows import TenantRows


class Workspaces:
    """A tenant's workspaces."""

    def __init__(
        self,
        connection: Connection,
        tenant: int,
        private: frozenset[str] = frozenset(),
        *,
        only_reads: bool = False,
    ) -> None:
        """Bind to a tenant.

        Args:
            connection: to the file.
            tenant: its number.
            private: names of those that are seen from themselves alone.
            only_reads: True if nothing changes meanwhile; they are read once then.
        """
        self._rows = TenantRows(connection, tenant, "workspaces")
        self._private = private
        self._only_reads = only_reads

    def number(self, name: str | None) -> int | None:
        """Return a workspace's number; None for None, and for one nothing was ever kept of."""
        if name is None:
            return None
        if self._only_reads:
            return self._known.get(name)
        row = self._rows.first("number", name=name)
        return None if row is None else int(row["n"])

    def enter(self, name: str | None) -> int | None:
        """Return a workspace's number, made if it is new; None for None."""
        if name is None:
            return None
        return self.number(name) or self._rows.insert("add", name=name)

    def all(self) -> list[int]:
        """List every workspace's number."""
        return list((self._known if self._only_reads else self._list()).values())

    def names(self) -> list[str]:
        """List every workspace's name."""
        return list(self._list())

    def is_private(self, name: str | None) -> bool:
        """Check whether a workspace is seen from itself alone."""
        return name in self._private

    @cached_property
    def private_names(self) -> str:
        """Names of private workspaces, as a JSON list."""
        return json.dumps(sorted(self._private))

    @cached_property
    def private(self) -> list[int]:
        """Numbers of private workspaces."""
        found = map(self.number, sorted(self._private))
        return [n for n in found if n is not None]

    @cached_property
    def _known(self) -> Mapping[str, int]:
        asked = "workspaces", self._rows.tenant
        return self._rows.connection.read_settled(asked, self._list)

    def _list(self) -> dict[str, int]:
        return {row["name"]: row["n"] for row in self._rows.all("all")}
