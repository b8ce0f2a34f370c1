"""Searches as they were asked, and the plan that the settings make of each.

A search is planned where it runs: in a thread of this process or in a helper, which is given the
question alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from memoria.bare.projects import name_given
from memoria.config import NO_WORKSPACE, Settings
from memoria.model import PARTS, SearchResult, check_choice
from memoria.model.base import Value
from memoria.model.query import MemoryQuery, SearchQueryT, TranscriptQuery
from memoria.retrieval import SearchOptions, SearchPlan, plan_memories, plan_transcript
from memoria.retrieval.query.options import ALL_STAGES, STAGES, Stages


class _Asked(Value, ABC):
    """A question, who asks it, and when."""

    session: str
    asked_at: int
    """UTC epoch milliseconds. It may be searched for later, while many ask."""

    @abstractmethod
    def plan(self, settings: Settings) -> SearchPlan:
        """Plan the search.

        Raises:
            InvalidInputError: an argument can't be used.
        """


class AskedMemories(_Asked):
    """A search of the first level: conclusions."""

    level: Literal["memories"] = "memories"
    query: MemoryQuery

    def plan(self, settings: Settings) -> SearchPlan:
        """Plan the search."""
        query = _ask_from(self.query, settings)
        options = choose_options(
            settings,
            query.without,
            query.task,
            self.session,
            explain=query.explain,
            is_narrowed=bool(query.task),
        )
        return plan_memories(query, options, asked_at=self.asked_at)


class AskedTraces(_Asked):
    """A search of the second level: the verbatim record."""

    level: Literal["traces"] = "traces"
    query: TranscriptQuery

    def plan(self, settings: Settings) -> SearchPlan:
        """Plan the search."""
        query = _ask_from(self.query, settings)
        options = choose_options(settings, query.without, None, self.session, explain=query.explain)
        return plan_transcript(query, options, asked_at=self.asked_at)


AskedSearch = AskedMemories | AskedTraces
ASKED: TypeAdapter[Sequence[AskedSearch]] = TypeAdapter(
    Sequence[Annotated[AskedSearch, Field(discriminator="level")]]
)
"""Searches that are asked together, as JSON."""
RESULTS: TypeAdapter[list[SearchResult]] = TypeAdapter(list[SearchResult])
"""Results of searches that are asked together, as JSON."""


def choose_options(
    settings: Settings,
    without: Sequence[str],
    task: str | None,
    session: str,
    *,
    explain: bool,
    is_narrowed: bool = False,
) -> SearchOptions:
    """Return the options of a search: what is left out, whose task counts, in which time zone.

    Raises:
        InvalidInputError: a part or stage to be left out does not exist.
    """
    for name in without:
        check_choice("without", name, (*PARTS, *STAGES))
    off = frozenset(without)
    parts = frozenset(part for part in PARTS if part in off)
    stages = Stages.without(off - parts) if off - parts else ALL_STAGES
    zone, project = settings.zone, settings.workspace
    return SearchOptions(parts, task, session, explain, stages, zone, is_narrowed, project)


def choose_workspace(settings: Settings, given: str | None) -> str | None:
    """Return the workspace that a call names, None for `none`; else the configured workspace."""
    if not given:
        return settings.workspace
    return None if given == NO_WORKSPACE else name_given(str(settings.home_path), given)


def _ask_from(query: SearchQueryT, settings: Settings) -> SearchQueryT:
    """Return the query with the workspace that it means."""
    place = choose_workspace(settings, query.workspace)
    return query if place == query.workspace else query.model_copy(update={"workspace": place})
