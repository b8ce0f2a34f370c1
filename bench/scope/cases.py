"""Reading the statements into values."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from memoria.model import MemoryType
from memoria.model.base import Value

_CASES = Path(__file__).parent / "cases.jsonl"


class ScopeCase(Value):
    """A statement made in a project, and from where it is to be seen."""

    id: str
    language: Literal["en", "zh"]
    type: MemoryType
    statement: str
    expected: Literal["everywhere", "project"]


def scope_cases(path: Path = _CASES) -> Iterator[ScopeCase]:
    """The statements, in the file's order.

    Args:
        path: another file of the same form.

    Raises:
        pydantic.ValidationError: a line is no statement.
    """
    for line in path.read_text("utf-8").splitlines():
        yield ScopeCase.model_validate_json(line)
