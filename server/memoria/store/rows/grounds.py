"""Grounds: the parts of repositories' files to which memories are bound."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoria.model import now_millis
from memoria.store.connection import Connection
from memoria.store.sql.statements import TenantRows, as_json

_ANEW = "null"
"""Parts of a wording that is to be bound anew."""
_END = 8
"""Characters of an id's end that are indexed."""


class UnboundWording(NamedTuple):
    """A present wording at which nobody has looked."""

    n: int
    content: str
    valid_from: int
    turn_n: int | None
    """The turn that said it."""


class GroundPart(NamedTuple):
    """A part of a file to which a wording is bound."""

    path: str
    symbol: str
    fingerprint: str
    commit: str | None


class GroundRow(NamedTuple):
    """A memory with the parts to which its present wording is bound."""

    memory_id: str
    wording_n: int
    workspace: str
    parts: tuple[GroundPart, ...]


class Grounds:
    """Parts of files that a tenant's memories are bound to."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "grounds")

    def list_unbound(self, workspace: str, most: int) -> list[UnboundWording]:
        """List wordings of a project at which nobody has looked, the newest first.

        Those that are to be bound anew hold as of now.
        """
        rows = self._rows.tuples("unbound", project=workspace, most=most, now=now_millis())
        return [UnboundWording(*row) for row in rows]

    def list_turns_before(self, n: int, reach: int) -> list[int]:
        """List the turns of a turn's session up to that turn, `reach` at most."""
        return self._rows.column("session_before", n=n, reach=reach)

    def bind(self, n: int, parts: Iterable[Sequence[str | None]]) -> None:
        """Bind a wording to parts of files; to none where none carries it."""
        self._rows.change("bind", n=n, parts=as_json(list(parts)))

    def bind_anew(self, memory_id: str) -> None:
        """Have a memory that is bound to files bound to them as they are at the next look."""
        for row in self.list_of_memories([memory_id]):
            self._rows.change("bind", n=row.wording_n, parts=_ANEW)

    def list_of_memories(self, memory_ids: Iterable[str]) -> list[GroundRow]:
        """List those of some memories that are bound to anything, given ids or ends of ids."""
        ends = [one[-_END:] for one in memory_ids]
        return self._list("of_memories", ids=as_json(ends)) if ends else []

    def list_of_project(self, workspace: str) -> list[GroundRow]:
        """List the memories of a project that are bound to anything."""
        return self._list("of_project", project=workspace)

    def _list(self, name: str, **parameters: str) -> list[GroundRow]:
        return [
            GroundRow(one, n, workspace, tuple(GroundPart(*part) for part in json.loads(parts)))
            for one, n, workspace, parts in self._rows.tuples(name, **parameters)
        ]
