"""Pairs of memories."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memoria.store.connection import Connection
from memoria.store.rows.wordings import Wordings
from memoria.store.sql.tenant_rows import TenantRows, as_json


class SimilarWordings(NamedTuple):
    """Two memories whose present wordings mean nearly the same, and the edge that says so."""

    edge: tuple[int, int]
    """The nodes it links; pass it as `after` to read on."""
    one: int
    """Number of the present wording of one of them."""
    other: int
    cosine: float


class ActiveWording(NamedTuple):
    """The present wording of an active memory."""

    n: int
    content: str
    changed: bool
    """True if the memory was changed since the moment that was asked for."""
    scope: tuple[str, int | None]
    """Type and workspace: memories that differ in these are never merged."""


_UNIT = 10_000


class Pairs:
    """Pairs of a tenant's memories.

    Episodes, concepts and memories under review are left out, as are two memories that were merged
    and that the user separated again.
    """

    def __init__(self, connection: Connection, tenant: int, wordings: Wordings) -> None:
        self._rows = TenantRows(connection, tenant, "pairs")
        self._wordings = wordings

    def list_similar(
        self, since: int | None, after: tuple[int, int], least: float, limit: int
    ) -> list[SimilarWordings]:
        """List pairs of active memories of one kind and place that are alike and not yet judged.

        Args:
            since: only pairs that were changed, or found to be alike, after this; None for all.
            after: the edge after which to go on.
            least: the lowest cosine.
            limit: the largest number of pairs, in the order of their edges.
        """
        src, dst = after
        rows = self._rows.all(
            "alike", since=since, src=src, dst=dst, least=round(least * _UNIT), limit=limit
        )
        return [
            SimilarWordings(
                (row["src_n"], row["dst_n"]), row["one"], row["other"], row["weight"] / _UNIT
            )
            for row in rows
        ]

    def list_wordings(self, since: int, after: int, limit: int) -> list[ActiveWording]:
        """List the present wordings of active memories beyond a number, in order."""
        return [
            ActiveWording(
                row["n"], row["content"], bool(row["changed"]), (row["type"], row["place"])
            )
            for row in self._rows.all("wordings", since=since, after=after, limit=limit)
        ]

    def has_changes(self, since: int) -> bool:
        """Check whether an active memory was changed after a moment."""
        return bool(self._rows.number("any_changed", since=since))

    def merge_targets(self, ids: Sequence[str]) -> Mapping[str, str]:
        """Map those of these memories that were merged into another to that one, id to id."""
        return {row["id"]: row["into_id"] for row in self._rows.all("merged", ids=as_json(ids))}

    def list_successions(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """List (memory, successor) for those that another of these memories has replaced."""
        rows = self._rows.all("successions", ids=as_json(ids))
        return [(row["id"], row["successor_id"]) for row in rows]

    def list_merged_into(self, memory_id: str) -> list[str]:
        """List ids of the memories merged into a memory and not separated again by the user."""
        return [row["id"] for row in self._rows.all("merged_into", id=memory_id)]

    def copy_evidence(self, memory_id: str, other_id: str, limit: int) -> int:
        """Add another memory's turns to the evidence of a memory: its wording's, and some others.

        Returns the number of new ones.
        """
        more = self._rows.change("gather", id=memory_id, other=other_id, limit=limit)
        return more + self._rows.change("gather_wording", id=memory_id, other=other_id)

    def absorb(self, memory_id: str, other_id: str, trust: str, confidence: float) -> None:
        """Take over another memory's importance and subject, and set trust and confidence.

        Args:
            memory_id: the memory to change.
            other_id: the one whose importance it gets, if that is greater, and whose subject, if it
                has none.
            trust: new trust of its present wording.
            confidence: new confidence.
        """
        if self._rows.change("take_in", id=memory_id, other=other_id, confidence=confidence):
            self._wordings.index_again(self._rows.number("memory_number", id=memory_id))
        self._rows.change("vouch", id=memory_id, trust=trust)

    def note_merged(self, memory_id: str, other_id: str) -> None:
        """Record that a memory was merged into another."""
        self._rows.change("note_merged", id=memory_id, other=other_id)

    def list_distinct(self, n: int) -> list[int]:
        """List the present wordings of memories alike to one that were found to be another matter.

        Args:
            n: the present wording of the memory.
        """
        return [row["n"] for row in self._rows.all("distinct_from", n=n)]

    def mark_distinct(self, memory_id: str, other_id: str) -> None:
        """Record that a model has judged two memories that are alike to be two."""
        for src, dst in ((memory_id, other_id), (other_id, memory_id)):
            self._rows.change("keep_apart", src=src, dst=dst)
