"""The graph: nodes, the names of entities, and edges."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from memoria.graph.hops import Adjacency
from memoria.model import (
    Edge,
    Entity,
    InferredBy,
    Mention,
    Node,
)
from memoria.store.values import (
    Filters,
)

EdgeKey = tuple[int, int, int]
"""An edge: the node it comes from, the number of its kind, the node it leads to."""


class Graph(Protocol):
    """Memories, turns and entities as nodes, and the edges between them.

    Of the `visible` filters, `workspace`, `everywhere`, `include_history` and `include_processed`
    count here.
    """

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
        ...

    def upsert_turn_entity(self, turn_id: str, mention: Mention) -> Node | None:
        """Return the entity that a turn names, recognised by name; made if it is new.

        Where one thing alone has that name, it is meant, whatever its kind: rules that read
        talk tell a person from a place less surely than a name. None where several go by it.

        Raises:
            NotFoundError: there is no such turn.
        """
        ...

    def upsert_edges(self, edges: Iterable[Edge]) -> None:
        """Write edges; where a node has too many of a type, the weakest and oldest is dropped.

        Raises:
            NotFoundError: an end is neither in the graph nor among the memories and turns.
        """
        ...

    def remove_extracted(self, memory_id: str) -> None:
        """Remove what was extracted from a memory's wording: edges to entities, and their names."""
        ...

    def remove_turn_names(self, turn_id: str) -> None:
        """Remove what rules have read in a turn: its edges to entities, and their names."""
        ...

    def links_inferred_by(self, memory_id: str) -> InferredBy:
        """Return who has linked a memory's present wording: a model, or the rules alone."""
        ...

    def merge_entities(self, entity_id: str, canonical_id: str) -> None:
        """Join two entities as one. Their edges stay where they are and are seen as one's."""
        ...

    def split_entity(self, entity_id: str) -> None:
        """Make a merged entity separate again, with the edges and names that are its own.

        Raises:
            InvalidInputError: it is not joined with any other.
        """
        ...

    def list_joined(self, entity_id: str) -> list[str]:
        """List the ids of the entities joined with an entity, and its own."""
        ...

    def list_same_named(self, limit: int) -> list[tuple[str, str]]:
        """List id pairs of entities, not joined, that share a name and may be of one kind."""
        ...

    def get_entity(self, entity_id: str, visible: Filters) -> Entity | None:
        """Return an entity; None if no visible memory or turn names it."""
        ...

    def find_entities(self, names: Sequence[str], visible: Filters) -> list[Entity]:
        """List the entities that go by one of these names in visible memories and turns."""
        ...

    def by_name(self, names: Sequence[str], visible: Filters) -> dict[int, str]:
        """Map nodes of entities that memories give one of these names to that name."""
        ...

    def by_prefix(self, prefix: str, visible: Filters, limit: int) -> list[Entity]:
        """List the entities with a visible name that begins so, whatever its letter case."""
        ...

    def list_edges(self, node: Node, visible: Filters) -> list[Edge]:
        """List every edge at a node, in and out, whose both ends are visible."""
        ...

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
        ...

    def list_evidence_to_transfer(self) -> list[tuple[EdgeKey, int]]:
        """List evidence of merged memories: each edge with the node of the memory that survived."""
        ...

    def transfer_evidence(self, edge: EdgeKey, heir: int) -> bool:
        """Copy an evidence edge to the surviving node; return False if that has it already."""
        ...

    def high_degree(self, ns: Sequence[int], edges: int) -> set[int]:
        """Select the nodes with more than `edges` edges that are followed, seen or not."""
        ...

    def nodes_of_documents(self, ns: Sequence[int]) -> dict[int, int]:
        """Map documents to nodes: a turn to its own, a wording to its memory's."""
        ...

    def documents_of_nodes(self, ns: Sequence[int]) -> dict[int, int]:
        """Map nodes to documents: a turn, or a memory's present wording; an entity has none."""
        ...

    def predecessor(self, memory_id: str) -> str | None:
        """Return the memory concluded before this in its session; of an episode, the episode."""
        ...
