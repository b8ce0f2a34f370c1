"""What a child told over a year, asked for by a remark on which it bears: no question, no request.

J. He et al., "MADial-Bench: Towards Real-world Evaluation of Memory-Augmented Dialogue Generation"
(2024). An event is a session of its day; asked are the last two things said before an assistant
should remember.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.data import Conversation, DataSet, Question
from memoria import Turn

_FILE = Path("madial") / "madial_dev.json"
LANGUAGES = ("en", "zh")


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """A tenant for each language."""
    told = json.loads((folder / _FILE).read_text("utf-8"))
    return tuple(_conversation(each) for each in told)


def _conversation(told: Mapping[str, Any]) -> Conversation:
    language = str(told["lang"])
    turns = tuple(Turn.model_validate(turn) for turn in told["turns"])
    keys = {str(turn.message_id): (str(turn.session_id), str(turn.message_id)) for turn in turns}
    asked = (
        Question(
            text=str(each["question"]),
            category=language,
            gold=frozenset(keys[message] for message in each["gold"] if message in keys),
        )
        for each in told["questions"]
    )
    return Conversation(f"madial-{language}", turns, tuple(each for each in asked if each.gold))


MADIAL = DataSet(
    files=(_FILE,),
    read=conversations,
    slices={**{language: {language} for language in LANGUAGES}, "overall": set(LANGUAGES)},
)
