"""Options: ways in which a search goes about it, whatever it asks for.

Stages switch off parts of the ranking for an ablation; every one of them is on otherwise.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from memoria.model import Part
from memoria.model.zone import MACHINE_ZONE, Zone


@dataclass(frozen=True, slots=True)
class Stages:
    """Switches of the parts that may be left out."""

    recount: bool = True
    """Documents the index found are scored anew by `lexical`; else the index's own scores stand."""
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
    """Documents that hold a quoted phrase of the query stand above those that do not."""
    passages: bool = True
    """A long turn is as near as the nearest of its passages."""
    speakers: bool = True
    """A name in the query says whose turns count in full."""
    roles: bool = True
    """Between a user and an assistant the question says whose turns count in full."""
    wishes: bool = True
    """Turns that state a standing wish gain where something new is asked for."""
    spread: bool = True
    """Statements of several sessions are looked for in several."""
    asking: bool = True
    """Turns that ask count for less."""
    length: bool = True
    """Turns of few words count for less."""
    time: bool = True
    """A time in the query says which turns count in full."""
    current: bool = True
    """Present statements stand above those that they have replaced."""
    boosts: bool = True
    """Boosts favour one of two memories that match alike."""
    rerank: bool = True
    """The reranker is asked, where one is configured."""
    diversity: bool = True
    """Memories that repeat a better hit make room."""

    @classmethod
    def without(cls, names: Iterable[str]) -> "Stages":
        """Switch on all stages but these."""
        return cls(**dict.fromkeys(names, False))


ALL_STAGES = Stages()
STAGES = tuple(each.name for each in fields(Stages))


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search: parts to leave out, the task, an explanation."""

    without: frozenset[Part] = frozenset()
    """Sources that are switched off."""
    task: str | None = None
    """Task in hand; None for the one on the scratchpad."""
    session: str | None = None
    """Session that asks: its scratchpad names the task."""
    explain: bool = False
    """True if the answer is to have an `explanation` of how it came about."""
    stages: Stages = ALL_STAGES
    """Parts of the ranking that are on."""
    zone: Zone = MACHINE_ZONE
    """Zone in which the days of whoever asks begin."""
    is_narrowed: bool = False
    """True if the search is narrowed to the task, and does not only favour it."""
    project: str | None = None
    """Project of whoever asks, which comes first where all are asked."""


DEFAULT_OPTIONS = SearchOptions()
