"""Provenance of a memory and its later life, told so that a person can follow it.

Not part of what `memoria.model` offers at once: only who looks pays for it.
"""

from typing import Annotated, Any

from memoria.model.base import UNLESS_EMPTY, Value
from memoria.model.episode import TurnRange
from memoria.model.evidence import AuditEntry, Evidence
from memoria.model.graph import Edge, Entity, NodeKind
from memoria.model.memory import Memory, MemoryVersion
from memoria.model.turn import TurnRecord


class EdgeEnd(Value):
    """The other end of an edge, in words."""

    kind: NodeKind
    id: str
    text: str
    """First words of a memory or turn, or an entity's name."""
    detail: Annotated[str, UNLESS_EMPTY]
    """Validity of a memory, role of a turn; of an entity its kind, and which namesake it is."""


class IncidentEdge(Value):
    """An edge as it is seen from one of its ends."""

    edge: Edge
    outward: bool
    """True if it leads from here to the other end."""
    other: EdgeEnd

    def _write_fields(self) -> dict[str, Any]:
        one_way = "out" if self.outward else "in"
        return {
            "type": self.edge.type.value,
            "direction": "both" if self.edge.type.is_symmetric else one_way,
            "other": self.other.to_json(),
            **self.edge.to_json(),
        }


class SourcedVersion(Value):
    """A version of a memory with the turn it was concluded from."""

    version: MemoryVersion
    said: Evidence | None
    """Evidence; None where it was stated outside any turn, or where the turn was forgotten."""


class MemoryRecord(Value):
    """A memory with all it rests on and all it is linked with."""

    memory: Memory
    versions: tuple[SourcedVersion, ...]
    """Newest first."""
    evidence: tuple[Evidence, ...]
    """Turns, in the order they were said."""
    turn_range: TurnRange | None
    """Turns that an episode is a summary of; None for other types."""
    edges: tuple[IncidentEdge, ...]


class TurnOrigin(Value):
    """A turn with the memories that were concluded from it."""

    record: TurnRecord
    memories: tuple[Memory, ...]
    restated_memories: tuple[Memory, ...]
    """Memories that were known already and rest on this turn as well."""
    episodes: tuple[Memory, ...]


class MemoryHistory(Value):
    """The life of a memory, oldest first: wordings, what said it again, what was done to it."""

    memory: Memory
    events: tuple[SourcedVersion | Evidence | AuditEntry, ...]


class EntityMemory(Value):
    """A memory that speaks of an entity."""

    memory: Memory
    edges: tuple[IncidentEdge, ...]
    """Edges that tell how it speaks of the entity."""
    further_edges: tuple[IncidentEdge, ...] = ()
    """Edges to other nodes, where two hops were asked for."""


class EntityRecord(Value):
    """An entity, with the memories and turns that speak of it."""

    entity: Entity
    same_as: Entity | None
    entity_memories: tuple[EntityMemory, ...]
    """The memories that speak of it, the strongest bound first."""
    omitted: int
    """Number of memories beyond those shown."""
    entity_turns: tuple[IncidentEdge, ...] = ()
    """The turns that name it, no model has read and no memory here is drawn from, newest first."""
    omitted_turns: int = 0
    """Number of turns beyond those shown."""


class Namesakes(Value):
    """Entities that go by one name: several, or none."""

    name: str
    entities: tuple[Entity, ...]
    near: tuple[Entity, ...]
    """Entities of a similar name, where none has this one."""
