"""The invented world as a data set: what is found by names, and what the graph is needed for.

Asked of the whole first level, of the same without each of its sources, of one whose graph was made
by rules instead of a model, and of the floors.
"""

from collections.abc import Mapping
from pathlib import Path

from bench.command import Asker
from bench.data import Conversation, DataSet, Key, Question
from bench.floor import ask_floor
from bench.fts5 import ask_fts5
from bench.recall.conclusions import ConclusionNotes, first_level
from bench.recall.world import Statement, read_questions, read_statements
from memoria import Turn
from memoria.memories.wordings import Interpretation
from memoria.model import InferredBy
from memoria.retrieval.query.options import Stages

_NAME = "linked"
_KINDS = ("alias", "two_steps", "shared_name", "plain")
_LANGUAGES = ("en", "zh")
_CONFIDENCE = 0.8
"""How sure the model says it is."""


def conversations(_folder: Path) -> tuple[Conversation, ...]:
    """One tenant that has the world on record."""
    turns = (
        Turn(role="user", session_id=_NAME, message_id=each.id, content=each.content)
        for each in read_statements()
    )
    questions = (
        Question(each.question, (each.language, each.kind), frozenset(map(_key, each.gold)))
        for each in read_questions()
    )
    return (Conversation(_NAME, tuple(turns), tuple(questions)),)


def _key(memory: str) -> Key:
    return _NAME, memory


def _conclusion_notes(each: Statement, *, by_model: bool) -> ConclusionNotes:
    interpretation = Interpretation(
        mentions=each.entities,
        subject=each.subject,
        confidence=_CONFIDENCE,
        inferred_by=InferredBy.MODEL,
    )
    return ConclusionNotes(each.type, interpretation if by_model else None)


def systems() -> Mapping[str, Asker]:
    """What is asked."""
    read = {_key(each.id): _conclusion_notes(each, by_model=True) for each in read_statements()}
    typed = {_key(each.id): _conclusion_notes(each, by_model=False) for each in read_statements()}
    return {
        "memoria": first_level(notes=read),
        "graph by rules": first_level(notes=typed),
        "without graph": first_level("graph", notes=read),
        "without vectors": first_level("vectors", notes=read),
        "without text": first_level("text", notes=read),
        "without boosts": first_level(stages=Stages(boosts=False), notes=read),
        "without MMR": first_level(stages=Stages(diversity=False), notes=read),
        "fts5": ask_fts5,
        "bm25": ask_floor,
    }


SLICES = {
    **{kind: {(language, kind) for language in _LANGUAGES} for kind in (*_KINDS, "no_answer")},
    **{language: {(language, kind) for kind in _KINDS} for language in _LANGUAGES},
    "overall": {(language, kind) for language in _LANGUAGES for kind in _KINDS},
}
LINKED = DataSet((), conversations, SLICES)
