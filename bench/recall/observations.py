"""What LoCoMo's authors concluded from each turn, remembered, and the questions they ask.

A conclusion counts as the turn it was drawn from. Only questions whose evidence was concluded from
at all are asked, and only that part of it is gold: the rest is for the second level. Questions of
the fifth category are left out: nothing answers them but the lack of an answer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from bench.command import Asker
from bench.data import LOCOMO, Conversation, DataSet
from bench.floor import ask_floor
from bench.fts5 import ask_fts5
from bench.recall.conclusions import first_level
from memoria import Turn
from memoria.retrieval.query.options import Stages

_ASKED = (1, 2, 3, 4)


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """A tenant for every conversation, with what was concluded from it on record."""
    return tuple(_to_conclusions(each) for each in LOCOMO.read(folder))


def _to_conclusions(conversation: Conversation) -> Conversation:
    known = frozenset(each.source for each in conversation.observations)
    questions = (
        replace(each, gold=each.gold & known)
        for each in conversation.questions
        if each.category in _ASKED and each.gold & known
    )
    return replace(
        conversation, turns=tuple(_conclusions(conversation)), questions=tuple(questions)
    )


def _conclusions(conversation: Conversation) -> Iterator[Turn]:
    said = {(turn.session_id, turn.message_id): turn for turn in conversation.turns}
    for each in conversation.observations:
        yield said[each.source].model_copy(update={"content": each.text})


def systems() -> Mapping[str, Asker]:
    """What is asked."""
    return {
        "memoria": first_level(),
        "without graph": first_level("graph"),
        "without vectors": first_level("vectors"),
        "without text": first_level("text"),
        "without boosts": first_level(stages=Stages(boosts=False)),
        "without MMR": first_level(stages=Stages(diversity=False)),
        "fts5": ask_fts5,
        "bm25": ask_floor,
    }


OBSERVATIONS = DataSet(
    files=LOCOMO.files,
    read=conversations,
    slices={
        "multi-hop": {1},
        "temporal": {2},
        "open-domain": {3},
        "single-hop": {4},
        "overall": set(_ASKED),
    },
)
