"""Derived memories."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoria.language.reading.statement import says_the_same
from memoria.store.connection import Connection, Row
from memoria.store.sql.tenant_rows import TenantRows, as_json


class DerivationCandidate(NamedTuple):
    """An active memory that others may be derived from."""

    n: int
    id: str
    wording: int
    """The number of its present wording."""
    content: str
    type: str
    scope: tuple[int | None, str | None]
    """Workspace, and the task to which it is limited: sources of one memory agree in both."""
    subject: str | None
    predicate: str | None
    confidence: float
    updated_at: int


class StatementOccasion(NamedTuple):
    """An occasion on which a memory was stated: one for each conversation and its speakers."""

    memory_n: int
    conversation: str
    source: str


class DerivationSource(NamedTuple):
    """A source of a derived memory, or the survivor of the merger of such a source."""

    derived_id: str
    n: int
    id: str
    is_current: bool
    """True if the present wording was derived from it, and not only a former one."""
    is_quoted: bool
    """True if the derived memory rests on it; False if its model was merely shown it."""
    is_valid: bool
    """True if it is active and still says what it said then."""


class ChangedSource(NamedTuple):
    """A source of a derived memory that has changed since that was written."""

    derived_id: str
    id: str
    """Id of the memory that has the present state."""
    before: str
    """Wording of the source when the derived memory was written."""
    after: str
    """Wording that now stands in its place; empty if there is none."""
    changed_at: int
    """UTC epoch milliseconds."""


_UNIT = 10_000


class Derivations:
    """The memories of a tenant that others may be derived from, and those that were derived."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "derivations")

    def list_candidates(self, after: int, limit: int) -> list[DerivationCandidate]:
        """List active memories beyond a number that others may be derived from, in order.

        Memories with a flag or an expiry date, summaries and derived memories are left out.
        """
        return [
            DerivationCandidate(
                row["n"],
                row["id"],
                row["wording"],
                row["content"],
                row["type"],
                (row["workspace_n"], row["task"]),
                row["subject"],
                row["predicate"],
                row["confidence"],
                row["updated_at"],
            )
            for row in self._rows.all("candidates", after=after, limit=limit)
        ]

    def similar_pairs(self, ns: Sequence[int]) -> list[tuple[int, int, float]]:
        """List (one, other, cosine) of pairs of these memories that mean nearly the same."""
        rows = self._rows.all("similar_pairs", ns=as_json(ns))
        return [(row["one"], row["other"], row["weight"] / _UNIT) for row in rows]

    def entities(self, ns: Sequence[int]) -> list[tuple[int, int]]:
        """List (memory, entity) for every entity that these memories, by number, speak of."""
        rows = self._rows.all("entities", ns=as_json(ns))
        return [(row["memory_n"], row["entity_n"]) for row in rows]

    def occasions(self, ns: Sequence[int]) -> list[StatementOccasion]:
        """List the occasions on which these memories, by number, were stated.

        A memory without a turn counts as stated on its day, by its channel.
        """
        rows = self._rows.all("occasions", ns=as_json(ns))
        return [
            StatementOccasion(row["memory_n"], row["conversation"], row["source"]) for row in rows
        ]

    def user_statement_times(self, ns: Sequence[int]) -> list[tuple[int, int, int | None]]:
        """List (memory, UTC epoch ms, UTC offset) for each time the user spoke of one of these.

        If a wording says when it happened, that time is given instead.
        """
        rows = self._rows.all("user_statement_times", ns=as_json(ns))
        return [(row["memory_n"], row["at"], row["utc_offset"]) for row in rows]

    def list_derived(self, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of derived memories beyond a number, whatever their status is now."""
        return [(r["n"], r["id"]) for r in self._rows.all("derived", after=after, limit=limit)]

    def sources(self, ids: Sequence[str]) -> list[DerivationSource]:
        """List the memories that these were derived from, in any of their wordings."""
        return [
            DerivationSource(
                row["derived"],
                row["n"],
                row["id"],
                is_current=bool(row["current"]),
                is_quoted=bool(row["quoted"]),
                is_valid=bool(row["valid"]),
            )
            for row in self._rows.all("sources", ids=as_json(ids))
        ]

    def list_changed(self, ids: Sequence[str]) -> list[ChangedSource]:
        """List sources of derived memories and episodes that have changed since these were written.

        An episode's sources are the memories concluded from its turns. A correction made in the
        same turns is no change for it.
        """
        spans = [dict(row) for row in self._rows.all("spans", ids=as_json(ids))]
        changed = self._rows.all("changed_sources", ids=as_json(ids))
        return _list_changes([*changed, *self._rows.all("changed_turns", spans=json.dumps(spans))])

    def list_changed_in(
        self, session_n: int, first_index: int, last_index: int
    ) -> list[ChangedSource]:
        """List memories concluded from these turns of a session that have changed since.

        `derived_id` is empty in these: the turns may not have been summed up yet.
        """
        place = {"session_n": session_n, "first_index": first_index, "last_index": last_index}
        spans = json.dumps([{"derived": "", "since": 0, **place}])
        return _list_changes(self._rows.all("changed_turns", spans=spans))


def _list_changes(rows: Iterable[Row]) -> list[ChangedSource]:
    """Build the changes, each once, without those that say the same in other words."""
    found = {
        ChangedSource(
            row["derived"], row["id"], row["before"], row["after"], row["changed_at"]
        ): None
        for row in rows
        if not says_the_same(row["before"], row["after"])
    }
    return list(found)
