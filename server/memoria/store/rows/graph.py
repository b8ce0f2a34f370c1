"""The graph: nodes, edges with their caps, and the reads of graph expansion."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from memoria.errors import NotFoundError
from memoria.graph.algorithms import Adjacency
from memoria.graph.edges import EDGE_RULES, retention_rank
from memoria.model import Edge, EdgeType, Entity, InferredBy, Mention, Modality, Node
from memoria.model.operation import SemanticRole
from memoria.store.connection import Connection, Row
from memoria.store.rows.entities import Entities
from memoria.store.rows.workspaces import Workspaces
from memoria.store.sql.statements import TenantRows, as_json, build_value, list_numbers
from memoria.store.values import Filters

EdgeKey = tuple[int, int, int]
"""An edge: the node it comes from, the number of its type, the node it leads to."""
_TYPES: Mapping[EdgeType, int] = {
    EdgeType.TEMPORAL_NEXT: 1,
    EdgeType.ABOUT: 2,
    EdgeType.MENTIONS: 3,
    EdgeType.CAUSES: 5,
    EdgeType.SUPPORTS: 6,
    EdgeType.CONTRADICTS: 7,
    EdgeType.DERIVED_FROM: 8,
    EdgeType.REFERS_TO: 9,
    EdgeType.SIMILAR_TO: 10,
    EdgeType.SAME_AS: 11,
    EdgeType.VERSION_NEXT: 12,
}
_ROLES: Mapping[SemanticRole, int] = {
    "agent": 21,
    "patient": 22,
    "location": 23,
    "time": 24,
    "manner": 25,
    "instrument": 26,
    "recipient": 27,
    "cause": 28,
    "beneficiary": 29,
}
_MODALITIES: Mapping[Modality, int] = {
    "actual": 0,
    "planned": 1,
    "wished": 2,
    "possible": 3,
    "hearsay": 4,
    "joking": 5,
}
"""Numbers in the file; never change one."""
_TYPE_OF = {
    **{code: kind for kind, code in _TYPES.items()},
    **dict.fromkeys(_ROLES.values(), EdgeType.ROLE),
}
_ROLE_OF = {code: role for role, code in _ROLES.items()}
_MODALITY_OF = {code: modality for modality, code in _MODALITIES.items()}
_UNIT = 10_000
_EXPANSION_FACTOR = {code: EDGE_RULES[kind].expansion_factor for code, kind in _TYPE_OF.items()}
"""Factor by which graph expansion weighs an edge, by the code of its kind."""
CAPS = {code: EDGE_RULES[kind].cap for code, kind in _TYPE_OF.items()}
"""Number of edges of a kind that a node may have."""
_LinkRow = tuple[int, int, float]
"""An edge as graph expansion reads it: its two ends, and its strength."""
_NODES_AT_ONCE = 500
"""Number of turns back in which a memory's predecessor is looked for."""


class Graph:
    """Memories, turns and entities as nodes, and the edges between them.

    Of the `visible` filters, `workspace`, `everywhere`, `include_history` and `include_processed`
    count here.
    """

    def __init__(self, connection: Connection, tenant: int, workspaces: Workspaces) -> None:
        self._rows = TenantRows(connection, tenant, "graph")
        self._entities = Entities(self._rows)
        self._workspaces = workspaces

    def upsert_entity(self, memory_id: str, mention: Mention, distinct: str | None = None) -> Node:
        """Return the entity that a memory speaks of, known by name or alias; made if it is new.

        Args:
            memory_id: the memory that uses the names. They are gone when the last that does is.
            mention: the thing's name, other names for it, and its kind; one of kind `other` is
                the only thing of that name, where there is one.
            distinct: the words that tell it from its namesakes, always the same ones.

        Raises:
            NotFoundError: there is no such memory.
        """
        entity_id = self._entities.upsert(
            self._upsert_node(Node("memory", memory_id)), mention, distinct or ""
        )
        return Node("entity", entity_id)

    def upsert_turn_entity(self, turn_id: str, mention: Mention) -> Node | None:
        """Return the entity that a turn names, recognised by name; made if it is new.

        Where one thing alone has that name, it is meant, whatever its kind: rules that read
        talk tell a person from a place less surely than a name. None where several go by it.

        Raises:
            NotFoundError: there is no such turn.
        """
        n = self._upsert_node(Node("turn", turn_id))
        entity_id = self._entities.upsert_in_talk(n, mention)
        return None if entity_id is None else Node("entity", entity_id)

    def upsert_edges(self, edges: Iterable[Edge]) -> None:
        """Write edges; where a node has too many of a type, the weakest and oldest is dropped.

        Raises:
            NotFoundError: an end is neither in the graph nor among the memories and turns.
        """
        for edge in edges:
            src, dst = self._upsert_node(edge.src), self._upsert_node(edge.dst)
            if edge.type.is_symmetric and dst < src:
                src, dst = dst, src
            code = _code(edge)
            self._upsert_edge(src, code, dst, edge)
            self._enforce_caps(src, code, dst)

    def remove_extracted(self, memory_id: str) -> None:
        """Remove what was extracted from a memory's wording: edges to entities, and their names."""
        self._remove_names(Node("memory", memory_id))

    def remove_turn_names(self, turn_id: str) -> None:
        """Remove what rules have read in a turn: its edges to entities, and their names."""
        self._remove_names(Node("turn", turn_id))

    def links_inferred_by(self, memory_id: str) -> InferredBy:
        """Return who has linked a memory's present wording: a model, or the rules alone."""
        n = self._number(Node("memory", memory_id))
        by_model = n is not None and self._rows.number("read_by_model", n=n, codes=_READ_OFF)
        return InferredBy.MODEL if by_model else InferredBy.RULES

    def merge_entities(self, entity_id: str, canonical_id: str) -> None:
        """Join two entities as one. Their edges stay where they are and are seen as one's."""
        self._entities.merge(self._entity(entity_id), self._entity(canonical_id))

    def split_entity(self, entity_id: str) -> None:
        """Make a merged entity separate again, with the edges and names that are its own.

        Raises:
            InvalidInputError: it is not joined with any other.
        """
        self._entities.split(self._entity(entity_id))

    def list_joined(self, entity_id: str) -> list[str]:
        """List the ids of the entities joined with an entity, and its own."""
        n = self._number(Node("entity", entity_id))
        nodes = {} if n is None else self._nodes(self._entities.group([n]))
        return [node.id for node in nodes.values()]

    def list_same_named(self, limit: int) -> list[tuple[str, str]]:
        """List id pairs of entities, not joined, that share a name and may be of one kind."""
        rows = self._rows.all("same_named", limit=limit)
        return [(row["one"], row["other"]) for row in rows]

    def get_entity(self, entity_id: str, visible: Filters) -> Entity | None:
        """Return an entity; None if no visible memory or turn names it."""
        n = self._number(Node("entity", entity_id))
        return (
            None if n is None else self._entities.visible_entities([n], self._view(visible)).get(n)
        )

    def find_entities(self, names: Sequence[str], visible: Filters) -> list[Entity]:
        """List the entities that go by one of these names in visible memories and turns."""
        return self._entities.by_name(names, self._view(visible))

    def by_name(self, names: Sequence[str], visible: Filters) -> dict[int, str]:
        """Map nodes of entities that memories give one of these names to that name."""
        return self._entities.match_names(names, self._view(visible))

    def by_prefix(self, prefix: str, visible: Filters, limit: int) -> list[Entity]:
        """List the entities with a visible name that begins so, whatever its letter case."""
        return self._entities.by_prefix(prefix, self._view(visible), limit)

    def list_edges(self, node: Node, visible: Filters) -> list[Edge]:
        """List every edge at a node, in and out, whose both ends are visible."""
        n = self._number(node)
        if n is None:
            return []
        rows = self._rows.all("at_node", ns=list_numbers(self._entities.group([n])))
        ends = {end for row in rows for end in (row["src_n"], row["dst_n"])}
        nodes = self._nodes(sorted(self._visible_nodes(ends, visible)))
        turns = self._turn_ids([row["turn_n"] for row in rows if row["turn_n"] is not None])
        return [
            _edge(row, nodes[row["src_n"]], nodes[row["dst_n"]], turns.get(row["turn_n"]))
            for row in rows
            if row["src_n"] in nodes and row["dst_n"] in nodes
        ]

    def neighbours(
        self,
        ns: Sequence[int],
        visible: Filters,
        visited: Collection[int] = (),
        most: int | None = None,
    ) -> Adjacency:
        """Return the neighbours of nodes and the strength of the links, for the next expansion.

        An edge without weight is shown and not followed.

        Args:
            ns: nodes that the expansion has visited.
            visible: the filters that decide what is seen.
            visited: the nodes it has met so far.
            most: the number of others there is room for; weaker ones may be left out. None for all.
        """
        asked, near = set(ns), {*ns, *visited}
        members = self._entities.members(near)
        asked |= {n for n, same_as in members if same_as in asked}
        rows = self._rows.all("links", ns=list_numbers(sorted(asked)))
        bonds = [(row[0], row[2], row[3] / _UNIT * _EXPANSION_FACTOR[row[1]]) for row in rows]
        near.update(n for n, _ in members)
        shown = self._select_strongest(bonds, near, visible, most)
        adjacency: dict[int, dict[int, float]] = {n: {} for n in ns}
        for src, dst, strength in bonds:
            here, there = shown.get(src), shown.get(dst)
            if here is None or there is None or here == there:
                continue
            for one, other in ((here, there), (there, here)):
                beside = adjacency.get(one)
                if beside is not None and beside.get(other, -1.0) < strength:
                    beside[other] = strength
        return adjacency

    def high_degree(self, ns: Sequence[int], edges: int) -> set[int]:
        """Select the nodes with more than `edges` edges that are followed, seen or not."""
        return {row["n"] for row in self._rows.all("busy", ns=list_numbers(ns), most=edges)}

    def list_evidence_to_transfer(self) -> list[tuple[EdgeKey, int]]:
        """List evidence of merged memories: each edge with the node of the memory that survived."""
        rows = self._rows.all("evidence_to_transfer")
        return [((row[0], row[1], row[2]), row["heir"]) for row in rows]

    def transfer_evidence(self, edge: EdgeKey, heir: int) -> bool:
        """Copy an evidence edge to the surviving node; return False if that has it already."""
        src, code, dst = edge
        return bool(self._rows.change("transfer", src=src, code=code, dst=dst, heir=heir))

    def _remove_names(self, node: Node) -> None:
        n = self._number(node)
        if n is not None:
            self._rows.change("drop_out", n=n, codes=_READ_OFF)
            self._rows.change("drop_uses", n=n)

    def _select_strongest(
        self, bonds: Sequence[_LinkRow], near: Set[int], seen: Filters, most: int | None
    ) -> dict[int, int]:
        """Return the visible ends of edges that are near, and the most strongly linked others.

        Checking whether a node is visible costs more than reading its edge, and a node may have
        thousands of neighbours, of which an expansion has room for a few.
        """
        strengths: dict[int, float] = {}
        for src, dst, strength in bonds:
            for end in (src, dst):
                if end not in near and strengths.get(end, -1.0) < strength:
                    strengths[end] = strength
        known = {end for src, dst, _ in bonds for end in (src, dst) if end in near}
        left = sorted(strengths, key=lambda n: (-strengths[n], n))
        most = len(left) if most is None else most
        shown = self._visible_nodes(known.union(left[:most]), seen)
        left = left[most:]
        while left and len({shown[n] for n in shown.keys() - near}) < most:
            shown |= self._visible_nodes(set(left[:most]), seen)
            left = left[most:]
        return shown

    def nodes_of_documents(self, ns: Sequence[int]) -> dict[int, int]:
        """Map documents to nodes: a turn to its own, a wording to its memory's."""
        return {row[0]: row[1] for row in self._rows.all("of_documents", ns=list_numbers(ns))}

    def documents_of_nodes(self, ns: Sequence[int]) -> dict[int, int]:
        """Map nodes to documents: a turn, or a memory's present wording; an entity has none."""
        return {row[0]: row[1] for row in self._rows.all("documents", ns=list_numbers(ns))}

    def predecessor(self, memory_id: str) -> str | None:
        """Return the memory concluded before this in its session; of an episode, the episode."""
        row = self._rows.first("predecessor", id=memory_id, reach=_NODES_AT_ONCE)
        return None if row is None else str(row["id"])

    def _upsert_edge(self, src: int, code: int, dst: int, edge: Edge) -> None:
        self._rows.change(
            "put",
            src_n=src,
            code=code,
            dst_n=dst,
            weight=round(edge.weight * _UNIT),
            confidence=round(edge.confidence * _UNIT),
            negated=edge.negated,
            modality=_MODALITIES[edge.modality],
            by_model=edge.inferred_by is InferredBy.MODEL,
            created_at=edge.made_at,
            power=retention_rank(edge.weight, edge.made_at),
            turn_n=self._turn_number(edge.turn_id),
            event_at=edge.event_at,
            event_expression=edge.event_expression,
        )

    def _enforce_caps(self, src: int, code: int, dst: int) -> None:
        ((of_src, of_dst),) = self._rows.tuples("degrees", src_n=src, code=code, dst_n=dst)
        if of_src > CAPS[code]:
            self._drop_weakest(src, code, of_src - CAPS[code])
            ((_, of_dst),) = self._rows.tuples("degrees", src_n=src, code=code, dst_n=dst)
        if of_dst > CAPS[code]:
            self._drop_weakest(dst, code, of_dst - CAPS[code])

    def _drop_weakest(self, n: int, code: int, over: int) -> None:
        """Drop so many of a node's edges of a type, the weakest first."""
        for row in self._rows.all("weakest", n=n, code=code, over=over):
            self._rows.change("drop", src_n=row["src_n"], code=code, dst_n=row["dst_n"])

    def _upsert_node(self, node: Node) -> int:
        """Return the number of a node; make it if it is new."""
        n = self._number(node)
        if n is not None:
            return n
        if node.kind != "entity" and self._rows.change(f"add_{node.kind}_node", id=node.id):
            return self._upsert_node(node)
        raise NotFoundError(f"There is no {node.kind} {node.id} to link.")

    def _number(self, node: Node) -> int | None:
        row = self._rows.first(f"{node.kind}_node", id=node.id)
        return None if row is None else int(row["n"])

    def _entity(self, entity_id: str) -> int:
        return self._upsert_node(Node("entity", entity_id))

    def _turn_number(self, turn_id: str | None) -> int | None:
        row = None if turn_id is None else self._rows.first("turn_number", id=turn_id)
        return None if row is None else int(row["n"])

    def _turn_ids(self, ns: Sequence[int]) -> dict[int | None, str]:
        return {row["n"]: row["id"] for row in self._rows.all("turn_ids", ns=list_numbers(ns))}

    def _nodes(self, ns: Sequence[int]) -> dict[int, Node]:
        return {row["n"]: _node(row) for row in self._rows.all("referents", ns=list_numbers(ns))}

    def _visible_nodes(self, ns: set[int], seen: Filters) -> dict[int, int]:
        """Map the visible ones of these nodes to the node that stands for each."""
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


def _code(edge: Edge) -> int:
    return _TYPES[edge.type] if edge.role is None else _ROLES[edge.role]


def _codes(types: Iterable[EdgeType]) -> list[int]:
    return [
        code
        for kind in types
        for code in (_ROLES.values() if kind is EdgeType.ROLE else (_TYPES[kind],))
    ]


_READ_OFF = as_json(_codes(kind for kind in EdgeType if kind.is_extracted))


def _node(row: Row) -> Node:
    if row["memory_id"] is not None:
        return Node("memory", row["memory_id"])
    if row["turn_id"] is not None:
        return Node("turn", row["turn_id"])
    return Node("entity", row["entity_id"])


def _edge(row: Row, src: Node, dst: Node, turn_id: str | None) -> Edge:
    return build_value(
        Edge,
        {
            "src": src,
            "type": _TYPE_OF[row["code"]],
            "dst": dst,
            "weight": row["weight"] / _UNIT,
            "confidence": row["confidence"] / _UNIT,
            "role": _ROLE_OF.get(row["code"]),
            "negated": bool(row["negated"]),
            "modality": _MODALITY_OF[row["modality"]],
            "event_at": row["event_at"],
            "event_expression": row["event_expression"],
            "inferred_by": InferredBy.MODEL if row["by_model"] else InferredBy.RULES,
            "turn_id": turn_id,
            "made_at": row["created_at"],
        },
    )
