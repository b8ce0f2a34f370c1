"""Rulings: a model's verdicts on two statements side by side, or on one beside its source."""

from typing import Annotated, Literal

from pydantic import Field

from memoria.model.base import Value

Relation = Literal["same", "replaces", "contradicts", "different"]
"""Relation of a new statement to a known one."""
SupportVerdict = Literal["yes", "no", "unclear"]
"""Verdict on whether a statement follows from the words it rests on."""
_Number = Annotated[int, Field(ge=1)]


class Ruling(Value):
    """Relation of a pair's new statement to the known one."""

    pair: _Number
    """Number of the pair in the prompt."""
    relation: Relation


class Rulings(Value):
    """Rulings, one for each pair if the model kept to the question."""

    rulings: Annotated[tuple[Ruling, ...], Field(max_length=40)]


class Check(Value):
    """Verdict on whether a statement is borne out."""

    statement: _Number
    """Number in the prompt."""
    supported: SupportVerdict
    content: str | None = None
    """Part that is borne out, as a sentence, where it is only a part."""


class Checks(Value):
    """Checks, one for each statement if the model kept to the question."""

    checks: Annotated[tuple[Check, ...], Field(max_length=40)]
