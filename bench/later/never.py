"""Asks what was never said, far from all that was told and near to it, and what can be answered."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NotRequired, TypedDict

import memoria
from bench.metrics import mean
from memoria import Memoria, SearchResult, Turn

_KINDS = ("far", "near", "answerable")
_BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)


Life = Mapping[str, Any]


class Report(TypedDict):
    """What a run has found."""

    figures: dict[str, dict[str, float]]
    cases: NotRequired[list[Mapping[str, object]]]


def is_of_lives(file: Path) -> bool:
    """Return whether a file has lives with questions, a line each, and not cases."""
    return "facts" in json.loads(file.read_text("utf-8").partition("\n")[0])


def read_lives(file: Path) -> list[Life]:
    """Read what somebody told, and the questions about it that have an answer or none."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]


async def ask_lives(lives: Sequence[Life]) -> Report:
    """Tell each life in a home of its own; return what share of answers says that nothing fits."""
    figures = {}
    for life in lives:
        with TemporaryDirectory(prefix="memoria-bench-") as folder:
            async with memoria.open(Path(folder) / "home", "never") as m:
                await m.record_conversation(_tell(life["facts"]))
                await m.wait_until_idle()
                for kind in _KINDS:
                    figures[f"{life['lang']} {kind}"] = await _ask(m, life[kind])
    return {"figures": figures}


async def _ask(m: Memoria, questions: Sequence[str | Mapping[str, str]]) -> dict[str, float]:
    texts = [one if isinstance(one, str) else one["question"] for one in questions]
    found = [await m.search_memory(text) for text in texts]
    return {
        "questions": len(texts),
        "said that nothing fits": mean([not _claims(one) for one in found]),
        "silent": mean([not one.hits for one in found]),
        "tokens": mean([one.tokens for one in found]),
    }


def _claims(found: SearchResult) -> bool:
    """Return whether an answer says that it answers."""
    return bool(getattr(found, "answered", bool(found.hits)))


def _tell(facts: Sequence[str]) -> list[Turn]:
    return [
        Turn(session_id=f"{at:%Y-%m-%d}", message_id=f"fact:{n}", role="user", content=words, at=at)
        for n, words in enumerate(facts)
        for at in [_BEGIN + timedelta(days=n)]
    ]
