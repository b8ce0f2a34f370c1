"""What a user told of their days in Chinese, among four hundred messages of other chats.

MemDaily (Z. Zhang et al., "MemSim: A Bayesian Simulator for Evaluating Memory of LLM-based Personal
Assistants", 2024): trajectories of a few messages, a question each, of six classes; a `noisy`
question talks of other things before it asks. A trajectory by itself is shorter than an answer, so
each tenant has whole days of MemoryBank's Chinese chats on record too, drawn with a fixed seed.
"""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.data import Conversation, DataSet, Question
from bench.recall.memorybank import SAME_LANGUAGE, chats
from memoria import Turn

_FILE = Path("memdaily") / "memdaily_dev.json"
_SEED = 20_261_123
_NOISE = 400
"""Messages of other chats in each tenant, or the few more that end a day."""
CLASSES = ("simple", "conditional", "comparative", "aggregative", "post_processing", "noisy")

_Day = tuple[Turn, ...]


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """A tenant for every trajectory."""
    trajectories = json.loads((folder / _FILE).read_text("utf-8"))
    days = _list_days(folder)
    return tuple(_conversation(n, each, days) for n, each in enumerate(trajectories, 1))


def _list_days(folder: Path) -> list[_Day]:
    """The days of all Chinese users of MemoryBank, a session each."""
    days: dict[str, list[Turn]] = {}
    for number, each in enumerate(chats(folder), 1):
        for turn in each.turns if each.language == "zh" else ():
            session = f"chat-{number:02}-{turn.session_id}"
            days.setdefault(session, []).append(turn.model_copy(update={"session_id": session}))
    return [tuple(day) for day in days.values()]


def _conversation(number: int, told: Mapping[str, Any], days: Sequence[_Day]) -> Conversation:
    name = f"memdaily-{number:02}"
    turns = tuple(Turn.model_validate(turn) for turn in told["turns"])
    keys = {str(turn.message_id): (str(turn.session_id), str(turn.message_id)) for turn in turns}
    questions = (
        Question(
            text=str(asked["question"]),
            category=str(told["kind"]),
            gold=frozenset(keys[message] for message in asked["gold"]),
            answer=str(asked["answer"]),
        )
        for asked in told["questions"]
    )
    return Conversation(name, (*_draw_noise(name, days), *turns), tuple(questions))


def _draw_noise(name: str, days: Sequence[_Day]) -> list[Turn]:
    """Whole days until there are messages enough, in the order of time."""
    drawn: list[Turn] = []
    for day in random.Random(f"{_SEED} {name}").sample(days, len(days)):  # noqa: S311  (a sample, no secret)
        if len(drawn) >= _NOISE:
            break
        drawn += day
    return sorted(drawn, key=lambda turn: (str(turn.at), str(turn.session_id)))


MEMDAILY = DataSet(
    files=(_FILE, *SAME_LANGUAGE.files),
    read=conversations,
    slices={**{kind: {kind} for kind in CLASSES}, "overall": set(CLASSES)},
)
