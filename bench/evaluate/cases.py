"""Histories, their questions, and what an answer counts as."""

import json
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from memoria import Turn
from memoria.language.words.characters import is_cjk
from memoria.model.base import Value

HISTORIES: Final = Path(__file__).parent / "histories"
_STEP: Final = timedelta(minutes=1)

Kind = Literal["recall", "update", "temporal", "multi", "harm", "unanswerable", "general"]
FROM_MEMORY: Final = frozenset({"recall", "update", "temporal", "multi", "harm"})
"""Kinds of questions that the record answers."""
Verdict = Literal["right", "wrong", "other", "silent"]
"""`wrong`: a string that shows it, or an answer to what was never said. `other`: neither string."""


class Question(Value):
    """A question with the strings by which its answer is scored."""

    id: str
    kind: Kind
    question: str
    asked_at: datetime
    answers: tuple[str, ...]
    wrong: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    """Of an update, the former values."""
    planted: str | None = None
    """False memory that is put beside the record."""

    def judge(self, answer: str | None) -> Verdict:
        """Return what an answer counts as; None is an admission of not knowing.

        An answer that has an accepted string and a wrong one is right: "was 180, now 214".
        """
        if self.kind == "unanswerable":
            return "right" if answer is None or holds_any(answer, self.answers) else "wrong"
        if answer is None:
            return "silent"
        if holds_any(answer, self.answers):
            return "right"
        return "wrong" if holds_any(answer, self.wrong) else "other"


class Said(Value):
    """Words of a session."""

    role: Literal["user", "assistant"]
    text: str


class Session(Value):
    """A session with its turns."""

    id: str
    at: datetime
    turns: tuple[Said, ...]

    def to_turns(self) -> list[Turn]:
        """Return its turns as they are recorded, a minute apart, each known by `S3:2`."""
        return [
            Turn(
                session_id=self.id,
                message_id=f"{self.id}:{place}",
                role=said.role,
                content=said.text,
                at=self.at + place * _STEP,
            )
            for place, said in enumerate(self.turns)
        ]


class History(Value):
    """What one person said over months, and what is asked."""

    id: str
    lang: Literal["en", "zh"]
    who: str
    """For people who read the file; no reader is told."""
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]

    def in_order(self) -> list[Session | Question]:
        """List sessions and questions by time, a session before a question of the same moment."""
        return sorted(
            (*self.sessions, *self.questions),
            key=lambda one: one.at if isinstance(one, Session) else one.asked_at,
        )


def read_histories(folder: Path) -> list[History]:
    """Read all histories, by name."""
    files = sorted(folder.glob("*.json"))
    return [History.model_validate(json.loads(file.read_text("utf-8"))) for file in files]


def holds_any(text: str, strings: Iterable[str]) -> bool:
    """Return whether a text holds one of the strings, whatever its capitals and apostrophes.

    Chinese strings stand anywhere, whatever the spaces; others as whole words, also in the plural.
    """
    said = text.casefold().replace("’", "'")
    return any(re.search(_make_pattern(one.casefold()), said) for one in strings)


def _make_pattern(wanted: str) -> str:
    if is_cjk(wanted):
        return r"\s*".join(map(re.escape, "".join(wanted.split())))
    return rf"(?<![a-z0-9]){re.escape(wanted)}(?:e?s)?(?![a-z0-9])"
