"""The graph: memories, turns and entities as nodes, and typed, weighted edges between them."""

from enum import StrEnum
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from memoria.model.base import HIDDEN, UNLESS_EMPTY, Shown, Value
from memoria.model.memory import InferredBy
from memoria.model.moments import Moment
from memoria.model.operation import EntityKind, Modality, SemanticRole


class EdgeType(StrEnum):
    """Relations that an edge states between its two ends."""

    TEMPORAL_NEXT = "TEMPORAL_NEXT"
    ABOUT = "ABOUT"
    MENTIONS = "MENTIONS"
    ROLE = "ROLE"
    CAUSES = "CAUSES"
    SUPPORTS = "SUPPORTS"
    CONTRADICTS = "CONTRADICTS"
    DERIVED_FROM = "DERIVED_FROM"
    REFERS_TO = "REFERS_TO"
    SIMILAR_TO = "SIMILAR_TO"
    SAME_AS = "SAME_AS"
    VERSION_NEXT = "VERSION_NEXT"

    @property
    def is_symmetric(self) -> bool:
        """True if the relation holds in both directions; such an edge is stored once."""
        return self in (EdgeType.SIMILAR_TO, EdgeType.CONTRADICTS)

    @property
    def is_extracted(self) -> bool:
        """True if rules or a model read such edges in a memory's wording."""
        return self in (EdgeType.ABOUT, EdgeType.MENTIONS, EdgeType.ROLE)


NodeKind = Literal["memory", "turn", "entity"]

Share = Annotated[float, Field(ge=0, le=1)]


class Node(NamedTuple):
    """An end of an edge."""

    kind: NodeKind
    id: str


class Edge(Value):
    """A typed, weighted link between two nodes."""

    src: Annotated[Node, HIDDEN]
    type: EdgeType
    dst: Annotated[Node, HIDDEN]
    weight: Share
    """Strength, kept to four decimals."""
    confidence: Share
    """Certainty, kept to four decimals."""
    inferred_by: InferredBy = InferredBy.RULES
    made_at: Moment
    role: SemanticRole | None = None
    """Part that `dst` plays in the statement of `src`; set on ROLE edges alone."""
    negated: Annotated[bool, UNLESS_EMPTY] = False
    modality: Annotated[
        Modality, Shown(write=lambda modality: None if modality == "actual" else modality)
    ] = "actual"
    event_at: Moment | None = None
    event_expression: str | None = None
    """Time of the event, as the speaker put it."""
    turn_id: str | None = None
    """Id of the turn from which the edge was concluded."""

    @model_validator(mode="after")
    def _check_role_and_ends(self) -> "Edge":
        if (self.type is EdgeType.ROLE) != (self.role is not None):
            raise ValueError("a ROLE edge has a role, and no other edge has one")
        if self.src == self.dst:
            raise ValueError("an edge has two different ends")
        return self


class Entity(Value):
    """A named thing, with the names that visible memories and turns use."""

    id: str
    node: Annotated[int, HIDDEN]
    """Number of the entity's node."""
    kind: EntityKind
    name: str
    """Oldest name that is still used."""
    aliases: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    distinct: str | None = None
    """Words that tell the entity from its namesakes, if a memory gave any."""
    mentions: int
    """Number of memories and turns that name the entity, counted up to a thousand."""
    canonical_id: Annotated[str | None, Shown("same_as")] = None
    """Id of the entity that this entity was joined with."""


class NameLink(Value):
    """A link between two nodes, without its weight."""

    src: Node
    type: EdgeType
    dst: Node
