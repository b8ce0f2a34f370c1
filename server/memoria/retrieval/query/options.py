"""Options: how a search goes about it, whatever it asks for.

Stages switch off parts of the ranking for an ablation; every one of them is on otherwise.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from memoria.model import Part
from memoria.model.zone import MACHINE_ZONE, Zone


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
    """Text counts by how much of the query its best document holds. Needs `recount`."""
    meaning: bool = True
    """Cosine counts."""
    phrases: bool = True
    """What holds a quoted phrase of the query stands above what does not."""
    passages: bool = True
    """A long turn is as near as the nearest of its passages."""
    speakers: bool = True
    """A name in the query says whose turns count in full."""
    roles: bool = True
    """Between a user and an assistant the question says whose turns count in full."""
    wishes: bool = True
    """Where something new is asked for, turns that state a standing wish gain."""
    spread: bool = True
    """What was said in several sessions is looked for in several."""
    asking: bool = True
    """Turns that ask count for less."""
    length: bool = True
    """Turns of few words count for less."""
    time: bool = True
    """A time in the query says which turns count in full."""
    current: bool = True
    """What is believed now stands above what it has replaced."""
    boosts: bool = True
    """In a search of memories, what favours one of two that match alike counts."""
    rerank: bool = True
    """The reranker is asked, where one is configured."""
    diversity: bool = True
    """In a search of memories, what repeats a better hit makes room."""

    @classmethod
    def without(cls, names: Iterable[str]) -> "Stages":
        """All stages but these."""
        return cls(**dict.fromkeys(names, False))


ALL_STAGES = Stages()
STAGES = tuple(each.name for each in fields(Stages))


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What a search does without, for which task, and whether it explains itself."""

    without: frozenset[Part] = frozenset()
    """Sources that are switched off."""
    task: str | None = None
    """The task in hand; None for the one on the scratchpad."""
    session: str | None = None
    """The session that asks: its scratchpad names the task."""
    explain: bool = False
    """Whether the answer has an `explanation` of how it came about."""
    stages: Stages = ALL_STAGES
    """Which parts of the ranking are on."""
    zone: Zone = MACHINE_ZONE
    """Where the days of whoever asks begin."""
    is_narrowed: bool = False
    """Whether the search is narrowed to the task, and does not only favour it."""
    project: str | None = None
    """The project of whoever asks, which comes first where all are asked."""


DEFAULT_OPTIONS = SearchOptions()
