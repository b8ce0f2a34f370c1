"""Conclusions that come from outside: an agent's, and another program's memories."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field

from memoria.model.base import UNLESS_EMPTY, Value
from memoria.model.memory import Scope, StatementStatus
from memoria.model.memory_types import MemoryType, ProposableType
from memoria.model.operation import Mention

MOST_CONCLUSIONS = 50
"""Largest number of conclusions in one call."""
_MOST_ENTITIES = 8
_Line = Annotated[str, Field(min_length=1, max_length=500)]
_Name = Annotated[str, Field(min_length=1, max_length=100)]


def _read_number(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _read_name(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class AgentConclusion(Value):
    """A conclusion of an agent from a turn that it has read."""

    content: _Line
    """One sentence that stands by itself, in the language of its source."""
    quote: _Line
    """Words of the turn from which the conclusion follows, verbatim."""
    turn_id: Annotated[
        str,
        BeforeValidator(_read_number),
        Field(min_length=1, max_length=40, validation_alias=AliasChoices("turn_id", "turn")),
    ]
    """The turn: its number on the page, or its id."""
    subject: _Name
    """Person or thing that the conclusion is about: `user`, or a name."""
    type: ProposableType | None = None
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5
    until: Annotated[str, Field(max_length=100)] | None = None
    supersedes: Annotated[str, Field(max_length=40)] | None = None
    """Id of the memory that no longer holds."""
    scope: Scope | None = None
    task: _Name | None = None
    entities: Annotated[
        tuple[Annotated[Mention, BeforeValidator(_read_name)], ...],
        Field(max_length=_MOST_ENTITIES),
    ] = ()


class KeptConclusion(Value):
    """A conclusion that was taken on."""

    number: int
    """Place among the conclusions handed in, from 1."""
    id: str
    """Id of the memory that now has the conclusion."""
    status: StatementStatus
    notes: Annotated[tuple[str, ...], UNLESS_EMPTY] = ()
    """Remarks on the conclusion, a sentence each."""


class RefusedConclusion(Value):
    """A conclusion that was not taken on."""

    number: int
    reason: str
    turn_id: str | None = None
    """End of the id of the turn that the conclusion names, if the turn is on the page."""


class UnreadLeft(Value):
    """Turns that nobody has read yet."""

    turns: int
    """Number of unread turns, counted up to a bound."""
    is_more: bool = False
    next_page: str | None = None


class HandedIn(Value):
    """Outcome of conclusions that were handed in together."""

    kept: tuple[KeptConclusion, ...] = ()
    refused: tuple[RefusedConclusion, ...] = ()
    left: UnreadLeft | None = None
    """Unread turns, where a page was handed in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignMemory:
    """A conclusion of another program. Times are UTC epoch milliseconds."""

    key: str
    """Id in the other program."""
    content: str
    at: int
    """Time at which the program wrote this wording, or the latest possible time."""
    created_at: int | None = None
    """Time at which the program wrote the first wording, if known."""
    kind: MemoryType = MemoryType.FACT
    author: str | None = None
    """Writer in the other program: a user, an agent, an application."""
    subject: str | None = None
    mentions: tuple[Mention, ...] = ()
    importance: float | None = None
    expires_at: int | None = None
