"""A world in which people say the same again and again, and questions about it.

Both were written by hand before any search had been run on them. `crowded_world.jsonl` holds the
things that are said: some once, some in five to eight slightly different wordings, a week apart (a
preference, a report that changes one number, a reminder in Chinese and English). The questions are
in `crowded.jsonl`. Their kinds: `together` needs two to four different things, of which one is
repeated; `repeats` are answered by the wordings themselves; `plain` is the control.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from memoria.model import MemoryType
from memoria.model.base import Value

_FOLDER = Path(__file__).parent
THINGS = _FOLDER / "crowded_world.jsonl"
QUESTIONS = _FOLDER / "crowded.jsonl"
_FIRST_DAY = datetime(2024, 3, 4, 9, tzinfo=UTC)
_DAYS = 7

ThingName = Annotated[str, Field(pattern=r"^[a-z_]+$")]
Gold = Annotated[str, Field(pattern=r"^[a-z_]+(/\d)?$")]
"""A thing in any wording, or one of its wordings: `run`, `run/2`."""


class Thing(Value):
    """Something that is said, in all its wordings."""

    id: ThingName
    type: MemoryType
    said: Annotated[tuple[str, ...], Field(min_length=1)]


class Asked(Value):
    """A question with the things that only together answer it."""

    id: str
    language: Literal["en", "zh"]
    kind: Literal["together", "repeats", "plain"]
    question: str
    gold: Annotated[tuple[Gold, ...], Field(min_length=1)]

    def count_answered(self, ranking: tuple[str, ...]) -> int:
        """How many different parts of the answer are among these wordings."""
        found = {*ranking, *(wording.partition("/")[0] for wording in ranking)}
        return len(found.intersection(self.gold))


class Wording(NamedTuple):
    """One wording of a thing, and when it was said."""

    id: str
    """Such as `run/2`."""
    type: MemoryType
    content: str
    at: datetime


def read_things() -> Iterator[Thing]:
    """What is said in the world.

    Raises:
        pydantic.ValidationError: a line is no thing.
    """
    for line in THINGS.read_text("utf-8").splitlines():
        yield Thing.model_validate_json(line)


def read_questions() -> Iterator[Asked]:
    """The questions, by kind.

    Raises:
        pydantic.ValidationError: a line is no question.
    """
    for line in QUESTIONS.read_text("utf-8").splitlines():
        yield Asked.model_validate_json(line)


def list_wordings() -> list[Wording]:
    """All that is said, in the order of time: a thing comes up once a week."""
    said = [
        Wording(f"{thing.id}/{n + 1}", thing.type, content, _moment(place, n))
        for place, thing in enumerate(read_things())
        for n, content in enumerate(thing.said)
    ]
    return sorted(said, key=lambda each: each.at)


def _moment(place: int, week: int) -> datetime:
    return _FIRST_DAY + timedelta(days=week * _DAYS + place % _DAYS, minutes=place)
