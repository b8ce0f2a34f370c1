"""Entities in SQLite: known again by their names, merged without losing what each had.

A name belongs to the memories and turns that use it: it is shown where one of them is seen, and is
gone when the last of them is.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from memoria.errors import InvalidInputError
from memoria.language.words.name import name_key
from memoria.model import Entity, EntityKind, Mention, new_id
from memoria.store.sqlite.driver import Row
from memoria.store.sqlite.rows import TenantRows, as_json, build_value, list_numbers

_UNKNOWN_KIND: EntityKind = "other"
"""The kind of what nobody told the kind of: the only thing of that name is meant."""
MOST_MENTIONS = 1000
"""Mentions are counted up to here: nobody needs the exact number of what is everywhere."""
_LAST_CHARACTER = chr(0x10FFFF)
View = Mapping[str, str | int | None]
"""From where it is looked: workspace, everywhere, history."""


class SqliteEntities:
    """A tenant's entities, by number."""

    def __init__(self, rows: TenantRows) -> None:
        self._rows = rows

    def upsert(self, node_n: int, mention: Mention, distinct: str) -> str:
        """The id of the entity a memory's node speaks of, with its names put down to that node.

        One that only talk names yet is of the kind that the first memory to name it says.
        """
        qualifier = name_key(distinct) if distinct else ""
        spellings = tuple(dict.fromkeys(mention.names))
        n = self._find_namesake(spellings, mention.kind, qualifier)
        if n is None:
            n = self._find_in_talk(spellings)
            if n is not None:
                self._rows.change("set_kind", n=n, kind=mention.kind)
        return self._name_entity(n, mention, qualifier, node_n)

    def upsert_in_talk(self, node_n: int, mention: Mention) -> str | None:
        """The id of the one entity of a name that a turn's node uses; None where there are more."""
        rows = self._rows.all("named_anyhow", key=name_key(mention.name))
        if len(rows) > 1:
            return None
        n = int(rows[0]["n"]) if rows else None
        return self._name_entity(n, mention, "" if n is None else rows[0]["qualifier"], node_n)

    def _name_entity(self, n: int | None, mention: Mention, qualifier: str, node_n: int) -> str:
        """The id of an entity, made where there is none yet, with its names put down to a node."""
        if n is None:
            n = self._rows.insert("add_entity_node")
            self._rows.insert("add_entity", n=n, id=new_id(), kind=mention.kind)
        for spelling in dict.fromkeys(mention.names):
            self._add_name(n, spelling, qualifier, node_n)
        (row,) = self._rows.all("entities", ns=list_numbers([n]))
        return str(row["id"])

    def merge(self, n: int, into: int) -> None:
        """Let an entity, and all that are the same as it, be the same as another."""
        former, canonical = (self._canonical_number(one) for one in (n, into))
        self._rows.change("unite", n=former, canonical=canonical)

    def split(self, n: int) -> None:
        """Let an entity be itself again.

        Raises:
            InvalidInputError: it is not the same as any other.
        """
        canonical = self._canonical_number(n)
        if canonical == n:
            raise InvalidInputError(
                "This entity was not merged into another; part those that were."
            )
        self._rows.change("part", n=n)
        self._rows.change("drop_empty", n=canonical)

    def group(self, ns: Sequence[int]) -> list[int]:
        """These nodes, and every entity that is the same as one of them."""
        return sorted({*ns, *(n for n, _ in self.members(ns))})

    def members(self, ns: Collection[int]) -> list[tuple[int, int]]:
        """Every entity that is the same as one of these nodes, with that node."""
        rows = self._rows.all("members", ns=list_numbers(ns))
        return [(row["n"], row["same_as"]) for row in rows]

    def by_name(self, names: Iterable[str], view: View) -> list[Entity]:
        """The entities that go by one of the names where it is looked."""
        keys = {name_key(name) for name in names}
        ns = [row["n"] for row in self._rows.all("keyed", keys=as_json(sorted(keys)))]
        shown = self.visible_entities(ns, view)
        return [
            shown[n]
            for n in ns
            if n in shown and keys & {name_key(name) for name in (shown[n].name, *shown[n].aliases)}
        ]

    def match_names(self, names: Iterable[str], view: View) -> dict[int, str]:
        """Which entities go by which of the names where it is looked, by number."""
        spelling = {name_key(name): name for name in names}
        rows = self._rows.all("called", keys=as_json(sorted(spelling)), **view)
        return {row["n"]: spelling[row["key"]] for row in rows}

    def by_prefix(self, prefix: str, view: View, limit: int) -> list[Entity]:
        """The entities of which a name begins so."""
        first = name_key(prefix)
        beyond = f"{first}{_LAST_CHARACTER}"
        rows = self._rows.all("beginning", first=first, beyond=beyond, limit=limit)
        return list(self.visible_entities([row["n"] for row in rows], view).values())

    def visible_entities(self, ns: Sequence[int], view: View) -> dict[int, Entity]:
        """Entities as they look from there; one that nothing there speaks of is left out.

        One that others are the same as has their names too.
        """
        rows = {row["n"]: row for row in self._rows.all("entities", ns=list_numbers(ns))}
        members = {n: [n] for n in rows}
        canonical = [n for n, row in rows.items() if row["canonical_id"] is None]
        for row in self._rows.all("groups", ns=list_numbers(canonical)):
            if row["n"] != row["canonical"]:
                members[row["canonical"]].append(row["n"])
        return {
            n: shown
            for n, row in rows.items()
            if (shown := self._visible_entity(row, list_numbers(members[n]), view)) is not None
        }

    def _visible_entity(self, row: Row, members: str, view: View) -> Entity | None:
        found = self._rows.all("names", ns=members, **view)
        if not found:
            return None
        first, *others = dict.fromkeys(name["name"] for name in found)
        fields = {
            "id": row["id"],
            "node": row["n"],
            "kind": row["kind"],
            "canonical_id": row["canonical_id"],
            "name": first,
            "aliases": tuple(others),
            "distinct": next((name["qualifier"] for name in found if name["qualifier"]), None),
            "mentions": self._rows.number("count_mentions", ns=members, most=MOST_MENTIONS, **view),
        }
        return build_value(Entity, fields)

    def _find_namesake(self, spellings: Sequence[str], kind: str, qualifier: str) -> int | None:
        for spelling in spellings:
            key = name_key(spelling)
            n = _choose_namesake(self._rows.all("named", key=key, kind=kind), qualifier)
            if n is None and kind == _UNKNOWN_KIND:
                rows = self._rows.all("named_whatever", key=key, qualifier=qualifier)
                n = _only_one(rows)
            if n is not None:
                return n
        return None

    def _find_in_talk(self, spellings: Sequence[str]) -> int | None:
        """The only entity of one of these names, where turns alone name it."""
        for spelling in spellings:
            n = _only_one(self._rows.all("named_in_talk", key=name_key(spelling)))
            if n is not None:
                return n
        return None

    def _add_name(self, n: int, spelling: str, qualifier: str, node_n: int) -> None:
        (row,) = self._rows.all(
            "name", entity_n=n, key=name_key(spelling), qualifier=qualifier, name=spelling
        )
        self._rows.change("use_name", name_n=row["n"], node_n=node_n)

    def _canonical_number(self, n: int) -> int:
        return self._rows.number("canonical", n=n)


def _choose_namesake(rows: Sequence[Row], qualifier: str) -> int | None:
    """Which of the namesakes is meant; None where it is one not met before.

    Without a qualifier the one that has none, or the only one there is: of two, neither is guessed.
    """
    exact = [int(row["entity_n"]) for row in rows if row["qualifier"] == qualifier]
    if exact:
        return exact[0]
    return None if qualifier else _only_one(rows)


def _only_one(rows: Sequence[Row]) -> int | None:
    found = {int(row["entity_n"]) for row in rows}
    return found.pop() if len(found) == 1 else None
