"""Plans of searches, as the settings make them of what is asked."""

from collections.abc import Sequence

from memoria.bare.projects import name_given
from memoria.config import NO_WORKSPACE, Settings
from memoria.model import PARTS, check_choice
from memoria.model.parse import replace_unfit
from memoria.model.query import MemoryQuery, SearchQueryT, TranscriptQuery
from memoria.retrieval import SearchOptions, SearchPlan, plan_memories, plan_transcript
from memoria.retrieval.query.options import ALL_STAGES, STAGES, Stages


def plan_memory_search(
    query: MemoryQuery, settings: Settings, session: str, asked_at: int
) -> SearchPlan:
    """Plan a search of memories (the first level), asked in a session at a time.

    The time is in UTC epoch milliseconds; it may be searched later, while many ask.

    Raises:
        InvalidInputError: an argument can't be used.
    """
    query = _ask_from(query, settings)
    options = choose_options(
        settings,
        query.without,
        query.task,
        session,
        explain=query.explain,
        is_narrowed=bool(query.task),
    )
    return plan_memories(query, options, asked_at=asked_at)


def plan_trace_search(
    query: TranscriptQuery, settings: Settings, session: str, asked_at: int
) -> SearchPlan:
    """Plan a search of the verbatim record (the second level), as one of memories.

    Raises:
        InvalidInputError: an argument can't be used.
    """
    query = _ask_from(query, settings)
    options = choose_options(settings, query.without, None, session, explain=query.explain)
    return plan_transcript(query, options, asked_at=asked_at)


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
    if given == NO_WORKSPACE:
        return None
    return name_given(str(settings.home_path), replace_unfit(given))


def _ask_from(query: SearchQueryT, settings: Settings) -> SearchQueryT:
    """Return the query with the workspace that it means."""
    place = choose_workspace(settings, query.workspace)
    return query if place == query.workspace else query.model_copy(update={"workspace": place})
