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


class Graph(Protocol):
    """Memories, turns and entities as nodes, and the edges between them.

    What is shown is what is seen from where was asked: of the filters, `workspace`, `everywhere`,
    `include_history` and `include_processed` count here.
    """

    def upsert_entity(self, memory_id: str, mention: Mention, distinct: str | None = None) -> Node:
        """The entity that a memory speaks of, known again by name or alias; made if it is new.

        Args:
            memory_id: the memory that uses the names. They are gone when the last that does is.
            mention: the thing's name, other names for it, and its kind; one of kind `other` is
                the only thing of that name, where there is one.
            distinct: what tells it from its namesakes, always in the same words.

        Raises:
            NotFoundError: there is no such memory.
        """
        ...

    def upsert_turn_entity(self, turn_id: str, mention: Mention) -> Node | None:
        """The entity that a turn names, known again by name; made if it is new.

        It is the only thing of that name, where there is one, whatever its kind: rules that read
        talk tell a person from a place less surely than a name. None where several go by it: which
        of them is meant, rules cannot tell.

        Raises:
            NotFoundError: there is no such turn.
        """
        ...

    def upsert_edges(self, edges: Iterable[Edge]) -> None:
        """Write edges; where a node has too many of a type, the weakest and oldest is pruned.

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
        """Whether a model has looked at a memory's present wording, or only the rules."""
        ...

    def merge_entities(self, entity_id: str, canonical_id: str) -> None:
        """Let two entities be the same. Their edges stay where they are and are seen as one's."""
        ...

    def split_entity(self, entity_id: str) -> None:
        """Let a merged entity be itself again, with the edges and names that are its own.

        Raises:
            InvalidInputError: it is not the same as any other.
        """
        ...

    def list_joined(self, entity_id: str) -> list[str]:
        """Ids of the entities that are the same as an entity, and its own."""
        ...

    def list_same_named(self, limit: int) -> list[tuple[str, str]]:
        """Ids of two entities each that go by one name and may be of one kind, not joined."""
        ...

    def get_entity(self, entity_id: str, visible: Filters) -> Entity | None:
        """An entity, if a memory or turn seen from there names it."""
        ...

    def find_entities(self, names: Sequence[str], visible: Filters) -> list[Entity]:
        """The entities that go by one of these names in what is seen from there."""
        ...

    def by_name(self, names: Sequence[str], visible: Filters) -> dict[int, str]:
        """The nodes of entities that memories give one of these names, each with that name."""
        ...

    def by_prefix(self, prefix: str, visible: Filters, limit: int) -> list[Entity]:
        """The entities of which a name seen from there begins so, whatever its letter case."""
        ...

    def list_edges(self, node: Node, visible: Filters) -> list[Edge]:
        """Every edge at a node, in and out, whose both ends are seen from there."""
        ...

    def neighbours(
        self,
        ns: Sequence[int],
        visible: Filters,
        visited: Collection[int] = (),
        most: int | None = None,
    ) -> Adjacency:
        """What an expansion visits next: these nodes' neighbours, and how strong the bonds are.

        An edge without weight is shown and not followed.

        Args:
            ns: nodes that the expansion has visited.
            visible: from where it is looked.
            visited: the nodes it has met so far.
            most: how many others there is room for; the weaker bound may be left out. None for all.
        """
        ...

    def high_degree(self, ns: Sequence[int], edges: int) -> set[int]:
        """Which of these nodes have more edges that are followed than that, seen or not."""
        ...

    def nodes_of_documents(self, ns: Sequence[int]) -> dict[int, int]:
        """The nodes from which a search goes on: of a turn its own, of a wording its memory's."""
        ...

    def documents_of_nodes(self, ns: Sequence[int]) -> dict[int, int]:
        """The documents of nodes: a turn, a memory's present wording; an entity has none."""
        ...

    def predecessor(self, memory_id: str) -> str | None:
        """The memory concluded last before this one in its session; of an episode, an episode."""
        ...
