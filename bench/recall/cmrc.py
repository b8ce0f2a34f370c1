"""CMRC 2018's trial passages as what was said to a Chinese tenant: find the passage that answers.

Y. Cui et al., "A Span-Extraction Dataset for Chinese Machine Reading Comprehension" (2019). Every
passage is a session of one turn, so that none is another's neighbour.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.data import Conversation, DataSet, Question
from memoria import Turn

_FILE = Path("cmrc2018") / "cmrc2018_trial.json"
_FIRST = datetime(2018, 1, 1, tzinfo=UTC)
"""Passages have no date: a day each."""
CATEGORY = "cmrc"


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """One tenant that has every passage on record."""
    articles = json.loads((folder / _FILE).read_text("utf-8"))["data"]
    passages = [passage for article in articles for passage in article["paragraphs"]]
    turns = tuple(_turn(day, str(passage["context"])) for day, passage in enumerate(passages))
    asked = tuple(q for day, passage in enumerate(passages) for q in _questions(day, passage))
    return (Conversation("cmrc", turns, asked),)


def _turn(day: int, content: str) -> Turn:
    at = _FIRST + timedelta(days=day)
    return Turn(session_id=f"p{day}", message_id="1", role="user", content=content, at=at)


def _questions(day: int, passage: Mapping[str, Any]) -> Iterator[Question]:
    """Two of the trial's questions are empty and left out."""
    for asked in passage["qas"]:
        if text := str(asked["question"]).strip():
            gold = frozenset({(f"p{day}", "1")})
            told = next(iter(asked.get("answers", ())), {"text": ""})
            yield Question(text, CATEGORY, gold, answer=str(told["text"]))


CMRC = DataSet((_FILE,), conversations, {"overall": {CATEGORY}})
