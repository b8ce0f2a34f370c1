"""Where a memory comes from and what became of it, told so that a person can follow it.

Not part of what `memoria.model` offers at once: only who looks pays for it.
"""

from memoria.model.base import Value
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
    """A memory's or turn's first words, an entity's name."""
    detail: str
    """A memory's validity, a turn's role; which of its namesakes an entity is, and its kind."""


class IncidentEdge(Value):
    """An edge as it is seen from one of its ends."""

    edge: Edge
    outward: bool
    """Whether it leads from here to the other end."""
    other: EdgeEnd


class SourcedVersion(Value):
    """A version of a memory with the turn it was concluded from."""

    version: MemoryVersion
    said: Evidence | None
    """None where it was stated outside any turn, or where the turn was forgotten."""


class MemoryRecord(Value):
    """A memory with all it rests on and all it is linked with."""

    memory: Memory
    versions: tuple[SourcedVersion, ...]
    """Newest first."""
    evidence: tuple[Evidence, ...]
    """In the order it was said."""
    turn_range: TurnRange | None
    """Of an episode, the turns it is a summary of."""
    edges: tuple[IncidentEdge, ...]


class TurnOrigin(Value):
    """A turn with the memories that were concluded from it."""

    record: TurnRecord
    memories: tuple[Memory, ...]
    restated_memories: tuple[Memory, ...]
    """What was known already and rests on this turn as well."""
    episodes: tuple[Memory, ...]


class MemoryHistory(Value):
    """The life of a memory, oldest first: wordings, what said it again, what was done to it."""

    memory: Memory
    events: tuple[SourcedVersion | Evidence | AuditEntry, ...]


class EntityMemory(Value):
    """A memory that speaks of an entity."""

    memory: Memory
    edges: tuple[IncidentEdge, ...]
    """How it speaks of it."""
    further_edges: tuple[IncidentEdge, ...] = ()
    """What else it is linked with, where two hops were asked for."""


class EntityRecord(Value):
    """What is known of an entity."""

    entity: Entity
    same_as: Entity | None
    entity_memories: tuple[EntityMemory, ...]
    """The memories that speak of it, the strongest bound first."""
    omitted: int
    """Memories beyond those shown."""
    entity_turns: tuple[IncidentEdge, ...] = ()
    """The turns that name it, no model has read and no memory here is drawn from, newest first."""
    omitted_turns: int = 0
    """Turns beyond those shown."""


class Namesakes(Value):
    """Several entities go by a name, or none does."""

    name: str
    entities: tuple[Entity, ...]
    near: tuple[Entity, ...]
    """Where none does: those of a similar name."""
