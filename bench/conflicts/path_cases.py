"""Reading the cases of `paths.jsonl`: what is done on one write path, and what must hold then."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from memoria.model import MemoryType, Relation
from memoria.model.base import Value
from memoria.model.turn import EventTime

_CASES = Path(__file__).parent / "paths.jsonl"

WritePath = Literal["explicit", "rules", "model", "night", "hand edit"]
"""The way in which the statements of a case become memories."""
PathKind = Literal[
    "correction",
    "move",
    "preference_change",
    "negation",
    "number",
    "refinement",
    "plural",
    "namesake",
    "passed_state",
    "plan",
    "other_person",
    "other_project",
    "unsure",
    "rule",
    "repetition",
]
"""In what way they meet."""


class ScriptedOperation(Value):
    """An operation that a good model would propose; `id` is the label of an earlier one."""

    operation: Mapping[str, JsonValue]
    label: str | None = None


class RememberStep(Value):
    """An agent calls `remember`."""

    do: Literal["remember"]
    text: str
    type: MemoryType


class SayStep(Value):
    """The user says something, and it is recorded."""

    do: Literal["say"]
    text: str
    at: EventTime | None = None
    proposed: tuple[ScriptedOperation, ...] = ()


class EditStep(Value):
    """The user changes the line of a core file in which some words stand."""

    do: Literal["edit"]
    old: str
    new: str


class AddLineStep(Value):
    """The user writes a line into a core file, below one of our headings or one of their own."""

    do: Literal["add"]
    file: Literal["MEMORY.md", "USER.md", "PERSONA.md"]
    heading: str
    """`ours`, or a heading of the user's own."""
    text: str


class ScriptedRuling(Value):
    """What a good model would say of two statements side by side."""

    new: str
    known: str
    relation: Relation


class NightStep(Value):
    """Nightly maintenance runs."""

    do: Literal["night"]
    rulings: tuple[ScriptedRuling, ...] = ()


Step = Annotated[
    RememberStep | SayStep | EditStep | AddLineStep | NightStep, Field(discriminator="do")
]


class Change(Value):
    """A wording that was believed, and the one that is believed now."""

    old: str
    new: str


class PathCase(Value):
    """Steps, and what must hold after them.

    A wording that ends in a full stop ends a sentence, any other stands anywhere in a text. A bar
    divides wordings of which one will do, where rules put a statement into the third person.
    """

    id: str
    path: WritePath
    language: Literal["en", "zh"]
    kind: PathKind
    steps: tuple[Step, ...]
    ask: str
    """A question to which the first of `current` is the answer."""
    current: tuple[str, ...]
    """What is believed; the first comes first when asked."""
    replaced: tuple[Change, ...] = ()
    """The old wording is history."""
    settled: tuple[Change, ...] = ()
    """The old wording is history, or both are marked."""
    fuller: tuple[Change, ...] = ()
    """The new wording says more; what becomes of the old one is left open."""
    marked: tuple[tuple[str, str], ...] = ()
    """Both are believed, each is marked as contradicting the other, and either may come first."""
    one_of: tuple[tuple[str, ...], ...] = ()
    """Exactly one of these wordings is believed."""
    ending: tuple[str, ...] = ()
    """Believed with an end."""
    lasting: tuple[str, ...] = ()
    """Believed without an end."""
    stays: tuple[str, ...] = ()
    """Stands in the core file it was written into, after the night as before."""
    rulings: tuple[ScriptedRuling, ...] = ()
    """What a model says of two statements whenever it is asked."""
    at: EventTime | None = None
    """The moment of the question; just after the last step by default."""


def path_cases(path: Path = _CASES) -> Iterator[PathCase]:
    """The cases, in the file's order.

    Args:
        path: another file of the same form.

    Raises:
        pydantic.ValidationError: a line is no case.
    """
    for line in path.read_text("utf-8").splitlines():
        yield PathCase.model_validate_json(line)
