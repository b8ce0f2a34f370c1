"""Writing another home's entities, names and edges beside those that are here."""

from typing import Any, get_args

from memoria.model.operation import EntityKind
from memoria.store.rows.graph import CAPS
from memoria.store.rows.portable.records import PortableMerge, PutOutcome
from memoria.store.rows.portable.tables import PortableTables
from memoria.store.rows.portable.turns import PortableTurns

_SIMILAR_TO = 10
_OF_WORDINGS = frozenset((2, 3, _SIMILAR_TO, *range(21, 30)))
"""Codes of edges that belong to a memory's wording and go with it: ABOUT, MENTIONS, roles."""
_NUMBERS = ("weight", "confidence", "negated", "modality", "by_model", "power", "event_at")
_VALUES = (*_NUMBERS, "created_at", "turn_n", "event_expression")


class PortableGraph:
    """Writes entities, names and edges."""

    def __init__(self, tables: PortableTables, turns: PortableTurns) -> None:
        self._rows = tables.open_rows()
        self._turns = turns

    def put_entity(self, record: dict[str, Any], merge: PortableMerge) -> PutOutcome:
        """Remember an entity; it is written with the first name that a record has for it."""
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
                self._rows.change("set_same_as", n=n, canonical_n=canonical_n)

    def use_name(self, kind: str, own_id: str, name: dict[str, Any], merge: PortableMerge) -> int:
        """Record a memory's or turn's name for an entity, and return the number of changed rows."""
        entity_n = self._enter_entity(name, merge)
        named = {"entity_n": entity_n, "key": name["key"], "qualifier": name["qualifier"]}
        self._rows.change("add_name", name=name["name"], **named)
        return self._rows.change("use_name", node_n=self._enter_node(kind, own_id), **named)

    def put_edge(self, record: dict[str, Any], merge: PortableMerge) -> PutOutcome:
        """Write an edge, unless one of its ends is not here, or it belongs to a former wording."""
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
            return "left_out"  # the words that name it are not here
        return self._write_edge(
            {"src_n": src_n, "code": record["code"], "dst_n": dst_n}, record, merge
        )

    def _write_edge(
        self, key: dict[str, Any], record: dict[str, Any], merge: PortableMerge
    ) -> PutOutcome:
        """Write an edge, one that an older version had set aside as well."""
        turn_n = self._turns.find_turn(record["turn"], merge)
        told = {name: record.get(name) for name in _VALUES} | {"turn_n": turn_n}
        if turn_n is None and record["turn"] is not None:
            told["event_expression"] = None
        known = self._rows.first("edge", **key)
        if known is not None and _rank(told) <= _rank({name: known[name] for name in _VALUES}):
            return "known"
        self._rows.change("put_edge", **key, **told)
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
        """Return the number of a memory's or turn's node, made if new; None if there is neither."""
        row = self._rows.first(f"find_{kind}_node", id=own_id)
        if row is not None:
            return int(row["n"])
        if not self._rows.change(f"add_{kind}_node", id=own_id):
            return None
        row = self._rows.first(f"find_{kind}_node", id=own_id)
        return None if row is None else int(row["n"])

    def _find_entity(self, entity_id: str, merge: PortableMerge) -> int | None:
        row = self._rows.first("find_entity", id=merge.entity_ids.get(entity_id, entity_id))
        return None if row is None else int(row["n"])

    def _enter_entity(self, name: dict[str, Any], merge: PortableMerge) -> int:
        """Return the number of the entity that a name belongs to, made if it is new."""
        n = self.meet_entity(name, merge)
        there = str(name["entity"])
        return self._add_entity(there, str(merge.entities[there]["kind"])) if n is None else n

    def meet_entity(self, name: dict[str, Any], merge: PortableMerge) -> int | None:
        """Return the number of the entity a name belongs to, by its id, or by that name and kind.

        One that both homes have met keeps the older id in both. None if this home has not met it.
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
            self._rows.change("rename_entity", id=there, former=here)
        else:
            merge.entity_ids[there] = here
        return self._find_entity(there, merge)

    def _add_entity(self, entity_id: str, kind: str) -> int:
        n = self._rows.insert("add_bare_node")
        self._rows.insert("add_entity", n=n, id=entity_id, kind=kind)
        return n


def _id_of(end: str) -> str:
    return end.partition(":")[2]


def _rank(values: dict[str, Any]) -> tuple[object, ...]:
    """Return a sort key of an edge when homes merge: the later, then the stronger one stays."""
    numbers = (values["created_at"], *(values[name] for name in _NUMBERS))
    known = ((one is not None, one or 0) for one in numbers)
    return (*known, values["turn_n"] is not None, values["event_expression"] or "")
