"""Conversations with labels: what is said, and what somebody says should be remembered of it.

A file is checked when it is read: a label that names a turn which isn't there, or a fact whose own
statement lacks its words, would be counted as a fault of the product.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue, ValidationError

from memoria import Role, Turn
from memoria.model import to_millis
from memoria.model.base import Value

Key = tuple[str, str]
"""What a turn is known by: (session id, its number in the session from 0)."""
Words = tuple[tuple[str, ...], ...]
"""Of each of these one string has to stand in a sentence."""


def _check_key(text: str) -> str:
    session, _, number = text.rpartition(":")
    if not session or not number.isdecimal():
        raise ValueError(f"{text!r} names no turn; write the session and the number: s1:4")
    return text


Said = Annotated[tuple[Annotated[str, AfterValidator(_check_key)], ...], Field(min_length=1)]


class SpokenTurn(Value):
    """A turn as the file has it."""

    role: Role
    content: str = ""
    at: AwareDatetime
    speaker: str | None = None
    tool_name: str | None = None
    tool_args: JsonValue = None
    tool_result: JsonValue = None


class SpokenSession(Value):
    """What is said in one go, in a project or in none."""

    id: str
    workspace: str | None = None
    turns: Annotated[tuple[SpokenTurn, ...], Field(min_length=1)]

    def to_turns(self) -> list[Turn]:
        """The turns as they are recorded: each known by its session and its number."""
        return [
            Turn(session_id=self.id, message_id=str(number), **dict(turn))
            for number, turn in enumerate(self.turns)
        ]


class Fact(Value):
    """What should be remembered."""

    id: str
    statement: str
    said: Said
    words: Words
    state: Literal["current", "ended", "replaced"] = "current"
    scope: Literal["everywhere", "project"] | None = None
    kind: str = "fact"


class Change(Value):
    """A fact that takes another's place."""

    old: str
    new: str
    how: str


class Temporary(Value):
    """A fact that holds until the end of a day."""

    fact: str
    ends: date


class Trap(Value):
    """What must not become a memory."""

    said: Said
    never: str
    words: Words
    why: str


class Alias(Value):
    """The names that somebody or something goes by."""

    names: Annotated[tuple[str, ...], Field(min_length=2)]


class LabelledQuestion(Value):
    """What is asked in the end, which facts answer it and which no longer do."""

    ask: str
    facts: tuple[str, ...]
    outdated: tuple[str, ...] = Field((), alias="not")


class Labelled(Value):
    """A conversation and its labels."""

    name: str
    language: str
    source: str
    note: str = ""
    """What its labeller has to say of it."""
    sessions: Annotated[tuple[SpokenSession, ...], Field(min_length=1)]
    ask_on: date
    facts: tuple[Fact, ...]
    changes: tuple[Change, ...] = ()
    temporary: tuple[Temporary, ...] = ()
    traps: tuple[Trap, ...] = ()
    aliases: tuple[Alias, ...] = ()
    questions: tuple[LabelledQuestion, ...] = ()

    @property
    def asked_at(self) -> int:
        """The moment at which all is asked, UTC epoch ms: noon of the day."""
        return to_millis(datetime.combine(self.ask_on, time(12, tzinfo=UTC)))

    @property
    def in_order(self) -> list[SpokenSession]:
        """The sessions in the order in which they begin."""
        return sorted(self.sessions, key=lambda session: session.turns[0].at)

    def fact(self, fact_id: str) -> Fact:
        """The fact with this id."""
        return next(fact for fact in self.facts if fact.id == fact_id)

    def find_question(self, fact_id: str) -> str | None:
        """The question that a fact answers, one that names an outdated fact first."""
        asked = [one for one in self.questions if fact_id in one.facts]
        return min(asked, key=lambda one: not one.outdated).ask if asked else None

    def place_of(self, fact: Fact) -> str | None:
        """The project in which a fact was said first; None where it was said in none."""
        session, _ = key_of(fact.said[0])
        return next(one.workspace for one in self.sessions if one.id == session)


def key_of(said: str) -> Key:
    """What the turn is known by that a label names."""
    session, _, number = said.rpartition(":")
    return session, number


def holds_words(text: str, words: Words) -> bool:
    """Whether a text has one string of each list, in whatever case."""
    folded = text.casefold()
    return all(any(one.casefold() in folded for one in some) for some in words)


def read_labelled(folder: Path) -> list[Labelled]:
    """The labelled conversations of a folder, by name.

    Raises:
        ValueError: there is none, or one can't be read or contradicts itself; it says what is
            wrong.
    """
    files = sorted(folder.glob("*.json"))
    if not files:
        raise ValueError(f"There is no labelled conversation in {folder}.")
    return [_read_file(file) for file in files]


def _read_file(file: Path) -> Labelled:
    try:
        read = Labelled.model_validate_json(file.read_text("utf-8"))
    except ValidationError as error:
        raise ValueError(f"{file.name} can't be read: {_describe(error)}") from None
    if problems := [*_list_problems(read)]:
        raise ValueError(f"{file.name}: " + "; ".join(problems))
    return read


def _describe(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found[:5])


def _list_problems(read: Labelled) -> Iterator[str]:
    """What contradicts itself in a file."""
    yield from _list_missing_turns(read)
    yield from _list_missing_facts(read)
    yield from _list_disorder(read)
    for fact in read.facts:
        if not fact.words or not holds_words(fact.statement, fact.words):
            yield f"the statement of {fact.id} lacks its own words"


def _list_missing_turns(read: Labelled) -> Iterator[str]:
    known = {(one.id, str(number)) for one in read.sessions for number in range(len(one.turns))}
    labels = [(fact.id, fact.said) for fact in read.facts]
    labels += [(f"the trap {trap.never!r}", trap.said) for trap in read.traps]
    for name, said in labels:
        missing = (one for one in said if key_of(one) not in known)
        yield from (f"{name} names the turn {one}, which isn't there" for one in missing)


def _list_missing_facts(read: Labelled) -> Iterator[str]:
    counted = Counter(fact.id for fact in read.facts)
    yield from (f"there are {count} facts {one}" for one, count in counted.items() if count > 1)
    named = [one for change in read.changes for one in (change.old, change.new)]
    named += [one.fact for one in read.temporary]
    named += [one for asked in read.questions for one in (*asked.facts, *asked.outdated)]
    yield from (f"there is no fact {one}" for one in dict.fromkeys(named) if one not in counted)


def _list_disorder(read: Labelled) -> Iterator[str]:
    ids = Counter(session.id for session in read.sessions)
    yield from (f"there are {count} sessions {one}" for one, count in ids.items() if count > 1)
    for session in read.sessions:
        times = [turn.at for turn in session.turns]
        if times != sorted(times):
            yield f"the turns of {session.id} are not in the order of their times"
        if times[-1].date() > read.ask_on:
            yield f"{session.id} ends after ask_on"
