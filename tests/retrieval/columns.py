"""The columns of a ranking, written and read as mappings."""

from collections.abc import Mapping, Sequence

import numpy as np

from memoria.language.asking.aim import find_wish, read_saying
from memoria.model import Role
from memoria.retrieval.ranking.evidence.columns import Places, Scores
from memoria.retrieval.ranking.evidence.lexical import TermCounts, count_terms
from memoria.store.features import (
    SESSION_BITS,
    UNHEARD,
    Surroundings,
    TextFeatureColumns,
    TurnMetadata,
    TurnMetadataColumns,
    pack_tokens,
)


def places(*turns: tuple[int, int, int]) -> Places:
    """The places of turns, each by number, session and index."""
    in_order = sorted(turns, key=lambda turn: turn[1:])
    columns = np.array(in_order, np.int64).reshape(-1, 3).T
    ns, sessions, indexes = columns
    return Places.of_turns(Surroundings(ns, (sessions << SESSION_BITS) + indexes))


def by_number(scores: Scores) -> dict[int, float]:
    return dict(zip(scores.ns.tolist(), scores.values.tolist(), strict=True))


def list_best(scores: Mapping[int, float], most: int) -> list[int]:
    return Scores.of_mapping(scores).list_best(most)


def remark(
    said: str, speaker: str | None = None, at: int = 0, role: str = Role.USER
) -> TurnMetadata:
    return TurnMetadata(speaker, role, at, lambda: said)


def say_in_columns(said: Sequence[TurnMetadata | None]) -> TurnMetadataColumns:
    """The remarks as a store has them of which nobody has read a word; None is no turn."""
    known = [one or TurnMetadata(None, "", 0, str) for one in said]
    names = ["", *sorted({one.speaker for one in known if one.speaker})]
    is_turn = np.array([one is not None for one in said], np.bool_)
    return TurnMetadataColumns(
        is_turn,
        np.array([one.at for one in known], np.int64),
        np.array([one.role == Role.USER for one in known], np.bool_),
        np.array([one.role == Role.ASSISTANT for one in known], np.bool_),
        np.array([names.index(one.speaker or "") for one in known], np.int64),
        names,
        TextFeatureColumns(
            np.where(is_turn, UNHEARD, 0).astype(np.int16),
            np.zeros(len(said), np.bool_),
            np.where(is_turn, UNHEARD, 0).astype(np.int16),
        ),
    )


def hear(said: Sequence[TurnMetadata | None]) -> TextFeatureColumns:
    """What is told by what was said."""
    texts = [one.content if one else "" for one in said]
    return TextFeatureColumns(
        np.array([read_saying(text).words for text in texts], np.int16),
        np.array([read_saying(text).asks for text in texts], np.bool_),
        np.array([find_wish(text) for text in texts], np.int16),
    )


def count(said: Mapping[int, str], *terms: str) -> TermCounts:
    """The terms counted in what was said, of which nobody knows who said it and when."""
    texts = {n: pack_tokens(text, "") for n, text in said.items()}
    return count_terms(texts, terms, alike=True)
