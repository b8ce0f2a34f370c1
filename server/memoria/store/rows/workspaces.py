"""Workspaces of a tenant: their numbers, and the visibilities that a question may see.

Each document has its visibility as one token of the index. A question may see documents of a few
visibilities, and those hidden from it are a few as well while a home is of one tenant with at most
one project.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from memoria.store.connection import Connection
from memoria.store.image.tenant_images import ImageReader
from memoria.store.image.visibility import Visibility
from memoria.store.sql.statements import TenantRows
from memoria.store.values import DocumentKind, Filters


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
            private: names of private workspaces, seen from themselves alone.
            only_reads: True if the transaction only reads; workspaces are then read once.
        """
        self._rows = TenantRows(connection, tenant, "workspaces")
        self._private = private
        self._only_reads = only_reads

    def number(self, name: str | None) -> int | None:
        """Return the number of a workspace; None for None and for an unknown workspace."""
        if name is None:
            return None
        if self._only_reads:
            return self._known.get(name)
        return self._rows.find_number("number", name=name)

    def enter(self, name: str | None) -> int | None:
        """Return the number of a workspace, made if it is new; None for None."""
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


_KINDS: tuple[DocumentKind, ...] = ("turn", "memory")
_FEW = 16
"""Number of visibilities that are looked up one by one: enough for one workspace."""


class Scopes(NamedTuple):
    """Tokens of the visibilities that a question may see, and of those it may not."""

    seen: tuple[str, ...]
    hidden: tuple[str, ...] | None
    """Tokens of all other visibilities in the home; None if too many, or of other tenants."""


class Visibilities:
    """The visibilities that the documents of a tenant may have."""

    def __init__(
        self, rows: TenantRows, workspaces: Workspaces, reading: ImageReader | None
    ) -> None:
        """Bind to a tenant.

        Args:
            rows: the statements about documents.
            workspaces: the tenant's.
            reading: caches for a reader; None for a writer.
        """
        self._rows = rows
        self._workspaces = workspaces
        self._reading = reading

    def read_scopes(self, kinds: Sequence[DocumentKind], filters: Filters) -> Scopes:
        """Return the tokens of visibilities that a question may see, and of all others."""
        asked = "scopes", self._rows.tenant, (*kinds,), filters
        return self._rows.connection.read_settled(asked, lambda: self._tell_scopes(kinds, filters))

    def _tell_scopes(self, kinds: Sequence[DocumentKind], filters: Filters) -> Scopes:
        seen = tuple(visible.token for visible in self.list_visible(kinds, filters))
        if self._has_other_tenants():
            return Scopes(seen, None)
        every = (each.token for each in self.list_all(_KINDS))
        hidden = tuple(token for token in every if token not in seen)
        return Scopes(seen, hidden if len(hidden) <= _FEW else None)

    def _has_other_tenants(self) -> bool:
        if self._reading is not None:
            return self._reading.tenant.has_others
        return bool(self._rows.number("has_other_tenants"))

    def list_visible(self, kinds: Sequence[DocumentKind], filters: Filters) -> list[Visibility]:
        """List the visibilities that a question may see."""
        places = self._visible_workspaces(filters)
        return [
            Visibility(kind, self._rows.tenant, place, current, processed)
            for kind in kinds
            for place in places
            for current in ((True, False) if filters.include_history else (True,))
            for processed in (
                (False, True) if filters.include_processed and kind == "turn" else (False,)
            )
        ]

    def list_all(self, kinds: Sequence[DocumentKind]) -> list[Visibility]:
        """List every visibility that a document may have."""
        places = (None, *self._workspaces.all())
        return [
            Visibility(kind, self._rows.tenant, place, current, processed)
            for kind in kinds
            for place in places
            for current in (True, False)
            for processed in (True, False)
        ]

    def _visible_workspaces(self, filters: Filters) -> list[int | None]:
        """List the workspaces that a question may see; None stands for rows of no workspace."""
        own = self._workspaces.number(filters.workspace)
        if filters.everywhere:
            hidden = {*self._workspaces.private} - {own}
            return [None, *(n for n in self._workspaces.all() if n not in hidden)]
        return [None] if own is None else [None, own]
