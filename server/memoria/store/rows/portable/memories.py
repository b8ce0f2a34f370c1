"""Writing another home's memories into this home.

Of a memory that both homes have, both keep every wording; the wording that began last holds. Other
fields are taken from the home that changed them last, counts are the larger of two, and fields of a
wording (type, subject, task, importance) come with that wording. Equal times are decided by the
values themselves, so that both homes decide alike.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from memoria.model import InferredBy, Provenance
from memoria.model.memory import CARRIED_COLUMNS
from memoria.store.rows.portable.records import (
    PortableMerge,
    PortableTables,
    PutOutcome,
    bytes_of,
    json_text,
)
from memoria.store.rows.portable.turns import PortableGraph, PortableTurns
from memoria.store.values import NewVersion

_PARTS = ("versions", "evidence", "names", "derived_from", "span")
_COUNTS = ("upvotes", "downvotes", "use_count", "last_used_at", "reviewed_at")
_OF_WORDING = (*("type", "subject", "predicate", "task", "expires_at", "importance", "confidence"),)
_Fields = dict[str, Any]
_Version = Mapping[str, Any]


class PortableMemories:
    """Writes memories with their wordings, evidence and names."""

    def __init__(self, tables: PortableTables, turns: PortableTurns, graph: PortableGraph) -> None:
        self._rows = tables.open_rows()
        self._stored = tables.open_rows("memories")
        self._wordings = tables.wordings
        self._documents = tables.documents
        self._workspaces = tables.workspaces
        self._turns = turns
        self._graph = graph

    def put_memory(self, record: _Fields, merge: PortableMerge) -> PutOutcome:
        """Write a memory, or merge it with the same memory of this home."""
        told = {name: value for name, value in record.items() if name not in _PARTS}
        fields = dict.fromkeys(CARRIED_COLUMNS) | told  # records of older versions lack some
        row = self._stored.first("number", id=record["id"])
        outcome: PutOutcome
        if row is None:
            n, outcome = self._add(fields, record["versions"], merge), "added"
        else:
            n = int(row["n"])
            changed = self._merge(n, fields, record["versions"], merge)
            outcome = "changed" if changed else "known"
        more = self._add_parts(n, record, merge)
        if row is None and fields["validity"] == "active":
            self._join_twin(n, fields, record["versions"][-1], merge)
        return "changed" if outcome == "known" and more else outcome

    def put_merge(self, record: _Fields, _merge: PortableMerge) -> PutOutcome:
        """Record that a memory was merged into another one."""
        changed = self._rows.change("note_merged", id=record["memory"], into_id=record["into_id"])
        return "changed" if changed else "known"

    def _add(self, fields: _Fields, versions: Sequence[_Version], merge: PortableMerge) -> int:
        if not versions or versions[-1]["valid_to"] is not None:
            raise ValueError("has no wording that holds")
        n = self._rows.insert("add_memory", **self._as_row(fields))
        for version in versions:
            self._add_version(n, version, merge)
        return n

    def _as_row(self, fields: _Fields) -> _Fields:
        return {**fields, "workspace": self._workspaces.enter(fields["workspace"])}

    def _add_version(self, memory_n: int, version: _Version, merge: PortableMerge) -> int:
        n = self._wordings.write(
            memory_n,
            version["version"],
            _make_version(version, self._turns.find_turn(version["turn"], merge)),
            version["valid_to"],
            suppressed=bool(version["suppressed"]),
        )
        if version["processed"]:
            self._documents.mark_processed(n)
        if not version["current"]:
            self._documents.set_current(n, current=False)
        return n

    def _merge(
        self, n: int, there: _Fields, versions: Sequence[_Version], merge: PortableMerge
    ) -> bool:
        row = self._rows.first("memory", n=n)
        here = {} if row is None else dict(row)
        known = [dict(one) for one in self._rows.all("versions", n=n)]
        new = self._add_new_versions(n, known, versions, merge)
        newest_here, newest_there = _age(known[-1]), _age(versions[-1])
        if newest_there < newest_here:
            merge.reworded.add(str(there["id"]))
        owner = None if newest_here == newest_there else here
        fields = _combine(here, there, there if newest_there > newest_here else owner)
        if fields != here:
            self._rows.send("set_memory", n=n, **self._as_row(fields))
        if fields["predicate"] != here["predicate"]:
            self._wordings.index_again(n)
        self._show_newest(n, is_active=fields["validity"] == "active")
        if (fields["scope"], fields["workspace"]) != (here["scope"], here["workspace"]):
            place = self._workspaces.number(fields["workspace"])
            for version in self._rows.all("versions", n=n):
                seen_from = place if fields["scope"] == "project" else None
                self._documents.set_workspace(version["n"], seen_from)
        return new or fields != here

    def _add_new_versions(
        self, n: int, known: list[_Fields], versions: Sequence[_Version], merge: PortableMerge
    ) -> bool:
        """Add the wordings that this home lacks, and number all wordings in order of time."""
        by_age = {_age(one): one for one in known}
        new = [one for one in versions if _age(one) not in by_age]
        for one in versions:
            here = by_age.get(_age(one))
            turn_n = None if here is None else self._turns.find_turn(one["turn"], merge)
            if here is not None and here["turn_n"] is None and turn_n is not None:
                source = {"turn_n": turn_n, "quote": one["quote"]}
                self._rows.send("restore_source", n=here["n"], **source)
            if here is not None and _is_earlier(one["valid_to"], here["valid_to"]):
                here["valid_to"] = one["valid_to"]
        if not new:
            return False
        self._rows.send("number_versions_anew", n=n)
        for one in new:
            added = self._add_version(n, {**one, "version": one["version"] + _BEYOND}, merge)
            by_age[_age(one)] = {**one, "n": added}
        ordered = [by_age[age] for age in sorted(by_age)]
        for number, one in enumerate(ordered, 1):
            follows = ordered[number]["valid_from"] if number < len(ordered) else None
            ends = [end for end in (one["valid_to"], follows) if end is not None]
            until = None if follows is None else min(ends)
            self._rows.send("set_version", n=one["n"], version=number, valid_to=until)
        return True

    def _show_newest(self, n: int, *, is_active: bool) -> None:
        """Make the present wording alone current, and only while the memory is active."""
        *former, newest = self._rows.all("versions", n=n)
        for version in former:
            if version["current"]:
                self._documents.set_current(version["n"], current=False)
        if bool(newest["current"]) != is_active:
            self._documents.set_current(newest["n"], current=is_active)

    def _add_parts(self, n: int, record: _Fields, merge: PortableMerge) -> bool:
        changed = 0
        for one in record["evidence"]:
            turn_n = self._turns.find_turn(one["turn"], merge)
            if turn_n is not None:
                noted = {"quote": one["quote"], "ingested_at": one["ingested_at"]}
                changed += self._rows.change("add_evidence", memory_n=n, turn_n=turn_n, **noted)
        for name in record["names"]:
            if record["id"] in merge.reworded:  # its names went with its wording
                self._graph.meet_entity(name, merge)
            else:
                changed += self._graph.use_name("memory", str(record["id"]), name, merge)
        span = record["span"]
        session_n = None if span is None else self._turns.find_session(span)
        if session_n is not None:
            place = {"first_index": span["first_index"], "last_index": span["last_index"]}
            changed += self._rows.change("put_span", memory_n=n, session_n=session_n, **place)
        return changed > 0

    def _join_twin(self, n: int, fields: _Fields, newest: _Version, merge: PortableMerge) -> None:
        """Merge a new memory with a memory of this home that says the same.

        The memory with the older id stands for both, in both homes.
        """
        twin = self._rows.first(
            "find_same_memory",
            id=fields["id"],
            fingerprint=bytes_of(newest["fingerprint"]),
            type=fields["type"],
            task=fields["task"],
            place=self._workspaces.number(fields["workspace"])
            if fields["scope"] == "project"
            else None,
            newest=merge.newest_memory,
        )
        if twin is None:
            return
        there, here = (str(fields["id"]), n), (str(twin["id"]), int(twin["n"]))
        (_, survivor), (_, other) = sorted((there, here))
        self._rows.send("copy_evidence", survivor=survivor, other=other)
        at = max(fields["updated_at"], twin["updated_at"]) + 1
        self._rows.send("supersede", survivor=survivor, other=other, at=at)
        self._show_newest(other, is_active=False)


def _make_version(version: _Version, turn_n: int | None) -> NewVersion:
    """Build a wording from its record; `turn_n` is its turn, None if this home lacks the turn."""
    lost_turn = turn_n is None and version["turn"] is not None
    has_own_words = version["quote"] == version["content"]
    return NewVersion(
        content=version["content"],
        fingerprint=bytes_of(version["fingerprint"]),
        valid_from=version["valid_from"],
        ingested_at=version["ingested_at"],
        provenance=Provenance(
            source_kind=version["source_kind"],
            trust=version["trust"],
            channel=version["channel"],
            client=version["client"],
            # A quote from a turn that this home lacks could not be looked up.
            quote=version["quote"] if has_own_words or not lost_turn else None,
        ),
        turn_n=turn_n,
        inferred_by=InferredBy(version["inferred_by"]),
        event_at=version["event_at"],
        event_expression=version["event_expression"],
    )


_BEYOND = 1_000_000
"""Number beyond those of all wordings: new wordings get numbers above it at first."""


def _age(version: _Version) -> tuple[int, int, str]:
    """Return a key that tells a memory's wordings apart and sorts them by time."""
    fingerprint = version["fingerprint"]
    known = fingerprint.hex() if isinstance(fingerprint, bytes) else str(fingerprint)
    return version["valid_from"], version["ingested_at"], known


def _is_earlier(end: int | None, other: int | None) -> bool:
    return end is not None and (other is None or end < other)


def _combine(here: _Fields, there: _Fields, owner: _Fields | None) -> _Fields:
    """Combine a memory's fields of two homes; `owner` is the home whose wording holds."""
    later = max(here, there, key=_change_of)
    worded = owner or max(here, there, key=_wording_of)
    return {
        **later,
        **{name: worded[name] for name in _OF_WORDING},
        **{name: _larger(here[name], there[name]) for name in _COUNTS},
        "created_at": min(here["created_at"], there["created_at"]),
    }


def _change_of(fields: _Fields) -> tuple[int, bool, str]:
    rest = {
        name: value
        for name, value in sorted(fields.items())
        if name not in (*_COUNTS, *_OF_WORDING, "created_at")
    }
    return fields["updated_at"], fields["validity"] != "active", json_text(rest)


def _wording_of(fields: _Fields) -> tuple[int, str]:
    return fields["updated_at"], json_text([fields[name] for name in _OF_WORDING])


def _larger(one: int | None, other: int | None) -> int | None:
    return max((x for x in (one, other) if x is not None), default=None)
