"""Rulings: what a model makes of two statements side by side, or of one beside its source."""

from typing import Annotated, Literal

from pydantic import Field

from memoria.model.base import Value

Relation = Literal["same", "replaces", "contradicts", "different"]
"""What a new statement is to a known one."""
SupportVerdict = Literal["yes", "no", "unclear"]
"""Whether a statement follows from the words it rests on."""
_Number = Annotated[int, Field(ge=1)]


class Ruling(Value):
    """What the new statement of a pair is to the known one."""

    pair: _Number
    """The number of the pair in the prompt."""
    relation: Relation


class Rulings(Value):
    """One for each pair, if the model kept to the question."""

    rulings: Annotated[tuple[Ruling, ...], Field(max_length=40)]


class Check(Value):
    """Whether a statement is borne out."""

    statement: _Number
    """Its number in the prompt."""
    supported: SupportVerdict
    content: str | None = None
    """Of a statement of which only a part is borne out: that part, as a sentence."""


class Checks(Value):
    """One for each statement, if the model kept to the question."""

    checks: Annotated[tuple[Check, ...], Field(max_length=40)]
