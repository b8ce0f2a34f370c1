"""The MemoryBank chats, fifteen users by ten days in Chinese and in English, as data sets.

W. Zhong et al., "MemoryBank: Enhancing Large Language Models with Long-Term Memory" (2024). Its own
probing questions name no turns; the questions asked here are marked by hand, see `gold.py`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from bench.data import Conversation, DataSet, Key, Question
from bench.recall.gold import CROSS_LANGUAGE, MEMORYBANK, Marked, read_marked
from memoria import Turn

_FOLDER = Path("memorybank")
_FILES = {"zh": _FOLDER / "memory_bank_cn.json", "en": _FOLDER / "memory_bank_en.json"}
_KINDS = ("direct", "paraphrased", "dated", "two_turns")
_NOON = 12
"""MemoryBank dates days, not exchanges: a day's turns follow each other from noon on."""
_BETWEEN_TURNS_S = 30


@dataclass(frozen=True, slots=True)
class Chats:
    """All that one user and the assistant said to each other."""

    user: str
    language: str
    turns: tuple[Turn, ...]
    """A day is a session, an exchange two turns; a turn's id is its day and number, `day:n`."""


def chats(folder: Path) -> Iterator[Chats]:
    """Every user's chats, Chinese ones first."""
    for language, name in _FILES.items():
        users = json.loads((folder / name).read_text("utf-8"))
        for user, record in users.items():
            yield Chats(user.strip(), language, tuple(_turns(record["history"])))


def _turns(history: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[Turn]:
    for day, exchanges in history.items():
        noon = datetime.fromisoformat(day).replace(hour=_NOON, tzinfo=UTC)
        said = [exchange[part] for exchange in exchanges for part in ("query", "response")]
        for i, content in enumerate(said):
            yield Turn(
                session_id=day,
                message_id=f"{day}:{i + 1}",
                role="assistant" if i % 2 else "user",
                content=content,
                at=noon + timedelta(seconds=_BETWEEN_TURNS_S * i),
            )


def conversations(folder: Path, questions: Path) -> tuple[Conversation, ...]:
    """A tenant for every user whom the questions are about.

    Args:
        folder: where the data sets are.
        questions: a file of marked questions.
    """
    asked = [*read_marked(questions)]
    made = (
        Conversation(
            f"{each.language}-{number:02}",
            each.turns,
            tuple(_question(one) for one in asked if one.user == each.user),
        )
        for number, each in enumerate(chats(folder), 1)
    )
    return tuple(each for each in made if each.questions)


def _question(one: Marked) -> Question:
    pieces = [[_key(turn) for turn in piece] for piece in one.gold]
    return Question(
        text=one.question,
        category=(one.language, one.kind),
        gold=frozenset(piece[0] for piece in pieces),
        counts_as={turn: piece[0] for piece in pieces for turn in piece},
    )


def _key(turn: str) -> Key:
    return turn.partition(":")[0], turn


SLICES = {
    **{f"{lang} {kind}": {(lang, kind)} for lang in _FILES for kind in _KINDS},
    **{kind: {(lang, kind) for lang in _FILES} for kind in _KINDS},
    **{lang: {(lang, kind) for kind in _KINDS} for lang in _FILES},
    "overall": {(lang, kind) for lang in _FILES for kind in _KINDS},
}
"""By the question's language and its kind."""

SAME_LANGUAGE = DataSet(
    tuple(_FILES.values()), partial(conversations, questions=MEMORYBANK), SLICES
)
OTHER_LANGUAGE = DataSet(
    tuple(_FILES.values()), partial(conversations, questions=CROSS_LANGUAGE), SLICES
)
