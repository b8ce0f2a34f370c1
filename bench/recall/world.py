"""An invented world of people, firms and projects, recorded as memories, and questions about it.

Both were written by hand, memories first, before any search had been run on them. The memories
(`linked_world.jsonl`) are in English and Chinese, as they would be stated to `remember`; beside
each stands what an extracting model would have said of it: the subject and the names, an alias only
in the memory whose words say that two names are one. The questions are in `linked.jsonl`. `gold` is
the memory that answers; one that merely leads there is not.

Kinds: `alias` asks by another name or in the other language, mostly without a word of the answer;
`two_steps` leads through what is not named (the boss of, the company that); `shared_name` asks for
one of several of a name; `plain` is the control; `no_answer` asks what was never recorded, half of
it about somebody who is known.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from memoria.model import MemoryType, Mention
from memoria.model.base import Value

_FOLDER = Path(__file__).parent
WORLD = _FOLDER / "linked_world.jsonl"
QUESTIONS = _FOLDER / "linked.jsonl"

Kind = Literal["alias", "two_steps", "shared_name", "plain", "no_answer"]
MemoryName = Annotated[str, Field(pattern=r"^m\d\d$")]


class Statement(Value):
    """A memory of the world, and what a model reads in it."""

    id: MemoryName
    type: MemoryType
    content: str
    subject: str
    entities: tuple[Mention, ...]


class Asked(Value):
    """A question with the memories that answer it; none where nothing does."""

    id: str
    language: Literal["en", "zh"]
    kind: Kind
    question: str
    gold: tuple[MemoryName, ...]


def read_statements(path: Path = WORLD) -> Iterator[Statement]:
    """The memories of the world, in the order they were stated.

    Raises:
        pydantic.ValidationError: a line is no memory.
    """
    for line in path.read_text("utf-8").splitlines():
        yield Statement.model_validate_json(line)


def read_questions(path: Path = QUESTIONS) -> Iterator[Asked]:
    """The questions, by kind.

    Raises:
        pydantic.ValidationError: a line is no question.
    """
    for line in path.read_text("utf-8").splitlines():
        yield Asked.model_validate_json(line)
