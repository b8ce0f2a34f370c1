"""Memories made of others: pairs to merge, derived memories and episodes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memoria.errors import NotFoundError
from memoria.language.reading.statement import says_the_same
from memoria.model import TurnRange
from memoria.store.connection import Connection, Row
from memoria.store.rows.memory_rows import Wordings
from memoria.store.sql.statements import TenantRows, as_json


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


class Episodes:
    """The memories that sum up segments of sessions."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "episodes")

    def add(self, memory_id: str, session_n: int, first_index: int, last_index: int) -> None:
        """Record the turns that a memory sums up.

        Raises:
            NotFoundError: there is no such memory.
        """
        span = {"session_n": session_n, "first_index": first_index, "last_index": last_index}
        if not self._rows.change("put", memory_id=memory_id, **span):
            raise NotFoundError.for_memory(memory_id)

    def find(self, session_n: int, first_index: int, last_index: int) -> str | None:
        """Return the id of the memory that sums up exactly this segment; None if none does."""
        row = self._rows.first(
            "of", session_n=session_n, first_index=first_index, last_index=last_index
        )
        return None if row is None else row["id"]

    def get_span(self, memory_id: str) -> TurnRange | None:
        """Return the segment that a memory sums up; None if it sums up none."""
        row = self._rows.first("span", memory_id=memory_id)
        return None if row is None else TurnRange(**row)

    def list_over_turns(self, turn_ns: Sequence[int]) -> list[str]:
        """List ids of the memories that sum up a segment with one of these turns."""
        return [row["id"] for row in self._rows.all("over", ns=as_json(turn_ns))]

    def stop_summarising(self, memory_id: str, now: int) -> None:
        """Take an episode's segment out of the queue, so that it is not summed up again."""
        self._rows.change("leave", memory_id=memory_id, now=now)

    def list_active(self, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of active episodes beyond a number, in order."""
        rows = self._rows.all("active", after=after, limit=limit)
        return [(row["n"], row["id"]) for row in rows]

    def list_recent(self, at: int, project: str | None, limit: int) -> list[str]:
        """List ids of the last episodes of a project that are active at a moment, newest first.

        Those of other projects are left out; None stands for no project.
        """
        rows = self._rows.all("recent", at=at, project=project, limit=limit)
        return [row["id"] for row in rows]

    def list_read_before(self, moments: Mapping[str, int]) -> list[str]:
        """List the episodes whose segment was last read before the moment given for each.

        A segment that waits to be read is none of them.

        Args:
            moments: UTC epoch ms, by the episode's id.
        """
        rows = self._rows.all("read_before", moments=json.dumps(dict(moments)))
        return [row["id"] for row in rows]

    def requeue_summary(self, memory_id: str, moment: int) -> bool:
        """Requeue an episode's segment if it was last read before a moment; True if it was."""
        return bool(self._rows.change("read_anew", memory_id=memory_id, moment=moment))

    def requeue_summaries(self, turn_ns: Sequence[int], not_before: int = 0) -> int:
        """Put finished segments with one of these turns back into the queue.

        They may be taken from `not_before` on. Returns their number.
        """
        return self._rows.change("write_anew", ns=as_json(turn_ns), not_before=not_before)
