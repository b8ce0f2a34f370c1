"""The graph: nodes, edges with their caps, and the reads of graph expansion."""

from collections.abc import Collection, Iterable, Sequence, Set

from memoria.errors import NotFoundError
from memoria.graph.algorithms import Adjacency
from memoria.graph.edges import EDGE_RULES, retention_rank
from memoria.model import Edge, EdgeType, Entity, InferredBy, Mention, Node
from memoria.store.connection import Row
from memoria.store.rows.graph_nodes import TYPE_OF, GraphNodes
from memoria.store.sql.edge_codes import MODALITY_CODES, ROLE_CODES, TYPE_CODES, list_codes
from memoria.store.sql.statements import as_json, build_value, list_numbers
from memoria.store.values import Filters

EdgeKey = tuple[int, int, int]
"""Key of an edge: number of its source node, code of its type, number of its target node."""
_ROLE_OF = {code: role for role, code in ROLE_CODES.items()}
_MODALITY_OF = {code: modality for modality, code in MODALITY_CODES.items()}
_UNIT = 10_000
_EXPANSION_FACTOR = {code: EDGE_RULES[kind].expansion_factor for code, kind in TYPE_OF.items()}
"""Factor by which graph expansion weighs an edge, by the code of its type."""
CAPS = {code: EDGE_RULES[kind].cap for code, kind in TYPE_OF.items()}
"""Largest number of edges that a node may have, by the code of their type."""
_LinkRow = tuple[int, int, float]
"""Both ends of an edge, and its strength in a graph expansion."""
_NODES_AT_ONCE = 500
"""Number of turns back among which a memory's predecessor is looked for."""


class Graph(GraphNodes):
    """Memories, turns and entities as nodes, and the edges between them."""

    def upsert_entity(self, memory_id: str, mention: Mention, distinct: str | None = None) -> Node:
        """Return the entity that a memory names, made if no name of the mention is known.

        Args:
            memory_id: the memory that uses the names; names go with the last memory using them.
            mention: names and kind of the entity; with kind `other`, the only entity of that name
                is meant, if there is just one.
            distinct: words that tell the entity from its namesakes, always the same words.

        Raises:
            NotFoundError: there is no such memory.
        """
        entity_id = self._entities.upsert(
            self._upsert_node(Node("memory", memory_id)), mention, distinct or ""
        )
        return Node("entity", entity_id)

    def upsert_turn_entity(self, turn_id: str, mention: Mention) -> Node | None:
        """Return the entity that a turn names, made if the name is new; None for an ambiguous name.

        An entity that alone has the name is meant, whatever its kind: rules that read turns are
        less sure of kinds than of names.

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

    def remove_edge(self, src: Node, kind: EdgeType, dst: Node) -> bool:
        """Remove an edge of a type without roles; return False if there is none."""
        one, other = self._number(src), self._number(dst)
        if one is None or other is None:
            return False
        if kind.is_symmetric and other < one:
            one, other = other, one
        return bool(self._rows.change("drop", src_n=one, code=TYPE_CODES[kind], dst_n=other))

    def remove_extracted(self, memory_id: str) -> None:
        """Remove the edges and names of entities that were extracted from a memory's wording."""
        self._remove_names(Node("memory", memory_id))

    def remove_turn_names(self, turn_id: str) -> None:
        """Remove the edges and names of entities that rules have read in a turn."""
        self._remove_names(Node("turn", turn_id))

    def links_inferred_by(self, memory_id: str) -> InferredBy:
        """Return which reader has linked a memory's present wording: a model, or rules alone."""
        n = self._number(Node("memory", memory_id))
        by_model = n is not None and self._rows.number("read_by_model", n=n, codes=_READ_OFF)
        return InferredBy.MODEL if by_model else InferredBy.RULES

    def merge_entities(self, entity_id: str, canonical_id: str) -> None:
        """Join two entities; both keep their edges, which are shown as edges of one entity."""
        self._entities.merge(self._entity(entity_id), self._entity(canonical_id))

    def split_entity(self, entity_id: str) -> None:
        """Separate an entity from those it was joined with; edges and names of its own go along.

        Raises:
            InvalidInputError: the entity is not joined with any other.
        """
        self._entities.split(self._entity(entity_id))

    def list_joined(self, entity_id: str) -> list[str]:
        """List the ids of an entity and of all entities joined with it."""
        n = self._number(Node("entity", entity_id))
        nodes = {} if n is None else self._nodes(self._entities.group([n]))
        return [node.id for node in nodes.values()]

    def list_same_named(self, limit: int) -> list[tuple[str, str]]:
        """List pairs of unjoined entities, by id, that share a name and may be of one kind."""
        rows = self._rows.all("same_named", limit=limit)
        return [(row["one"], row["other"]) for row in rows]

    def get_entity(self, entity_id: str, visible: Filters) -> Entity | None:
        """Return an entity; None if no visible memory or turn names it."""
        n = self._number(Node("entity", entity_id))
        return (
            None if n is None else self._entities.visible_entities([n], self._view(visible)).get(n)
        )

    def find_entities(self, names: Sequence[str], visible: Filters) -> list[Entity]:
        """List the entities that visible memories and turns give one of the names."""
        return self._entities.by_name(names, self._view(visible))

    def by_name(self, names: Sequence[str], visible: Filters) -> dict[int, str]:
        """Map nodes of entities to that one of the names which visible memories give them."""
        return self._entities.match_names(names, self._view(visible))

    def by_prefix(self, prefix: str, visible: Filters, limit: int) -> list[Entity]:
        """List the entities with a visible name that begins with a prefix, ignoring letter case."""
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
            ns: the nodes whose neighbours are wanted.
            visible: the filters that a neighbour must pass.
            visited: the nodes that the expansion has met so far.
            most: the number of new nodes wanted, the most strongly linked; None for all.
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
        return set(self._rows.column("busy", ns=list_numbers(ns), most=edges))

    def list_evidence_to_transfer(self) -> list[tuple[EdgeKey, int]]:
        """List evidence of merged memories: each edge with the node of the memory that survived."""
        rows = self._rows.all("evidence_to_transfer")
        return [((row[0], row[1], row[2]), row["heir"]) for row in rows]

    def transfer_evidence(self, edge: EdgeKey, heir: int) -> bool:
        """Copy an evidence edge to the surviving node; return False if that node has the edge."""
        src, code, dst = edge
        return bool(self._rows.change("transfer", src=src, code=code, dst=dst, heir=heir))

    def _remove_names(self, node: Node) -> None:
        n = self._number(node)
        if n is not None:
            self._rows.send("drop_out", n=n, codes=_READ_OFF)
            self._rows.send("drop_uses", n=n)

    def _select_strongest(
        self, bonds: Sequence[_LinkRow], near: Set[int], seen: Filters, most: int | None
    ) -> dict[int, int]:
        """Map visible ends of edges to their nodes: those in `near`, and the most strongly linked.

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
        """Map documents to nodes: a turn to its node, a wording to the node of its memory."""
        return {row[0]: row[1] for row in self._rows.all("of_documents", ns=list_numbers(ns))}

    def documents_of_nodes(self, ns: Sequence[int]) -> dict[int, int]:
        """Map nodes to documents: a turn, or a memory's present wording; an entity has none."""
        return {row[0]: row[1] for row in self._rows.all("documents", ns=list_numbers(ns))}

    def predecessor(self, memory_id: str) -> str | None:
        """Return the id of the memory concluded before a memory in its session; None without one.

        The predecessor of an episode is an episode.
        """
        return self._rows.find_text("predecessor", id=memory_id, reach=_NODES_AT_ONCE)

    def _upsert_edge(self, src: int, code: int, dst: int, edge: Edge) -> None:
        self._rows.send(
            "put",
            src_n=src,
            code=code,
            dst_n=dst,
            weight=round(edge.weight * _UNIT),
            confidence=round(edge.confidence * _UNIT),
            negated=edge.negated,
            modality=MODALITY_CODES[edge.modality],
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
        """Drop a number of a node's edges of a type, the weakest first."""
        for row in self._rows.all("weakest", n=n, code=code, over=over):
            self._rows.send("drop", src_n=row["src_n"], code=code, dst_n=row["dst_n"])

    def _upsert_node(self, node: Node) -> int:
        """Return the number of a node; make it if it is new."""
        n = self._number(node)
        if n is not None:
            return n
        if node.kind != "entity" and self._rows.change(f"add_{node.kind}_node", id=node.id):
            return self._upsert_node(node)
        raise NotFoundError(f"There is no {node.kind} {node.id} to link.")

    def _number(self, node: Node) -> int | None:
        return self._rows.find_number(f"{node.kind}_node", id=node.id)

    def _entity(self, entity_id: str) -> int:
        return self._upsert_node(Node("entity", entity_id))

    def _turn_number(self, turn_id: str | None) -> int | None:
        return None if turn_id is None else self._rows.find_number("turn_number", id=turn_id)

    def _turn_ids(self, ns: Sequence[int]) -> dict[int | None, str]:
        return {row["n"]: row["id"] for row in self._rows.all("turn_ids", ns=list_numbers(ns))}


def _code(edge: Edge) -> int:
    return TYPE_CODES[edge.type] if edge.role is None else ROLE_CODES[edge.role]


_READ_OFF = as_json(list_codes(kind for kind in EdgeType if kind.is_extracted))


def _edge(row: Row, src: Node, dst: Node, turn_id: str | None) -> Edge:
    return build_value(
        Edge,
        {
            "src": src,
            "type": TYPE_OF[row["code"]],
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
