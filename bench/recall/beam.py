"""Long chats of a user and an assistant at work, with questions of ten types.

BEAM (M. Tavakoli et al., "Beyond a Million Tokens: Benchmarking and Enhancing Long-Term Memory in
LLMs", 2025): months of coding, maths, writing or planning in short requests and long answers, which
is what agents' clients have on record. Of ten types nine name the turns that answer; nothing
answers those of the tenth, `abstention`. An update and a contradiction name their two sides.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.data import BEAM_FILE, Conversation, DataSet, Key, Question
from memoria import Turn

ANSWERED = (
    "information_extraction", "multi_session_reasoning", "knowledge_update", "temporal_reasoning",
    "event_ordering", "contradiction_resolution", "summarization", "preference_following",
    "instruction_following",
)  # fmt: skip
"""The types of questions that name turns."""
ABSTENTION = "abstention"


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """A tenant for every chat."""
    chats = json.loads((folder / BEAM_FILE).read_text("utf-8"))
    return tuple(_conversation(chat) for chat in chats)


def _conversation(chat: Mapping[str, Any]) -> Conversation:
    turns = tuple(Turn.model_validate(turn) for turn in chat["turns"])
    keys = {str(turn.message_id): (str(turn.session_id), str(turn.message_id)) for turn in turns}
    questions = tuple(_question(asked, keys) for asked in chat["questions"])
    return Conversation(str(chat["chat"]), turns, questions)


def _question(asked: Mapping[str, Any], keys: Mapping[str, Key]) -> Question:
    def name(side: str) -> frozenset[Key]:
        return frozenset(keys[message] for message in asked[side])

    return Question(
        text=str(asked["question"]),
        category=str(asked["type"]),
        gold=name("gold"),
        older=name("older"),
        newer=name("newer"),
    )


BEAM = DataSet(
    files=(BEAM_FILE,),
    read=conversations,
    slices={
        **{kind: {kind} for kind in ANSWERED},
        ABSTENTION: {ABSTENTION},
        "overall": set(ANSWERED),
    },
)
"""`overall` is all that names turns."""
