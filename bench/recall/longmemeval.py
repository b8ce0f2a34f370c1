"""Haystacks of LongMemEval: find the sessions that hold the answer.

D. Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory" (2025). A
session is found with any of its turns and counted once. Its ids give away which sessions hold an
answer and where each came from, so every session is named by its place in the haystack instead.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.data import Conversation, DataSet, Question
from memoria import Turn

_FILE = Path("longmemeval_mini") / "mn_3haystacks.json"
_BETWEEN_TURNS_S = 30
"""LongMemEval dates sessions, not turns."""
_FIRST_TURN = "1"
CATEGORY = "sessions"


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """A tenant for every haystack."""
    haystacks = json.loads((folder / _FILE).read_text("utf-8"))
    return tuple(_conversation(number, each) for number, each in enumerate(haystacks, 1))


def _conversation(number: int, haystack: Mapping[str, Any]) -> Conversation:
    turns = tuple(_turns(haystack))
    names = {old: f"s{place}" for place, old in enumerate(haystack["haystack_session_ids"], 1)}
    firsts = {
        (str(turn.session_id), str(turn.message_id)): (str(turn.session_id), _FIRST_TURN)
        for turn in turns
    }
    asked = zip(haystack["questions"], haystack["answer_session_ids"], strict=True)
    questions = (
        Question(str(text), CATEGORY, frozenset((names[old], _FIRST_TURN) for old in gold), firsts)
        for text, gold in asked
    )
    return Conversation(f"haystack-{number}", turns, tuple(questions))


def _turns(haystack: Mapping[str, Any]) -> Iterator[Turn]:
    sessions = zip(haystack["haystack_sessions"], haystack["haystack_dates"], strict=True)
    for place, (session, date) in enumerate(sessions, 1):
        start = datetime.strptime(date, "%Y/%m/%d (%a) %H:%M").replace(tzinfo=UTC)
        for i, said in enumerate(session):
            yield Turn(
                session_id=f"s{place}",
                message_id=str(i + 1),
                role=said["role"],
                content=said["content"],
                at=start + timedelta(seconds=_BETWEEN_TURNS_S * i),
            )


LONGMEMEVAL = DataSet((_FILE,), conversations, {"overall": {CATEGORY}})
