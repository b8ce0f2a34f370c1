"""Options of a search: those that come with its kind, and those that a caller may choose.

A search of memories answers with the best few, a line each, and with what is nearest by meaning
alone; a search of the transcript shows the verbatim record as it stands. Neither hides anything
because it fits badly: the answer says so. The context package is built from what nobody asked for,
so there every hit has to fit, and the evidence beside them leaves out turns whose conclusions the
user has suppressed.

Stages switch off parts of the ranking for an ablation; every stage is on otherwise.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Literal

from memoria.model import Part
from memoria.model.moments import MACHINE_ZONE, Zone
from memoria.store.values import DocumentKind


@dataclass(frozen=True, slots=True)
class Stages:
    """Switches of the parts that may be left out."""

    recount: bool = True
    """Documents that the index found are scored anew by `lexical`."""
    neighbours: bool = True
    """Turns lend each other their words. Needs `recount`."""
    alike: bool = True
    """Words that begin like a term count for a part of the term. Needs `recount`."""
    sessions: bool = True
    """Turns gain from their session."""
    trust: bool = True
    """Words count by the share of the query that the best document holds. Needs `recount`."""
    meaning: bool = True
    """Cosine counts."""
    phrases: bool = True
    """Documents that hold a quoted phrase of the query stand above the others."""
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
    """Present statements stand above the statements that they have replaced."""
    boosts: bool = True
    """Boosts favour one of two memories that match alike."""
    rerank: bool = True
    """The reranker is asked, where one is configured."""
    diversity: bool = True
    """Memories that repeat a better hit make room."""

    @classmethod
    def without(cls, names: Iterable[str]) -> "Stages":
        """Return stages with the named ones switched off."""
        return cls(**dict.fromkeys(names, False))


ALL_STAGES = Stages()
STAGES = tuple(each.name for each in fields(Stages))


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search: parts to leave out, the task, an explanation."""

    without: frozenset[Part] = frozenset()
    """Sources that are switched off."""
    task: str | None = None
    """Task in hand; None for the task on the scratchpad."""
    session: str | None = None
    """Session that asks, whose scratchpad names the task."""
    explain: bool = False
    """True if the answer has to have an `explanation`."""
    stages: Stages = ALL_STAGES
    """Parts of the ranking that are on."""
    zone: Zone = MACHINE_ZONE
    """Zone in which the days of whoever asks begin."""
    is_narrowed: bool = False
    """True if memories of other tasks are left out; else those of the task are favoured."""
    project: str | None = None
    """Project of whoever asks, whose hits come first where all projects are asked."""


DEFAULT_OPTIONS = SearchOptions()
BoundsName = Literal["memories", "transcript", "context"]
"""Set of an embedder's relevance bounds (`Calibration`) that a search goes by."""


@dataclass(frozen=True, slots=True)
class SearchProfile:
    """Profile of a kind of search: what it reads, how it ranks and what it shows."""

    kinds: tuple[DocumentKind, ...]
    bounds: BoundsName
    is_asked: bool
    """True if somebody has asked: then hits that fit badly are shown, too."""
    every_hit_must_fit: bool
    """True if each hit has to pass the threshold where nobody has asked, as in searches of
    conclusions; False if one of the best passes for all, as in searches of the record."""
    shows_turns_together: bool
    """True if one of the best turns passes for those nearly as good, much as in the transcript. A
    memory has to pass by itself either way."""
    rerank_accepts: float
    """Score of the reranker with which a hit passes, whatever its words."""
    reads: int
    """Number of documents that are read and scored, whatever the limit; what a higher limit wants
    follows behind."""
    most_hits: int
    """Most hits where no limit is given, as far as the budget holds them."""
    line_chars: int | None
    """Most characters of a hit, cut to the excerpt that answers; None shows it whole."""
    line_tokens: int | None
    """Most tokens of a line beside the hits; None where no line is shown beside hits."""
    most_nearest: int
    """Most lines for documents that are nearest by meaning alone, shown beside the hits."""
    only_unprocessed_turns: bool
    """True if a turn is shown only until a memory has been made of it."""
    includes_linked_turns: bool
    """True if a turn that only the graph has found may be a hit."""
    shows_suppressed_turns: bool
    scores_conclusions: bool
    """True if the relevance of a memory is that of a sentence by itself."""
    ignores_names: bool
    """True if names in the query do not count in coverage: to be about the same person is no
    answer."""
    uses_boosts: bool
    uses_diversity: bool
    follows_task: bool
    """True if memories of the task in hand are favoured."""
    hints_at_transcript: bool
    shows_confidences: bool = True
    """True if what was told in confidence may be a hit."""
    least_margin: float = 0.0
    """Margin by which a hit has to exceed the threshold."""


MEMORIES = SearchProfile(
    kinds=("memory", "turn"),
    bounds="memories",
    is_asked=True,
    every_hit_must_fit=True,
    shows_turns_together=True,
    rerank_accepts=0.5,
    reads=40,
    most_hits=4,
    line_chars=400,
    line_tokens=20,
    most_nearest=4,
    only_unprocessed_turns=True,
    includes_linked_turns=False,
    shows_suppressed_turns=False,
    scores_conclusions=True,
    ignores_names=True,
    uses_boosts=True,
    uses_diversity=True,
    follows_task=True,
    hints_at_transcript=True,
)
"""The first level: conclusions, and the turns that none speaks for, a line each."""
TRANSCRIPT = SearchProfile(
    kinds=("turn",),
    bounds="transcript",
    is_asked=True,
    every_hit_must_fit=False,
    shows_turns_together=True,
    rerank_accepts=0.5,
    reads=30,
    most_hits=20,
    line_chars=None,
    line_tokens=None,
    most_nearest=0,
    only_unprocessed_turns=False,
    includes_linked_turns=True,
    shows_suppressed_turns=True,
    scores_conclusions=False,
    ignores_names=False,
    uses_boosts=False,
    uses_diversity=False,
    follows_task=False,
    hints_at_transcript=False,
)
"""The second level: the verbatim record."""
CONTEXT = replace(
    MEMORIES,
    is_asked=False,
    line_tokens=None,
    most_nearest=0,
    bounds="context",
    shows_turns_together=False,
    rerank_accepts=0.8,
    shows_confidences=False,
)
"""Conclusions for the context package."""
UNASKED = replace(CONTEXT, least_margin=0.1, hints_at_transcript=False)
"""Conclusions that are put before a model with a prompt, though nobody has searched."""
EVIDENCE = replace(
    TRANSCRIPT, is_asked=False, shows_suppressed_turns=False, shows_confidences=False
)
"""The record for the context package."""
