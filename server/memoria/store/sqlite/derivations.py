"""What is drawn from memories, in SQLite."""

from collections.abc import Sequence

from memoria.store.base.derivations import DerivationCandidate, DerivationSource, StatementOccasion
from memoria.store.sqlite.driver import Connection
from memoria.store.sqlite.rows import TenantRows, as_json

_UNIT = 10_000


class SqliteDerivations:
    """A tenant's memories as what others are drawn from, and those a night drew."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "derivations")

    def list_candidates(self, after: int, limit: int) -> list[DerivationCandidate]:
        """Active memories beyond a number that something may be drawn from, in order."""
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
            for row in self._rows.all("bases", after=after, limit=limit)
        ]

    def similar_pairs(self, ns: Sequence[int]) -> list[tuple[int, int, float]]:
        """Of these memories: what means nearly the same."""
        rows = self._rows.all("alike", ns=as_json(ns))
        return [(row["one"], row["other"], row["weight"] / _UNIT) for row in rows]

    def entities(self, ns: Sequence[int]) -> list[tuple[int, int]]:
        """Of these memories: whatever they speak of."""
        rows = self._rows.all("entities", ns=as_json(ns))
        return [(row["memory_n"], row["entity_n"]) for row in rows]

    def occasions(self, ns: Sequence[int]) -> list[StatementOccasion]:
        """Of these memories: where they were said."""
        rows = self._rows.all("said", ns=as_json(ns))
        return [
            StatementOccasion(row["memory_n"], row["conversation"], row["source"]) for row in rows
        ]

    def user_statement_times(self, ns: Sequence[int]) -> list[tuple[int, int]]:
        """Of these memories: each time the user told of it."""
        rows = self._rows.all("instants", ns=as_json(ns))
        return [(row["memory_n"], row["at"]) for row in rows]

    def list_derived(self, after: int, limit: int) -> list[tuple[int, str]]:
        """(number, id) of what nights drew, beyond a number."""
        return [(r["n"], r["id"]) for r in self._rows.all("made", after=after, limit=limit)]

    def sources(self, ids: Sequence[str]) -> list[DerivationSource]:
        """Which memories these were drawn from, in any of their wordings."""
        return [
            DerivationSource(
                row["drawn"], row["n"], row["id"], bool(row["current"]), bool(row["standing"])
            )
            for row in self._rows.all("sources", ids=as_json(ids))
        ]

    def has_unseen_turns(self, memory_id: str, source_ids: Sequence[str]) -> bool:
        """Whether these memories rest on a turn that what was drawn from them does not."""
        return bool(self._rows.number("unheard", id=memory_id, ids=as_json(source_ids)))
