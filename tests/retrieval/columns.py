"""The columns of a ranking, written and read as mappings."""

from collections.abc import Mapping

import numpy as np

from memoria.model import Role
from memoria.retrieval.ranking.evidence.columns import Scores
from memoria.retrieval.ranking.evidence.counts import TermCounts, count_terms
from memoria.retrieval.ranking.evidence.places import Places
from memoria.store.positions import Surroundings
from memoria.store.remark import Remark
from memoria.store.values import IndexTokens


def places(*turns: tuple[int, int, int]) -> Places:
    """The places of turns, each by number, session and index."""
    columns = np.array(turns, np.int64).reshape(-1, 3).T
    return Places.of_turns(Surroundings(*columns))


def by_number(scores: Scores) -> dict[int, float]:
    return dict(zip(scores.ns.tolist(), scores.values.tolist(), strict=True))


def list_best(scores: Mapping[int, float], most: int) -> list[int]:
    return Scores.of_mapping(scores).list_best(most)


def remark(said: str, speaker: str | None = None, at: int = 0, role: str = Role.USER) -> Remark:
    return Remark(speaker, role, at, lambda: said)


def count(said: Mapping[int, str], *terms: str) -> TermCounts:
    """The terms counted in what was said, of which nobody knows who said it and when."""
    texts = {n: IndexTokens(text, "") for n, text in said.items()}
    return count_terms(texts, terms, alike=True)
