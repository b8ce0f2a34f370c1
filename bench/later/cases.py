"""The cases, and the talk among which they are told.

A file is JSON Lines. What a line has says what it is: `old`, `new` and `question` a correction,
`said` with a `request` or a `remark` something that bears on what comes later. Other wordings of a
question, written by somebody who saw the questions alone, are in a file of their own: `id` and
`queries`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from bench.data import locomo
from bench.recall.memorybank import chats
from memoria import Turn

CASES_A_HOME = 20
_BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
_DAYS = 60
"""Over so many days the first statements are spread."""
_DAYS_BETWEEN = 5
"""From a first statement to the one that corrects it."""


class Case(NamedTuple):
    """What somebody told, and what is asked later."""

    id: str
    language: str
    wanted: str
    """What an answer has to show."""
    outdated: str | None
    """What was told before that, and holds no longer."""
    question: str
    queries: tuple[str, ...] = ()

    @property
    def statements(self) -> tuple[str, ...]:
        """What is told, in its order."""
        return (self.wanted,) if self.outdated is None else (self.outdated, self.wanted)


@dataclass(frozen=True, slots=True)
class Group:
    """Cases of one language that are told in one home."""

    cases: tuple[Case, ...]
    turns: tuple[Turn, ...]


def read_cases(file: Path, wordings: Path | None) -> list[Case]:
    """Read a file of cases, each with its other wordings where there are any."""
    others = {} if wordings is None else {one["id"]: one["queries"] for one in _read(wordings)}
    return [_read_case(line, others.get(line["id"], ())) for line in _read(file)]


def make_groups(
    cases: Sequence[Case], others: int, folder: Path, at_most: int | None
) -> list[Group]:
    """Put the cases into homes with talk of others around them.

    Args:
        cases: what is told.
        others: how many other turns a home has.
        folder: of the public data.
        at_most: homes of each language; None for as many as the cases fill.
    """
    groups = []
    for language in dict.fromkeys(case.language for case in cases):
        own = [case for case in cases if case.language == language]
        talk = list_talk(folder, language, others) if others else []
        starts = range(0, len(own), CASES_A_HOME)[:at_most]
        parts = [tuple(own[start : start + CASES_A_HOME]) for start in starts]
        groups += [Group(part, tuple(_tell(part, talk))) for part in parts]
    return groups


def list_talk(folder: Path, language: str, most: int) -> list[tuple[str, str | None, str]]:
    """List what else is said: role, speaker and words. One of two friends is the user."""
    if language == "zh":
        turns = (turn for each in chats(folder) if each.language == "zh" for turn in each.turns)
        return [(turn.role, None, turn.content) for turn in islice(turns, most)]
    talks = (turn for each in locomo(folder) for turn in _as_user(each.turns))
    return list(islice(talks, most))


def message_id(case: Case, statement: str) -> str:
    """Return the id of the message in which a case's statement is told."""
    return f"{case.id}:{case.statements.index(statement)}"


def _as_user(turns: Sequence[Turn]) -> Iterator[tuple[str, str | None, str]]:
    me = turns[0].speaker
    for turn in turns:
        yield "user", None if turn.speaker == me else turn.speaker, turn.content


def _tell(cases: Sequence[Case], talk: Sequence[tuple[str, str | None, str]]) -> Iterator[Turn]:
    """Tell the cases over weeks, with the talk spread evenly between."""
    step = timedelta(days=_DAYS) / max(len(cases), 1)
    told = [
        (_BEGIN + place * step + nth * timedelta(days=_DAYS_BETWEEN), "user", None, words, key)
        for place, case in enumerate(cases)
        for nth, words in enumerate(case.statements)
        for key in [message_id(case, words)]
    ]
    whole = timedelta(days=_DAYS + _DAYS_BETWEEN) / max(len(talk), 1)
    around = (
        (_BEGIN + timedelta(minutes=7) + place * whole, role, speaker, words, f"talk:{place}")
        for place, (role, speaker, words) in enumerate(talk)
    )
    for at, role, speaker, words, key in sorted([*told, *around], key=lambda one: one[0]):
        yield Turn(
            session_id=f"{at:%Y-%m-%d}",
            message_id=key,
            role=role,
            speaker=speaker,
            content=words,
            at=at,
        )


def _read_case(line: Mapping[str, Any], queries: Sequence[str]) -> Case:
    if "said" in line:
        asked = line.get("request") or line["remark"]
        return Case(line["id"], line["lang"], line["said"], None, asked, tuple(queries))
    old, new = line["old"], line["new"]
    if line.get("right") == "old":
        old, new = new, old
    return Case(line["id"], line["lang"], new, old, line["question"], tuple(queries))


def _read(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, filter(None, file.read_text("utf-8").splitlines()))
