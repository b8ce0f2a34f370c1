"""Operations: what a model may propose to do with memories after it has read a conversation.

The names and their meaning are the design's; a store never sees one before `policy` and
`ingest/resolve` have checked it.
"""

from typing import Annotated, Literal

from pydantic import Field

from memoria.model.base import Value
from memoria.model.memory_types import ProposableType

Duration = Literal["permanent", "30d", "7d", "3d", "24h", "session"]
"""How long a conclusion is likely to hold."""
EntityKind = Literal["person", "organisation", "place", "product", "event", "other"]
SemanticRole = Literal[
    "agent",
    "patient",
    "location",
    "time",
    "manner",
    "instrument",
    "recipient",
    "cause",
    "beneficiary",
]
Modality = Literal["actual", "planned", "wished", "possible", "hearsay", "joking"]
"""Whether it is simply so."""
LinkType = Literal["ABOUT", "CAUSES", "SUPPORTS", "CONTRADICTS", "REFERS_TO", "SIMILAR_TO"]
"""Edges that a model may propose; the others follow from what is stored."""

_Share = Annotated[float, Field(ge=0, le=1)]
_Line = Annotated[str, Field(min_length=1, max_length=500)]
_Until = Annotated[str, Field(max_length=100)] | None
"""When it ends, as the speaker put it, or as a date: `until Friday`, 到周五. It counts before the
duration."""
_Name = Annotated[str, Field(min_length=1, max_length=100)]


class Mention(Value):
    """A named thing that a conclusion speaks of, and the part it plays there."""

    name: _Name
    kind: EntityKind = "other"
    role: SemanticRole | None = None
    aliases: Annotated[tuple[_Name, ...], Field(max_length=5)] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The name and its aliases."""
        return (self.name, *self.aliases)


class Add(Value):
    """A new conclusion."""

    op: Literal["ADD"] = "ADD"
    type: ProposableType
    content: _Line
    """One sentence that stands by itself, in the language of its source."""
    quote: _Line
    """The words it rests on, exactly as they stand in the turn."""
    turn: Annotated[int, Field(ge=1)]
    """The number of the turn in the prompt."""
    subject: _Name
    """Of whom or what it speaks."""
    predicate: _Name
    """What of the subject: `home`, `editor`, `allergy`. The same property has the same name."""
    importance: _Share = 0.5
    confidence: _Share = 0.7
    duration: Duration = "permanent"
    until: _Until = None
    entities: Annotated[tuple[Mention, ...], Field(max_length=8)] = ()
    event_time: Annotated[str, Field(max_length=100)] | None = None
    """When what it tells of happened, as the speaker put it: `last Friday`, `上周三`."""
    task: _Name | None = None
    """The task it belongs to, where it holds for one alone."""
    negated: bool = False
    modality: Modality = "actual"


class Update(Value):
    """A known memory, in other words or with another content."""

    op: Literal["UPDATE"] = "UPDATE"
    id: _Name
    content: _Line
    quote: _Line
    turn: Annotated[int, Field(ge=1)]
    reason: Literal["correction", "change", "detail"]
    """It was wrong, it was right and has changed, or more is known now."""
    event_time: Annotated[str, Field(max_length=100)] | None = None
    duration: Duration = "permanent"
    """How long the new wording is likely to hold; the former one's end is over with it."""
    until: _Until = None


class Boost(Value):
    """A known memory that shaped the reply."""

    op: Literal["BOOST"] = "BOOST"
    id: _Name


class Delete(Value):
    """A known memory that the user took back."""

    op: Literal["DELETE"] = "DELETE"
    id: _Name
    quote: _Line
    turn: Annotated[int, Field(ge=1)]


class Link(Value):
    """A relation between two known memories."""

    op: Literal["LINK"] = "LINK"
    src: _Name
    type: LinkType
    dst: _Name


class Skip(Value):
    """Nothing here is worth keeping."""

    op: Literal["SKIP"] = "SKIP"
    reason: Annotated[str, Field(max_length=200)] = ""


class Focus(Value):
    """What the user is working on."""

    task: Annotated[str, Field(min_length=1, max_length=120)]
    quote: _Line
    """The words of the user that say so."""
    turn: Annotated[int, Field(ge=1)]


Operation = Add | Update | Boost | Delete | Link | Skip
