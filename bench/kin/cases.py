"""Reading the questions into values."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from memoria.model.base import Value

_CASES = Path(__file__).parent / "cases.jsonl"


class KinFact(Value):
    """Something on record about one person, as a memory and as it was said."""

    id: str
    memory: str
    turn: str


class KinCase(Value):
    """A question about one person, and what is on record about this one and others."""

    id: str
    language: Literal["en", "zh"]
    question: str
    right: str | None
    """The fact that answers it; None where there is none, and every fact is somebody else's."""
    facts: tuple[KinFact, ...]


def kin_cases(path: Path = _CASES) -> Iterator[KinCase]:
    """The questions, in the file's order.

    Args:
        path: another file of the same form.

    Raises:
        pydantic.ValidationError: a line is no question.
    """
    for line in path.read_text("utf-8").splitlines():
        yield KinCase.model_validate_json(line)
