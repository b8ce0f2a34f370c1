"""One measurement: a checkout records conversations into a home of its own, and is asked."""

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.checkouts import python_of
from bench.data import Conversation, Key
from bench.metrics import mean, recall_at
from bench.recording.record import LIMITS, Talk

_RECORD = Path(__file__).with_name("record.py")
_EXCHANGE = 2
WAYS: Mapping[str, int | None] = {"whole": None, "live": _EXCHANGE}
"""How many turns come in at a time."""
DEPTHS = (5, 10)

Rankings = Mapping[str, Sequence[Sequence[Key]]]
"""What every question finds, by level."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a set in one checkout."""

    turns: int
    cpu_s: float
    found: Rankings

    @property
    def cpu_s_per_1000(self) -> float:
        """CPU seconds for a thousand turns."""
        return self.cpu_s * 1000 / self.turns


def measure(conversations: Sequence[Conversation], way: str, checkout: Path) -> Recorded:
    """Have a checkout's `memoria` record conversations, and ask it their questions.

    Raises:
        subprocess.CalledProcessError: it could not.
    """
    talks = [_write_talk(one) for one in conversations]
    with tempfile.TemporaryDirectory(prefix="memoria-recording-") as folder:
        file = Path(folder) / "talks.json"
        file.write_text(json.dumps({"talks": talks, "at_once": WAYS[way]}), "utf-8")
        done = subprocess.run(  # noqa: S603  (a checkout's own Python)
            [python_of(checkout), str(_RECORD), str(Path(folder) / "home"), str(file)],
            cwd=checkout,
            env=os.environ | {"PYTHONPATH": str(checkout / "server")},
            stdout=subprocess.PIPE,
            check=True,
        )
    told = json.loads(done.stdout)
    found = {
        level: [[(session, message) for session, message in ranking] for ranking in rankings]
        for level, rankings in told["found"].items()
    }
    return Recorded(sum(len(one.turns) for one in conversations), told["cpu_s"], found)


def measure_recall(conversations: Sequence[Conversation], found: Rankings) -> dict[str, float]:
    """Recall at each level and depth, over the questions that something answers."""
    questions = [question for one in conversations for question in one.questions]
    return {
        f"{level} R@{depth}": mean(
            [
                recall_at(depth, question.credited(ranking), question.gold)
                for question, ranking in zip(questions, found[level], strict=True)
                if question.gold
            ]
        )
        for level in LIMITS
        for depth in DEPTHS
    }


def count_changed(found: Rankings, other: Rankings) -> int:
    """How many answers name other turns, or the same in another order."""
    return sum(
        ours != theirs
        for level in LIMITS
        for ours, theirs in zip(found[level], other[level], strict=True)
    )


def _write_talk(one: Conversation) -> dict[str, object]:
    talk = Talk(
        one.name,
        [turn.model_dump(mode="json", exclude_none=True) for turn in one.turns],
        [question.text for question in one.questions],
    )
    return {"name": talk.name, "turns": talk.turns, "questions": talk.questions}
