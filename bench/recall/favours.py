"""Memories that match a question alike, of which one is favoured; and some that only seem to.

Written by hand before any search had been run on them (`weighted.jsonl`). Of two memories each is
favoured once, so that their words decide nothing: without boosts half of the first places are
right. A memory is favoured by one thing alone (`pinned`, `confirmed`, …). `answer` is the control:
the first memory answers, the second is about the same and has everything in its favour, and the
first is wanted.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from memoria.model import MemoryType
from memoria.model.base import Value

PAIRS = Path(__file__).parent / "weighted.jsonl"

Factor = Literal[
    "pinned", "confirmed", "upvoted", "used", "newer", "task", "important", "time", "answer"
]
Two = tuple[str, str]


class Pair(Value):
    """Two memories and a question that both match."""

    id: str
    factor: Factor
    language: Literal["en", "zh"]
    type: MemoryType
    question: str
    memories: Two
    tasks: Two | None = None
    """What each was learnt at, with `task`."""
    times: Two | None = None
    """When the favoured one and the other were so, with `time`."""


def pairs() -> Iterator[Pair]:
    """All pairs, by factor.

    Raises:
        pydantic.ValidationError: a line is no pair.
    """
    for line in PAIRS.read_text("utf-8").splitlines():
        yield Pair.model_validate_json(line)
