"""Nodes of the graph as they are seen: entities by name, what names them, and links around that."""

from collections.abc import Sequence

from memoria.model import EdgeType, Entity, Node
from memoria.model.graph import NameLink
from memoria.store.connection import Connection, Row
from memoria.store.rows.entities import Entities, NamePlace
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.edge_codes import ROLE_CODES, TYPE_CODES, list_codes
from memoria.store.sql.statements import TenantRows, as_json, list_numbers
from memoria.store.values import Filters

TYPE_OF = {
    **{code: kind for kind, code in TYPE_CODES.items()},
    **dict.fromkeys(ROLE_CODES.values(), EdgeType.ROLE),
}
"""Types of edges by their codes."""
_SHOWN_LINKS = as_json(
    list_codes(
        kind for kind in EdgeType if kind not in (EdgeType.DERIVED_FROM, EdgeType.TEMPORAL_NEXT)
    )
)
"""Codes of links that tell something of what they link."""


class GraphNodes:
    """Reads the nodes of a tenant's graph.

    Arguments `visible` are filters of which only `workspace`, `everywhere`, `include_history` and
    `include_processed` apply.
    """

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "graph")
        self._entities = Entities(self._rows)
        self._workspaces = workspaces

    def list_by_name(
        self, prefix: str, after: NamePlace | None, visible: Filters, limit: int
    ) -> tuple[list[Entity], NamePlace | None]:
        """List entities as `Entities.list_by_name` does."""
        return self._entities.list_by_name(prefix, after, self._view(visible), limit)

    def list_naming(
        self, entities: Sequence[Entity], visible: Filters, each: int
    ) -> dict[str, list[Node]]:
        """Map ids of entities to memories and turns linked with them, `each` of either at most.

        The most strongly linked come first, the newest first among equals.
        """
        ns = [one.node for one in entities]
        group = {**dict(zip(ns, ns, strict=True)), **dict(self._entities.members(ns))}
        found = self._rows.all(
            "naming", ns=list_numbers(sorted(group)), each=each, **self._view(visible)
        )
        nodes = self._nodes(sorted({row["n"] for row in found}))
        ids = {one.node: one.id for one in entities}
        naming: dict[str, list[Node]] = {one.id: [] for one in entities}
        for row in found:
            own = naming[ids[group[row["entity_n"]]]]
            if nodes[row["n"]] not in own:
                own.append(nodes[row["n"]])
        return naming

    def list_links(
        self, entity: Entity, memory_ids: Sequence[str], visible: Filters, limit: int
    ) -> list[NameLink]:
        """List links of memories with an entity, with other entities, and with one another.

        Args:
            entity: whose links come first; entities joined with it count as the entity.
            memory_ids: the memories.
            visible: filters that both ends must pass.
            limit: number of links at most.
        """
        group = self._entities.group([entity.node])
        rows = self._rows.all(
            "leading_out",
            ns=list_numbers(self._rows.column("memory_nodes", ids=as_json(memory_ids))),
            codes=_SHOWN_LINKS,
            first=list_numbers(group),
            limit=limit,
        )
        ends = {end for row in rows for end in (row["src_n"], row["dst_n"])}
        shown = self._visible_nodes(ends, visible)
        nodes = self._nodes(sorted({*shown.values()}))
        return [
            NameLink(
                src=nodes[shown[row["src_n"]]],
                type=TYPE_OF[row["code"]],
                dst=nodes[shown[row["dst_n"]]],
            )
            for row in rows
            if row["src_n"] in shown and row["dst_n"] in shown
        ]

    def list_entities(self, entity_ids: Sequence[str], visible: Filters) -> list[Entity]:
        """List visible entities by their ids."""
        ns = self._rows.column("entity_nodes", ids=as_json(entity_ids))
        return list(self._entities.visible_entities(ns, self._view(visible)).values())

    def name_entities(self, ns: Sequence[int], visible: Filters) -> dict[int, str]:
        """Map nodes of visible entities to their names."""
        found = self._entities.visible_entities(ns, self._view(visible))
        return {n: entity.name for n, entity in found.items()}

    def _nodes(self, ns: Sequence[int]) -> dict[int, Node]:
        return {row["n"]: _node(row) for row in self._rows.all("referents", ns=list_numbers(ns))}

    def _visible_nodes(self, ns: set[int], seen: Filters) -> dict[int, int]:
        """Map visible nodes to the nodes that stand for them, once entities are joined."""
        view = {**self._view(seen), "suppressed": seen.include_processed}
        rows = self._rows.all("seen", ns=list_numbers(sorted(ns)), **view)
        return {row[0]: row[1] for row in rows}

    def _view(self, seen: Filters) -> dict[str, str | int | None]:
        return {
            "workspace": self._workspaces.number(seen.workspace),
            "everywhere": seen.everywhere,
            "private": list_numbers(self._workspaces.private),
            "history": seen.include_history,
        }


def _node(row: Row) -> Node:
    if row["memory_id"] is not None:
        return Node("memory", row["memory_id"])
    if row["turn_id"] is not None:
        return Node("turn", row["turn_id"])
    return Node("entity", row["entity_id"])
