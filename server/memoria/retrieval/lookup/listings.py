"""Listings of memories and sessions, a page each, and completions of what somebody has typed."""

import shlex
from collections.abc import Iterable

from memoria.bare.lazy_regex import lazy_regex
from memoria.config import Settings
from memoria.errors import InvalidInputError, NextStep, NotFoundError, shorten
from memoria.language.reading.fences import join_lines
from memoria.memories.conditions import condition_of_turn
from memoria.model import (
    Entity,
    MemoryListing,
    MemoryPage,
    MemoryStretch,
    MemoryWalk,
    SessionListing,
    SessionPage,
    SessionSummary,
    as_instant,
)
from memoria.model.metadata import write_metadata
from memoria.model.moments import Zone
from memoria.retrieval.lookup.provenance import filters_from
from memoria.retrieval.lookup.records import count_id_chars, count_session_chars, mark_conditions
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.rows.listings import ListedMemories, ListedSpan, WalkPlace
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_OPENING_CHARS = 200
_CURSOR = lazy_regex(r"(-?\d{1,16})\.([0-9a-f-]{1,36})")
"""Matches a place in a walk: the time since which a memory holds, and the memory's id."""


def list_memories(
    tx: Transaction, listing: MemoryListing, place: str | None, own: str | None
) -> MemoryPage:
    """Return a page of memories by the time since which they hold, newest first.

    Args:
        tx: where to look.
        listing: what is wanted.
        place: the project that asks.
        own: the project that comes first where all projects are asked.

    Raises:
        NotFoundError: no visible memory is linked with the entity.
    """
    wanted = ListedMemories(
        types=listing.types,
        validities=listing.validities,
        task=None if listing.task is None else _find_task(tx, listing.task),
        entities=() if listing.entity is None else _find_entities(tx, listing.entity, place),
        metadata=write_metadata(listing.metadata),
    )
    page = tx.listings.list_memories(wanted, _span(listing, place, own, tx.zone))
    memories = tx.memories.by_version_numbers(page.items)
    shown = mark_conditions(tx, (memories[n] for n in page.items))
    withheld = len(page.items) - len(shown)
    return MemoryPage(
        total=page.total - withheld,
        elsewhere=page.elsewhere,
        memories=tuple(shown),
        withheld=withheld,
        id_chars=count_id_chars(tx, [one.id for one in memories.values()]),
    )


def walk_memories(tx: Transaction, walk: MemoryWalk, place: str | None) -> MemoryStretch:
    """Return the memories after the walk's cursor, the one that became valid last first.

    Of a long walk for few memories a stretch may have none, and a cursor.
    """
    wanted = ListedMemories(
        types=walk.types, validities=walk.validities, pinned=walk.pinned, unverified=walk.unverified
    )
    span = ListedSpan(0, walk.limit, workspace=place, everywhere=place == EVERYWHERE)
    found = tx.listings.walk_memories(wanted, span, _read_cursor(walk.cursor))
    memories = tx.memories.by_version_numbers(found.items)
    shown = mark_conditions(tx, (memories[n] for n in found.items))
    return MemoryStretch(
        memories=tuple(shown),
        withheld=len(found.items) - len(shown),
        cursor=None if found.end is None else f"{found.end.valid_from}.{found.end.id}",
    )


def _read_cursor(cursor: str | None) -> WalkPlace | None:
    if cursor is None:
        return None
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise InvalidInputError(
            f"cursor: {shorten(cursor)} is none. Leave it out to begin, and go on with what the "
            "answer has."
        )
    return WalkPlace(int(match[1]), match[2])


def list_sessions(
    tx: Transaction, listing: SessionListing, place: str | None, own: str | None
) -> SessionPage:
    """Return a page of sessions by their last turn, newest first; see `list_memories`."""
    page = tx.listings.list_sessions(listing.client, _span(listing, place, own, tx.zone))
    first = tx.conversations.turns([one.opening_n for one in page.items if one.opening_n])
    openings = {n: turn for n, turn in first.items() if condition_of_turn(tx, turn) is None}
    return SessionPage(
        total=page.total,
        elsewhere=page.elsewhere,
        sessions=tuple(
            SessionSummary(
                session_id=one.session_id,
                client=one.client,
                first_at=one.first_at,
                last_at=one.last_at,
                turns=one.turns,
                memories=one.memories,
                opening=join_lines(openings[one.opening_n].content)[:_OPENING_CHARS]
                if one.opening_n in openings
                else "",
                workspace=one.workspace,
            )
            for one in page.items
        ),
        id_chars=count_session_chars(tx, [one.session_id for one in page.items]),
    )


def _span(
    listing: MemoryListing | SessionListing, place: str | None, own: str | None, zone: Zone
) -> ListedSpan:
    is_of_all = place == EVERYWHERE
    return ListedSpan(
        offset=(listing.page - 1) * listing.limit,
        limit=listing.limit,
        since=as_instant("since", listing.since, zone),
        until=as_instant("until", listing.until, zone),
        workspace=place,
        everywhere=is_of_all,
        first=own if is_of_all else None,
    )


def _find_task(tx: Transaction, name: str) -> str:
    """Return a task's name as memories have it, whatever its letter case."""
    known = {task.casefold(): task for task in tx.tasks.list_names()}
    return known.get(name.casefold(), name)


def _find_entities(tx: Transaction, name: str, place: str | None) -> tuple[str, ...]:
    """Return the ids of entities that memories link with a name, or of the entity with an id."""
    visible = filters_from(place)
    by_id = tx.graph.get_entity(name, visible)
    found = [by_id] if by_id is not None else _find_named(tx, name, visible)
    if not found:
        raise NotFoundError(
            f"No memory is linked with the name {shorten(name)}.",
            step=NextStep(
                "Not every name is recognised as one: look for the word",
                "search_memory",
                f"memoria search {shlex.quote(shorten(name))}",
            ),
        )
    return tuple({known for one in found for known in (one.id, one.canonical_id) if known})


def _find_named(tx: Transaction, name: str, visible: Filters) -> list[Entity]:
    """List the entities of a name that memories, and not only turns, are linked with."""
    named = tx.graph.by_name([name], visible)
    return [one for one in tx.graph.find_entities([name], visible) if one.node in named]


_NEWEST = 200
"""Most memories, or sessions, that are looked at: the newest."""


def list_memory_ids(tx: Transaction, typed: str, place: str | None) -> list[str]:
    """List ids of memories that begin or end as typed, the newest first."""
    page = tx.listings.list_memories(ListedMemories(), _newest(place))
    memories = tx.memories.by_version_numbers(page.items)
    return _fitting((memories[n].id for n in page.items), typed.strip().lower())


def list_session_ids(tx: Transaction, typed: str, place: str | None) -> list[str]:
    """List ids of sessions that begin or end as typed, by their last turn, newest first."""
    page = tx.listings.list_sessions(None, _newest(place))
    return _fitting((one.session_id for one in page.items), typed.strip())


def list_project_names(tx: Transaction, typed: str, settings: Settings) -> list[str]:
    """List the names of projects that contain what was typed, and the sign for all projects.

    Other projects are listed if `name_other_projects` allows it, private projects never.
    """
    here, private = settings.workspace, {*(settings.private_workspaces or ())}
    others = [*tx.projects.list_used()] if settings.name_other_projects else []
    known = [one for one in others if one not in private and one != here]
    names = [EVERYWHERE, *([here] if here else []), *known]
    return [one for one in names if typed.strip().lower() in one.lower()]


def _newest(place: str | None) -> ListedSpan:
    return ListedSpan(offset=0, limit=_NEWEST, workspace=place, everywhere=place == EVERYWHERE)


def _fitting(ids: Iterable[str], typed: str) -> list[str]:
    fitting = (one for one in ids if one.startswith(typed) or one.endswith(typed))
    return list(dict.fromkeys(fitting))
