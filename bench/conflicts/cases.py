"""Reading the cases into values."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from memoria.model.base import Value
from memoria.model.operation import Operation
from memoria.model.turn import EventTime

_CASES = Path(__file__).parent / "cases.jsonl"

Kind = Literal[
    "correction",
    "move",
    "preference_change",
    "passed_state",
    "namesake",
    "plural",
    "refinement",
    "repetition",
    "hearsay",
    "joke",
    "retraction",
    "plan",
    "number",
    "negation",
]
"""In what way the statements of a case meet."""


class Proposal(Value):
    """An operation that a good model would propose."""

    operation: Annotated[Operation, Field(discriminator="op")]
    """Its `id` is the label of an earlier proposal, its `turn` counts the case's turns from 1."""
    label: str | None = None
    """What later proposals call the memory that this one adds."""


class Said(Value):
    """One turn of a case."""

    role: Literal["user", "assistant", "tool"]
    text: str
    at: EventTime
    proposed: tuple[Proposal, ...] = ()


class Superseded(Value):
    """A wording that was held true, and the one that took its place."""

    content: str
    superseded_by: str


class Case(Value):
    """Turns, what is proposed for them, and what must hold when all have been looked at."""

    id: str
    language: Literal["en", "zh"]
    kind: Kind
    turns: tuple[Said, ...]
    current: tuple[str, ...]
    """What is active, best first."""
    history: tuple[Superseded, ...]
    kept_both: bool
    """Nothing may be superseded: what looks like a conflict is none."""
    absent: tuple[str, ...]
    """Must not be believed: neither active nor in the history of what is."""
    repeats: tuple[str, ...]
    """Proposed in other words than the current one: evidence for it, no memory of its own."""

    @property
    def operations(self) -> tuple[tuple[int, Proposal], ...]:
        """Every proposal with the number of its turn, from 1."""
        return tuple(
            (number, proposal)
            for number, said in enumerate(self.turns, 1)
            for proposal in said.proposed
        )


def cases(path: Path = _CASES) -> Iterator[Case]:
    """The cases, in the file's order.

    Args:
        path: another file of the same form.

    Raises:
        pydantic.ValidationError: a line is no case.
    """
    for line in path.read_text("utf-8").splitlines():
        yield Case.model_validate_json(line)
