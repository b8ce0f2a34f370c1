"""Memories made of others: pairs to merge, derived memories and episodes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memoria.errors import NotFoundError
from memoria.language.reading.statement import says_the_same
from memoria.model import TurnRange
from memoria.store.connection import Connection, Row
from memoria.store.rows.memory_rows import Wordings
from memoria.store.sql.statements import TenantRows, as_json, list_numbers


class DerivationCandidate(NamedTuple):
    """An active memory from which other memories may be derived."""

    n: int
    id: str
    wording: int
    """Number of the present wording."""
    content: str
    type: str
    scope: tuple[int | None, str | None]
    """Workspace and task of the memory: all sources of a derived memory have the same scope."""
    subject: str | None
    predicate: str | None
    confidence: float
    updated_at: int


class StatementOccasion(NamedTuple):
    """An occasion on which a memory was stated: a conversation and a speaker in it."""

    memory_n: int
    conversation: str
    source: str


class DerivationSource(NamedTuple):
    """A source of a derived memory, or the memory that such a source was merged into."""

    derived_id: str
    n: int
    id: str
    is_current: bool
    """True if the present wording was derived from this source, and not only a former wording."""
    is_quoted: bool
    """True if the derived memory quotes the source; False if its model merely saw the source."""
    is_valid: bool
    """True if the source is active and its wording has not changed since the derivation."""


class ChangedSource(NamedTuple):
    """A source that has changed since the derived memory was written."""

    derived_id: str
    id: str
    """Id of the memory that now stands for the source."""
    before: str
    """Wording of the source when the derived memory was written."""
    after: str
    """Present wording of that memory; empty if no memory stands for the source."""
    changed_at: int
    """UTC epoch milliseconds."""


_UNIT = 10_000


class Derivations:
    """A tenant's derived memories, and the memories from which others may be derived."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "derivations")

    def list_candidates(self, after: int, limit: int) -> list[DerivationCandidate]:
        """List active memories beyond a number, in order, from which others may be derived.

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
        """List (one, other, cosine) of pairs, among the memories, that mean nearly the same."""
        rows = self._rows.all("similar_pairs", ns=as_json(ns))
        return [(row["one"], row["other"], row["weight"] / _UNIT) for row in rows]

    def entities(self, ns: Sequence[int]) -> list[tuple[int, int]]:
        """List (memory, entity), by number, for every entity that one of the memories names."""
        rows = self._rows.all("entities", ns=as_json(ns))
        return [(row["memory_n"], row["entity_n"]) for row in rows]

    def occasions(self, ns: Sequence[int]) -> list[StatementOccasion]:
        """List the occasions on which memories, by number, were stated.

        A memory without a turn counts as stated on the day of its wording, by its channel.
        """
        rows = self._rows.all("occasions", ns=as_json(ns))
        return [StatementOccasion(*row) for row in rows]

    def user_statement_times(self, ns: Sequence[int]) -> list[tuple[int, int, int | None]]:
        """List (memory, UTC epoch ms, UTC offset) for each statement of a memory by the user.

        The time of the event, if a wording has one, stands in place of the time of the statement.
        """
        rows = self._rows.all("user_statement_times", ns=as_json(ns))
        return [(row["memory_n"], row["at"], row["utc_offset"]) for row in rows]

    def list_derived(self, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of derived memories beyond a number, whatever their status."""
        return [(r["n"], r["id"]) for r in self._rows.all("derived", after=after, limit=limit)]

    def sources(self, ids: Sequence[str]) -> list[DerivationSource]:
        """List the sources of derived memories, those of former wordings included."""
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
        """List changed sources of derived memories and episodes.

        A source has changed if its wording is another than when the memory was written. Sources of
        an episode are the memories concluded from its turns; a correction made in the same turns is
        no change for the episode.
        """
        spans = [dict(row) for row in self._rows.all("spans", ids=as_json(ids))]
        changed = self._rows.all("changed_sources", ids=as_json(ids))
        return _list_changes([*changed, *self._rows.all("changed_turns", spans=json.dumps(spans))])

    def list_changed_in(
        self, session_n: int, first_index: int, last_index: int
    ) -> list[ChangedSource]:
        """List memories concluded from a span of turns whose wording has changed afterwards.

        Their `derived_id` is empty: the turns may not have been summed up yet.
        """
        place = {"session_n": session_n, "first_index": first_index, "last_index": last_index}
        spans = json.dumps([{"derived": "", "since": 0, **place}])
        return _list_changes(self._rows.all("changed_turns", spans=spans))


def _list_changes(rows: Iterable[Row]) -> list[ChangedSource]:
    """Build the changes, each once, without changes of words that leave the meaning."""
    changes = (ChangedSource(*row) for row in rows)
    return list(dict.fromkeys(one for one in changes if not says_the_same(one.before, one.after)))


class SimilarWordings(NamedTuple):
    """Two memories whose present wordings mean nearly the same, and the edge between them."""

    edge: tuple[int, int]
    """Both nodes of the edge; passed as `after`, the list goes on behind this edge."""
    one: int
    """Number of the present wording of one memory."""
    other: int
    cosine: float


class ActiveWording(NamedTuple):
    """The present wording of an active memory."""

    n: int
    content: str
    changed: bool
    """True if the memory was changed after the moment asked about."""
    scope: tuple[str, int | None]
    """Type and workspace: memories of different scopes are never merged."""


class Pairs:
    """Pairs of a tenant's memories.

    Left out are episodes, concepts, memories under review, and pairs that were merged before and
    that the user has separated.
    """

    def __init__(self, connection: Connection, tenant: int, wordings: Wordings) -> None:
        self._rows = TenantRows(connection, tenant, "pairs")
        self._wordings = wordings

    def list_similar(
        self, since: int | None, after: tuple[int, int], least: float, limit: int
    ) -> list[SimilarWordings]:
        """List similar pairs of active memories that no model has judged yet.

        Args:
            since: the time after which a pair was changed or found similar; None for any time.
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
        """Map merged memories, by id, to the memories that they were merged into."""
        return {row["id"]: row["into_id"] for row in self._rows.all("merged", ids=as_json(ids))}

    def list_successions(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """List (memory, successor) for memories that another of the same list has replaced."""
        rows = self._rows.all("successions", ids=as_json(ids))
        return [(row["id"], row["successor_id"]) for row in rows]

    def list_merged_into(self, memory_id: str) -> list[str]:
        """List ids of the memories merged into a memory and not separated again by the user."""
        return self._rows.column("merged_into", id=memory_id)

    def copy_evidence(self, memory_id: str, other_id: str, limit: int) -> int:
        """Add the turns of another memory's present wording to the evidence of a memory.

        At most `limit` turns of the other's evidence come along. Returns the number of new turns.
        """
        more = self._rows.change("gather", id=memory_id, other=other_id, limit=limit)
        return more + self._rows.change("gather_wording", id=memory_id, other=other_id)

    def absorb(self, memory_id: str, other_id: str, trust: str, confidence: float) -> None:
        """Take over another memory's importance and subject, and set trust and confidence.

        Args:
            memory_id: the memory to change.
            other_id: the memory that gives its importance, if greater, and its subject, if the
                memory to change has none.
            trust: the new trust of the present wording.
            confidence: the new confidence.
        """
        if self._rows.change("take_in", id=memory_id, other=other_id, confidence=confidence):
            self._wordings.index_again(self._rows.number("memory_number", id=memory_id))
        self._rows.send("vouch", id=memory_id, trust=trust)

    def note_merged(self, memory_id: str, other_id: str) -> None:
        """Record that a memory was merged into another."""
        self._rows.send("note_merged", id=memory_id, other=other_id)

    def list_distinct(self, ns: Sequence[int]) -> set[tuple[int, int]]:
        """List (wording, another) of similar memories that a model has judged to be distinct.

        Args:
            ns: wordings of memories; each other is the present wording of its memory.
        """
        return {*self._rows.tuples("distinct_from", ns=list_numbers(ns))} if ns else set()

    def mark_distinct(self, memory_id: str, other_id: str) -> None:
        """Record that a model has judged two similar memories to be distinct."""
        for src, dst in ((memory_id, other_id), (other_id, memory_id)):
            self._rows.send("keep_apart", src=src, dst=dst)


class Episodes:
    """The memories that sum up segments of sessions."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "episodes")

    def add(self, memory_id: str, session_n: int, first_index: int, last_index: int) -> None:
        """Record the span of turns that a memory sums up.

        Raises:
            NotFoundError: there is no such memory.
        """
        span = {"session_n": session_n, "first_index": first_index, "last_index": last_index}
        if not self._rows.change("put", memory_id=memory_id, **span):
            raise NotFoundError.for_memory(memory_id)

    def find(self, session_n: int, first_index: int, last_index: int) -> str | None:
        """Return the id of the memory that sums up exactly this segment; None if none does."""
        return self._rows.find_text(
            "of", session_n=session_n, first_index=first_index, last_index=last_index
        )

    def list_covering(self, session_n: int, first_index: int, last_index: int) -> list[str]:
        """List ids of the active episodes that cover all of a span."""
        return self._rows.column(
            "covering", session_n=session_n, first_index=first_index, last_index=last_index
        )

    def list_within(self, session_n: int, first_index: int, last_index: int) -> list[str]:
        """List ids of the episodes that cover no turn outside a span."""
        return self._rows.column(
            "within", session_n=session_n, first_index=first_index, last_index=last_index
        )

    def get_span(self, memory_id: str) -> TurnRange | None:
        """Return the span of turns that a memory sums up; None for a memory that is no episode."""
        row = self._rows.first("span", memory_id=memory_id)
        return None if row is None else TurnRange(**row)

    def list_over_turns(self, turn_ns: Sequence[int]) -> list[str]:
        """List ids of the episodes that cover one of the turns."""
        return self._rows.column("over", ns=as_json(turn_ns))

    def list_newest(self, session_ns: Sequence[int]) -> list[tuple[int, int]]:
        """List (session, wording) of each session's episode of the newest segment."""
        rows = self._rows.tuples("newest", session_ns=as_json(session_ns))
        return [(session_n, wording_n) for session_n, wording_n in rows]

    def list_turns(self, memory_ids: Sequence[str]) -> list[tuple[str, int]]:
        """List (episode, turn) for the current turns that episodes sum up, in order."""
        rows = self._rows.tuples("turns", ids=as_json(memory_ids))
        return [(memory_id, turn_n) for memory_id, turn_n in rows]

    def stop_summarising(self, memory_id: str, now: int) -> None:
        """Take an episode's segment out of the queue: the segment is not summed up again."""
        self._rows.send("leave", memory_id=memory_id, now=now)

    def list_active(self, after: int, limit: int) -> list[tuple[int, str]]:
        """List (number, id) of active episodes beyond a number, in order."""
        rows = self._rows.all("active", after=after, limit=limit)
        return [(row["n"], row["id"]) for row in rows]

    def list_recent(self, at: int, project: str | None, limit: int) -> list[str]:
        """List ids of a project's episodes that are active at a moment, newest first.

        Without a project (None), episodes of no project are listed.
        """
        return self._rows.column("recent", at=at, project=project, limit=limit)

    def list_read_before(self, moments: Mapping[str, int]) -> list[str]:
        """List the episodes whose segment was last read before a moment given for each.

        Episodes whose segment waits to be read are left out.

        Args:
            moments: the moment for each episode, UTC epoch ms, by its id.
        """
        return self._rows.column("read_before", moments=json.dumps(dict(moments)))

    def requeue_summary(self, memory_id: str, moment: int) -> bool:
        """Requeue an episode's segment if last read before a moment; return True if requeued."""
        return bool(self._rows.change("read_anew", memory_id=memory_id, moment=moment))

    def requeue_summaries(self, turn_ns: Sequence[int], not_before: int = 0) -> int:
        """Requeue the finished segments that hold one of the turns, and return their number.

        A requeued segment may be read from `not_before` on.
        """
        return self._rows.change("write_anew", ns=as_json(turn_ns), not_before=not_before)
