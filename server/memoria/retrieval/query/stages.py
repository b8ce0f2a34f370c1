"""Stages: which parts of the ranking are on. All of them, but for an ablation."""

from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Stages:
    """A switch for each part that may be left out."""

    recount: bool = True
    """What the index found is scored anew by `lexical`; else the index's own scores stand."""
    neighbours: bool = True
    """Turns lend each other their words. Needs `recount`."""
    alike: bool = True
    """Words that begin like a term count for a part of it. Needs `recount`."""
    sessions: bool = True
    """Turns gain from their session."""
    trust: bool = True
    """Text counts by how much of the question its best document holds. Needs `recount`."""
    meaning: bool = True
    """Cosine counts."""
    speakers: bool = True
    """A name in the question says whose turns count in full."""
    asking: bool = True
    """Turns that ask count for less."""
    length: bool = True
    """Turns of few words count for less."""
    time: bool = True
    """A time in the question says which turns count in full."""
    weights: bool = True
    """On the first level, what a hit is worth beside how well it matches."""
    rerank: bool = True
    """The reranker is asked, where one is configured."""
    diversity: bool = True
    """On the first level, what repeats a better hit makes room."""

    @classmethod
    def without(cls, names: Iterable[str]) -> "Stages":
        """All stages but these."""
        return cls(**dict.fromkeys(names, False))


ALL = Stages()
STAGES = tuple(each.name for each in fields(Stages))
