"""Entities: recognised by their names, and joined with one another without loss.

A name belongs to the memories and turns that use it: the name is shown wherever one of its users is
seen, and disappears with its last user.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from memoria.errors import InvalidInputError
from memoria.language.words.analyser import name_key
from memoria.model import Entity, EntityKind, Mention, new_id
from memoria.store.connection import Row
from memoria.store.sql.statements import TenantRows, as_json, build_value, list_numbers

_UNKNOWN_KIND: EntityKind = "other"
"""The kind of a thing whose kind is not known: the only thing of that name is meant."""
MOST_MENTIONS = 1000
"""Largest count of mentions: an exact larger number would help nobody."""
_LAST_CHARACTER = chr(0x10FFFF)
NamePlace = tuple[str, str]
"""Place in the order of names: a name's normal form, and the id of an entity that goes by it."""
View = Mapping[str, str | int | None]
"""Parameters of visibility: workspace, everywhere, history."""


class Entities:
    """A tenant's entities, by number."""

    def __init__(self, rows: TenantRows) -> None:
        self._rows = rows

    def upsert(self, node_n: int, mention: Mention, distinct: str) -> str:
        """Return the id of the entity that a memory names, and record the names as the memory's.

        An entity that only turns have named gets the kind that the first memory gives.
        """
        qualifier = name_key(distinct) if distinct else ""
        spellings = tuple(dict.fromkeys(mention.names))
        n = self._find_namesake(spellings, mention.kind, qualifier)
        if n is None:
            n = self._find_in_talk(spellings)
            if n is not None:
                self._rows.send("set_kind", n=n, kind=mention.kind)
        return self._name_entity(n, mention, qualifier, node_n)

    def upsert_in_talk(self, node_n: int, mention: Mention) -> str | None:
        """Return the id of the only entity with a name that a turn uses; None if ambiguous."""
        rows = self._rows.all("named_anyhow", key=name_key(mention.name))
        if len(rows) > 1:
            return None
        n = int(rows[0]["n"]) if rows else None
        return self._name_entity(n, mention, "" if n is None else rows[0]["qualifier"], node_n)

    def _name_entity(self, n: int | None, mention: Mention, qualifier: str, node_n: int) -> str:
        """Record names of an entity as used by a node, and return the entity's id."""
        if n is None:
            n = self._rows.insert("add_entity_node")
            self._rows.send("add_entity", n=n, id=new_id(), kind=mention.kind)
        for spelling in dict.fromkeys(mention.names):
            told = {"key": name_key(spelling), "qualifier": qualifier, "name": spelling}
            (row,) = self._rows.all("name", entity_n=n, **told)
            self._rows.send("use_name", name_n=row["n"], node_n=node_n)
        (row,) = self._rows.all("entities", ns=list_numbers([n]))
        return str(row["id"])

    def merge(self, n: int, into: int) -> None:
        """Join an entity, and all entities joined with it, with another entity."""
        former, canonical = (self._canonical_number(one) for one in (n, into))
        self._rows.send("unite", n=former, canonical=canonical)

    def split(self, n: int) -> None:
        """Separate an entity from those it was joined with.

        Raises:
            InvalidInputError: the entity is not joined with any other.
        """
        canonical = self._canonical_number(n)
        if canonical == n:
            raise InvalidInputError(
                "This entity was not merged into another; part those that were."
            )
        self._rows.send("part", n=n)
        self._rows.send("drop_empty", n=canonical)

    def group(self, ns: Sequence[int]) -> list[int]:
        """List the numbers of nodes and of all entities joined with one of the nodes."""
        return sorted({*ns, *(n for n, _ in self.members(ns))})

    def members(self, ns: Collection[int]) -> list[tuple[int, int]]:
        """List (entity, node) for every entity joined with one of the nodes."""
        rows = self._rows.all("members", ns=list_numbers(ns))
        return [(row["n"], row["same_as"]) for row in rows]

    def by_name(self, names: Iterable[str], view: View) -> list[Entity]:
        """List the visible entities that go by one of the names."""
        keys = {name_key(name) for name in names}
        ns = self._rows.column("keyed", keys=as_json(sorted(keys)))
        shown = self.visible_entities(ns, view)
        return [
            shown[n]
            for n in ns
            if n in shown and keys & {name_key(name) for name in (shown[n].name, *shown[n].aliases)}
        ]

    def match_names(self, names: Iterable[str], view: View) -> dict[int, str]:
        """Map visible entities, by number, to that one of the names which they go by.

        None goes by a name with a NUL, and PostgreSQL could not even be asked for one.
        """
        spelling = {name_key(name): name for name in names if "\0" not in name}
        rows = self._rows.all("called", keys=as_json(sorted(spelling)), **view)
        return {row["n"]: spelling[row["key"]] for row in rows}

    def by_prefix(self, prefix: str, view: View, limit: int) -> list[Entity]:
        """List the visible entities with a name that begins with a prefix."""
        first = name_key(prefix)
        beyond = f"{first}{_LAST_CHARACTER}"
        rows = self._rows.all("beginning", first=first, beyond=beyond, limit=limit)
        return list(self.visible_entities([row["n"] for row in rows], view).values())

    def list_by_name(
        self, prefix: str, after: NamePlace | None, view: View, limit: int
    ) -> tuple[list[Entity], NamePlace | None]:
        """List visible entities in the order of their names, and where the list goes on.

        An entity of several names stands at each of them, once in a list.

        Args:
            prefix: beginning of the names, ignoring letter case; empty for all names.
            after: place in the order after which to begin; None for the beginning.
            view: parameters of visibility.
            limit: number of names at most.
        """
        first = name_key(prefix) if prefix else ""
        key, entity_id = after or ("", "")
        rows = self._rows.all(
            "listed",
            first=max(first, key),
            beyond=f"{first}{_LAST_CHARACTER}",
            key=key,
            id=entity_id,
            limit=limit,
        )
        keys: dict[int, set[str]] = {}
        for row in rows:
            keys.setdefault(row["n"], set()).add(row["key"])
        shown = self.visible_entities(list(keys), view)
        listed = [
            shown[n]
            for n, own in keys.items()
            if n in shown and own & set(map(name_key, (shown[n].name, *shown[n].aliases)))
        ]
        return listed, (rows[-1]["key"], rows[-1]["id"]) if len(rows) == limit else None

    def visible_entities(self, ns: Sequence[int], view: View) -> dict[int, Entity]:
        """Map numbers to entities; an entity that nothing visible names is left out.

        An entity has the visible names of all entities joined with it.
        """
        rows = {row["n"]: row for row in self._rows.all("entities", ns=list_numbers(ns))}
        owners = {n: [n] for n in rows}
        canonical = [n for n, row in rows.items() if row["canonical_id"] is None]
        for row in self._rows.all("groups", ns=list_numbers(canonical)):
            if row["n"] != row["canonical"]:
                owners.setdefault(row["n"], []).append(row["canonical"])
        used: dict[int, list[Row]] = {}
        for name in self._rows.all("names", ns=list_numbers(sorted(owners)), **view):
            for n in owners[name["entity_n"]]:
                used.setdefault(n, []).append(name)
        counted = self._rows.all(
            "count_mentions", ns=list_numbers(sorted(used)), most=MOST_MENTIONS, **view
        )
        mentions = {row["n"]: row["mentions"] for row in counted}
        return {n: _build_entity(row, used[n], mentions[n]) for n, row in rows.items() if n in used}

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
        """Return the only entity that has one of the names from turns alone; None without one."""
        for spelling in spellings:
            n = _only_one(self._rows.all("named_in_talk", key=name_key(spelling)))
            if n is not None:
                return n
        return None

    def _canonical_number(self, n: int) -> int:
        return self._rows.number("canonical", n=n)


def _build_entity(row: Row, names: Sequence[Row], mentions: int) -> Entity:
    first, *others = dict.fromkeys(name["name"] for name in names)
    fields = {
        "id": row["id"],
        "node": row["n"],
        "kind": row["kind"],
        "canonical_id": row["canonical_id"],
        "name": first,
        "aliases": tuple(others),
        "distinct": next((name["qualifier"] for name in names if name["qualifier"]), None),
        "mentions": mentions,
    }
    return build_value(Entity, fields)


def _choose_namesake(rows: Sequence[Row], qualifier: str) -> int | None:
    """Choose the entity that a mention with a qualifier means; None for a new entity.

    Without a qualifier, the entity without one is meant, or the only entity; among several none is
    guessed.
    """
    exact = [int(row["entity_n"]) for row in rows if row["qualifier"] == qualifier]
    if exact:
        return exact[0]
    return None if qualifier else _only_one(rows)


def _only_one(rows: Sequence[Row]) -> int | None:
    found = {int(row["entity_n"]) for row in rows}
    return found.pop() if len(found) == 1 else None
