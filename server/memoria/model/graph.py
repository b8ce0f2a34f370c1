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
        """True if it says the same the other way round, and so is kept once."""
        return self in (EdgeType.SIMILAR_TO, EdgeType.CONTRADICTS)

    @property
    def is_extracted(self) -> bool:
        """True if a reader finds it in a memory's words: rules first, a model better."""
        return self in (EdgeType.ABOUT, EdgeType.MENTIONS, EdgeType.ROLE)


NodeKind = Literal["memory", "turn", "entity"]

Share = Annotated[float, Field(ge=0, le=1)]


class Node(NamedTuple):
    """An end of an edge."""

    kind: NodeKind
    id: str


class Edge(Value):
    """A link, as it is written and as it is shown."""

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
    """Part that `dst` plays in what `src` tells: of a ROLE edge, and only of one."""
    negated: Annotated[bool, UNLESS_EMPTY] = False
    modality: Annotated[
        Modality, Shown(write=lambda modality: None if modality == "actual" else modality)
    ] = "actual"
    event_at: Moment | None = None
    event_expression: str | None = None
    """Time of the event, as the speaker put it."""
    turn_id: str | None = None
    """Turn it was concluded from."""

    @model_validator(mode="after")
    def _check_role_and_ends(self) -> "Edge":
        if (self.type is EdgeType.ROLE) != (self.role is not None):
            raise ValueError("a ROLE edge has a role, and no other edge has one")
        if self.src == self.dst:
            raise ValueError("an edge has two different ends")
        return self


class Entity(Value):
    """A named thing, with the names it goes by in the memories seen from where was asked."""

    id: str
    node: Annotated[int, HIDDEN]
    """Number of its node in a graph expansion."""
    kind: EntityKind
    name: str
    """The first name it became known by that is still used."""
    aliases: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    distinct: str | None = None
    """Word that tells it from its namesakes, where a memory said one."""
    mentions: int
    """Number of memories that speak of it; counted up to a thousand."""
    canonical_id: Annotated[str | None, Shown("same_as")] = None
    """Entity it is the same as, where it was merged into one."""
