"""Reach of a forgotten record: other places that may speak of it."""

import json
from collections.abc import Iterator
from datetime import date

from memoria.disk.folders import daily_path, history_path
from memoria.erasure.plan import ErasurePlan, search_terms
from memoria.language.reading.phrases import Phrases
from memoria.language.reading.statement import occurs_in
from memoria.model.zone import UTC_ZONE, Zone
from memoria.store.rows.transaction import Transaction

_CLOCKS_ON_EARTH = tuple(Zone.from_offset(hours * 60) for hours in range(-12, 15))
"""Zones, one for each hour: any present day on earth is the day in one of these."""


def list_affected(tx: Transaction, plan: ErasurePlan) -> tuple[str, ...]:
    """Return ids of memories that stay, but rest on an erased turn or hold a forgotten wording."""
    ids = list(plan.memories)
    erased = plan.source_ns if plan.include_source else []
    dependents = tx.dependencies.list_dependents([], erased)
    resting = [one.memory_id for one in dependents if one.is_drawn_from]
    derived_from = [source.id for source in tx.derivations.sources(ids)]
    merged_into = tx.pairs.merge_targets(ids).values()
    affected = {*resting, *derived_from, *merged_into, *_list_holding(tx, plan)}
    return tuple(sorted(affected - {*ids, *plan.dependents}))


def _list_holding(tx: Transaction, plan: ErasurePlan) -> Iterator[str]:
    """Yield ids of memories in whose present wording a forgotten one stands."""
    for wording in plan.wordings:
        numbers = tx.documents.list_containing("memory", search_terms(wording))
        for memory in tx.memories.by_version_numbers(numbers).values():
            if occurs_in(wording, memory.content):
                yield memory.id


def list_places(tx: Transaction, plan: ErasurePlan) -> set[str]:
    """Return the files that nightly runs write about it: of its conversations and its days."""
    turns = plan.sources.values()
    memories = {**plan.memories, **plan.reworded, **plan.dependents}.values()
    moments = [(turn.at, turn.utc_offset) for turn in turns]
    moments += tx.days.list_episode_ends(plan.source_ns)
    for memory in memories:
        moments.append((memory.updated_at, None))
        moments += [(version.ingested_at, version.utc_offset) for version in memory.versions]
    days = {day for moment, offset in moments for day in _days_of(moment, offset)}
    sessions = {history_path(turn.source, turn.session_id) for turn in turns}
    return {*sessions, *map(daily_path, days)}


def _days_of(moment: int, offset: int | None) -> set[date]:
    """Return the days of a moment whose pages may speak of it.

    It is filed by the speaker's clock, otherwise by that of the home, which may have been any on
    earth before somebody set it.
    """
    clocks = (*_CLOCKS_ON_EARTH, UTC_ZONE.at_offset(moment, offset))
    return {day for each in clocks if (day := each.date_of(moment)) is not None}


def texts_in_plans(phrases: Phrases) -> Iterator[str]:
    """Yield the phrases as they stand in the plan of a nightly run that was broken off: in JSON."""
    return (json.dumps(text, ensure_ascii=False)[1:-1] for text in phrases.distinctive.statements)
