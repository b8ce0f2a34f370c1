"""What a stand-in for a model says, in the words of no client."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Say:
    """An answer in words, which ends the turn."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of a tool, by the name under which the client lists it."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


Reply = Say | Call
Script = Sequence[Reply]
"""The n-th request of a conversation is given the n-th reply; those after the last one, END."""

END = Say("That is all.")


@dataclass(frozen=True)
class Asked:
    """A request that reached a stand-in."""

    path: str
    body: Mapping[str, Any]
    after_s: float
    """Since the stand-in began to listen."""
    is_turn: bool
    """Whether it continues the conversation; clients ask for titles and the like as well."""
