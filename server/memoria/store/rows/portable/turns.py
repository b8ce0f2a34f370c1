"""Writing another home's sessions, turns, entities and edges into this home."""

import base64
from typing import Any, get_args

from memoria.model import EdgeType, Role, Trust
from memoria.model.metadata import parse_metadata
from memoria.model.operation import EntityKind
from memoria.model.turn import Mark
from memoria.store.connection import Row
from memoria.store.rows.graph import CAPS
from memoria.store.rows.portable.records import PortableMerge, PortableTables, PutOutcome, bytes_of
from memoria.store.sql.edge_codes import TYPE_CODES, list_codes
from memoria.store.values import NewTurn

_MARKS = (None, *get_args(Mark))
"""Marks of a turn; of different marks in two homes, the later in this order stays."""


class PortableTurns:
    """Writes sessions and turns."""

    def __init__(self, tables: PortableTables) -> None:
        self._rows = tables.open_rows()
        self._conversations = tables.conversations
        self._documents = tables.documents
        self._attachments = tables.attachments
        self._workspaces = tables.workspaces

    def put_session(self, record: dict[str, Any], _merge: PortableMerge) -> PutOutcome:
        """Write a session and its segments; one that both homes have gets the span of both."""
        fields = {**record, "workspace": self._workspaces.enter(record["workspace"])}
        segments = fields.pop("segments")
        n = self.find_session(record)
        outcome: PutOutcome = "added"
        if n is None:
            n = self._rows.insert("add_session", **fields)
        else:
            del fields["source"], fields["session_id"]
            outcome = "changed" if self._rows.change("widen_session", n=n, **fields) else "known"
        for segment in segments:
            told = {**self._as_closed(n, segment), "session_n": n}
            self._rows.send("put_segment", **told)
            self._rows.send("widen_segment", **told)
        return outcome

    def _as_closed(self, session_n: int, segment: dict[str, Any]) -> dict[str, Any]:
        """Return the segment, closed if the session has another open segment in this home."""
        is_open = segment["closed_at"] is None
        ordinal = segment["ordinal"]
        if is_open and self._rows.number("has_open_segment", session_n=session_n, ordinal=ordinal):
            return {**segment, "closed_at": segment["touched_at"], "closed_by": "idle"}
        return segment

    def find_session(self, record: dict[str, Any]) -> int | None:
        """Return the number of the session that a record names; None if this home lacks it."""
        named = {"source": record["source"], "session_id": record["session_id"]}
        return self._rows.find_number("find_session", **named)

    def require_session(self, record: dict[str, Any]) -> int:
        """Return the number of the session that a record names.

        Raises:
            ValueError: this home lacks the session.
        """
        n = self.find_session(record)
        if n is None:
            raise ValueError(f"is of the session {record['session_id']}, which is not here")
        return n

    def find_turn(self, turn_id: str | None, merge: PortableMerge) -> int | None:
        """Return the number of a turn by the id in its record; None if this home lacks the turn."""
        row = None if turn_id is None else self._find(merge.turn_ids.get(turn_id, turn_id))
        return None if row is None else int(row["n"])

    def put_turn(self, record: dict[str, Any], merge: PortableMerge) -> PutOutcome:
        """Write a turn, or merge it with the turn of this home with its id or its message."""
        session_n = self.require_session(record)
        turn_id = merge.turn_ids.get(record["id"], record["id"])
        known = (
            self._find(turn_id)
            or self._find_attached(record, merge)
            or self._find_same(session_n, record, merge)
        )
        if known is not None:
            return self._combine(known, record)
        newest = self._find_newest(session_n, record)
        new = self._make(session_n, record, merge)
        n = self._conversations.write_turn(new)
        self._conversations.mark(n, _mark_of(record))
        self._rows.send("count_place", session_n=session_n, turn_index=new.turn_index)
        if record["processed"]:
            self._documents.mark_processed(n)
        if record.get("passed_over"):  # absent in exports of older versions
            self._conversations.pass_over([n])
        if not record["current"]:
            self._documents.set_current(n, current=False)
        self._show_later(newest, n, record)
        return "added"

    def _find(self, turn_id: str) -> Row | None:
        return self._rows.first("find_turn", id=turn_id)

    def _find_attached(self, record: dict[str, Any], merge: PortableMerge) -> Row | None:
        """Find the same file of the same message in this home, whose id stays."""
        message_n = self.find_turn(record.get("attached_to"), merge)
        files = {} if message_n is None else self._attachments.list_of_messages([message_n])
        wanted = bytes_of(record["fingerprint"])
        ns = [n for n, own in files.items() if own == wanted]
        turns = self._conversations.turns(ns)
        if not turns:
            return None
        merge.turn_ids[record["id"]] = turns[ns[0]].id
        return self._find(turns[ns[0]].id)

    def _find_same(
        self, session_n: int, record: dict[str, Any], merge: PortableMerge
    ) -> Row | None:
        """Find the turn of the same message in this home; both homes keep the older id."""
        row = self._rows.first(
            "find_same_turn",
            session_n=session_n,
            message_id=record["message_id"],
            fingerprint=bytes_of(record["fingerprint"]),
            version=record["version"],
            turn_index=record["turn_index"],
        )
        if row is None:
            return None
        here, there = str(row["id"]), str(record["id"])
        if there < here:
            self._rows.send("rename_turn", id=there, former=here)
        else:
            merge.turn_ids[there] = here
        return self._find(min(here, there))

    def _combine(self, known: Row, record: dict[str, Any]) -> PutOutcome:
        """Merge the states of a turn: edited, suppressed, processed, passed over."""
        n = int(known["n"])
        changed = self._rows.change("note_earlier", n=n, ingested_at=record["ingested_at"]) > 0
        if known["current"] and not record["current"]:
            self._documents.set_current(n, current=False)
            changed = True
        if record["suppressed"] and not known["suppressed"]:
            self._documents.suppress(n)
            changed = True
        if record["processed"] and not known["processed"]:
            self._documents.mark_processed(n)
            changed = True
        if record.get("passed_over") and not known["passed_over"]:
            self._conversations.pass_over([n])
            changed = True
        metadata = known["metadata"] or "", record.get("metadata") or ""
        if max(metadata) != metadata[0]:
            self._rows.send("note_metadata", n=n, metadata=max(metadata))
            changed = True
        marks = known["mark"], _mark_of(record)
        if (mark := max(marks, key=_MARKS.index)) != known["mark"]:
            self._conversations.mark(n, mark)
            changed = True
        return "changed" if changed else "known"

    def _make(self, session_n: int, record: dict[str, Any], merge: PortableMerge) -> NewTurn:
        # Older exports have neither.
        file, message_id = record.get("file"), record.get("attached_to")
        index, version = self._find_place(session_n, record)
        return NewTurn(
            id=record["id"],
            session_n=session_n,
            message_id=record["message_id"],
            turn_index=index,
            version=version,
            role=Role(record["role"]),
            speaker=record["speaker"],
            at=record["at"],
            at_given=bool(record["at_given"]),
            ingested_at=record["ingested_at"],
            trust=Trust(record["trust"]),
            suppressed=bool(record["suppressed"]),
            fingerprint=bytes_of(record["fingerprint"]),
            content=record["content"],
            tool_name=record["tool_name"],
            tool_args=record["tool_args"],
            tool_result=record["tool_result"],
            utc_offset=record["utc_offset"],
            account=record["account"],
            likeness=None if record["likeness"] is None else bytes_of(record["likeness"]),
            metadata=parse_metadata(record.get("metadata")),
            file=None if file is None else base64.b64decode(file),
            attached_to=message_id and merge.turn_ids.get(message_id, message_id),
        )

    def _find_place(self, session_n: int, record: dict[str, Any]) -> tuple[int, int]:
        """Return the place and the version number of a turn to write: its own, if free.

        A version of a message that this home has gets the place of that message. If the session
        went on in both homes, turns of the other home are placed at the end.
        """
        index, version = record["turn_index"], record["version"]
        known = self._find_newest(session_n, record)
        if known is not None:
            index = known["turn_index"]
        taken = {"session_n": session_n, "turn_index": index, "version": version}
        if not self._rows.number("is_place_taken", **taken):
            return index, version
        if known is not None:
            return index, known["version"] + 1
        return self._rows.number("next_index", session_n=session_n), version

    def _find_newest(self, session_n: int, record: dict[str, Any]) -> Row | None:
        """Return this home's newest version of a record's message; None if the home lacks it."""
        message = {"session_n": session_n, "message_id": record["message_id"]}
        return self._rows.first("newest_version", **message)

    def _show_later(self, known: Row | None, n: int, record: dict[str, Any]) -> None:
        """Make the later of two versions current, if a message was edited in both homes."""
        if known is not None and known["current"] and record["current"]:
            is_later = record["ingested_at"] > known["ingested_at"]
            self._documents.set_current(known["n"] if is_later else n, current=False)


def _mark_of(record: dict[str, Any]) -> Mark | None:
    """Return a record's mark of its turn; None in exports without marks.

    Raises:
        ValueError: the mark is unknown.
    """
    mark: Mark | None = record.get("mark")
    if mark not in _MARKS:
        raise ValueError(f"has the mark {mark!r}, which this version does not know")
    return mark


_SIMILAR_TO = TYPE_CODES[EdgeType.SIMILAR_TO]
_OF_WORDINGS = {_SIMILAR_TO, *list_codes(kind for kind in EdgeType if kind.is_extracted)}
"""Codes of edges that go with the wording of their memory."""
_NUMBERS = ("weight", "confidence", "negated", "modality", "by_model", "power", "event_at")
_VALUES = (*_NUMBERS, "created_at", "turn_n", "event_expression")


class PortableGraph:
    """Writes entities, names and edges."""

    def __init__(self, tables: PortableTables, turns: PortableTurns) -> None:
        self._rows = tables.open_rows()
        self._nodes = tables.open_rows("graph")
        self._turns = turns

    def put_entity(self, record: dict[str, Any], merge: PortableMerge) -> PutOutcome:
        """Keep an entity for later: it is written with the first name that a record has for it."""
        kinds = [record["kind"], *([record["same_as_kind"]] if record["same_as"] else [])]
        if unknown := [kind for kind in kinds if kind not in get_args(EntityKind)]:
            raise ValueError(f"is an entity of no kind that this version knows: {unknown[0]!r}")
        merge.entities[str(record["id"])] = record
        return "known"

    def join_entities(self, merge: PortableMerge) -> None:
        """Join the imported entities that are the same in their records."""
        for entity_id, record in merge.entities.items():
            n = self._find_entity(entity_id, merge)
            if n is not None and record["same_as"]:
                other, kind = str(record["same_as"]), str(record["same_as_kind"])
                same = self._find_entity(other, merge)
                canonical_n = self._add_entity(other, kind) if same is None else same
                self._rows.send("set_same_as", n=n, canonical_n=canonical_n)

    def use_name(self, kind: str, own_id: str, name: dict[str, Any], merge: PortableMerge) -> int:
        """Record a memory's or turn's name for an entity, and return the number of changed rows."""
        entity_n = self._enter_entity(name, merge)
        named = {"entity_n": entity_n, "key": name["key"], "qualifier": name["qualifier"]}
        self._rows.send("add_name", name=name["name"], **named)
        return self._rows.change("use_name", node_n=self._enter_node(kind, own_id), **named)

    def put_edge(self, record: dict[str, Any], merge: PortableMerge) -> PutOutcome:
        """Write an edge, unless this home lacks an end, or the edge is of a former wording."""
        if record["code"] not in CAPS:
            raise ValueError(f"is an edge of no kind that this version knows: {record['code']!r}")
        src, dst = str(record["from"]), str(record["to"])
        if record["code"] in _OF_WORDINGS and (
            _id_of(src) in merge.reworded
            or (record["code"] == _SIMILAR_TO and _id_of(dst) in merge.reworded)
        ):
            return "left_out"
        src_n, dst_n = self._find_end(src, merge), self._find_end(dst, merge)
        if src_n is None or dst_n is None or src_n == dst_n:
            return "left_out"
        needs_name = record["code"] in _OF_WORDINGS and dst.startswith("entity:")
        if needs_name and not self._rows.number("names_entity", node_n=src_n, entity_n=dst_n):
            return "left_out"  # no wording of this home names the entity
        return self._write_edge(
            {"src_n": src_n, "code": record["code"], "dst_n": dst_n}, record, merge
        )

    def _write_edge(
        self, key: dict[str, Any], record: dict[str, Any], merge: PortableMerge
    ) -> PutOutcome:
        """Write an edge, or replace the weaker edge of this home."""
        turn_n = self._turns.find_turn(record["turn"], merge)
        told = {name: record.get(name) for name in _VALUES} | {"turn_n": turn_n}
        if turn_n is None and record["turn"] is not None:
            told["event_expression"] = None
        known = self._rows.first("edge", **key)
        if known is not None and _rank(told) <= _rank({name: known[name] for name in _VALUES}):
            return "known"
        self._rows.send("put_edge", **key, **told)
        return "added" if known is None else "changed"

    def _find_end(self, end: str, merge: PortableMerge) -> int | None:
        kind, _, own = end.partition(":")
        if kind == "entity":
            return self._find_entity(own, merge)
        if kind not in ("memory", "turn"):
            raise ValueError(f"{end!r} is no end of an edge")
        turn_id = merge.turn_ids.get(own, own)
        return self._enter_node(kind, own if kind == "memory" else turn_id)

    def _enter_node(self, kind: str, own_id: str) -> int | None:
        """Return the number of the node of a memory or turn; None if the home lacks the record."""
        n = self._nodes.find_number(f"{kind}_node", id=own_id)
        if n is None and self._nodes.change(f"add_{kind}_node", id=own_id):
            n = self._nodes.find_number(f"{kind}_node", id=own_id)
        return n

    def _find_entity(self, entity_id: str, merge: PortableMerge) -> int | None:
        return self._nodes.find_number("entity_node", id=merge.entity_ids.get(entity_id, entity_id))

    def _enter_entity(self, name: dict[str, Any], merge: PortableMerge) -> int:
        """Return the number of the entity with a name, made if the home lacks the entity."""
        n = self.meet_entity(name, merge)
        there = str(name["entity"])
        return self._add_entity(there, str(merge.entities[there]["kind"])) if n is None else n

    def meet_entity(self, name: dict[str, Any], merge: PortableMerge) -> int | None:
        """Return the number of an entity by its id, or by name and kind; None if the home lacks it.

        An entity that both homes have keeps the older id in both.
        """
        there = str(name["entity"])
        n = self._find_entity(there, merge)
        if n is not None:
            return n
        kind = str(merge.entities[there]["kind"])
        named = {"key": name["key"], "qualifier": name["qualifier"], "kind": kind}
        found = [str(row["id"]) for row in self._rows.all("find_namesake", **named)]
        here = next((one for one in found if one not in merge.entities), None)
        if here is None:
            return None
        if there < here:
            self._rows.send("rename_entity", id=there, former=here)
        else:
            merge.entity_ids[there] = here
        return self._find_entity(there, merge)

    def _add_entity(self, entity_id: str, kind: str) -> int:
        n = self._nodes.insert("add_entity_node")
        self._nodes.insert("add_entity", n=n, id=entity_id, kind=kind)
        return n


def _id_of(end: str) -> str:
    return end.partition(":")[2]


def _rank(values: dict[str, Any]) -> tuple[object, ...]:
    """Return a sort key of an edge when homes merge: the later, then the stronger edge stays."""
    numbers = (values["created_at"], *(values[name] for name in _NUMBERS))
    known = ((one is not None, one or 0) for one in numbers)
    return (*known, values["turn_n"] is not None, values["event_expression"] or "")
