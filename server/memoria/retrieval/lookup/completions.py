"""Completions: the ids and names that fit what somebody has typed, as seen from a project."""

from collections.abc import Iterable

from memoria.config import Settings
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.listed import ListedMemories, ListedSpan
from memoria.store.rows.transaction import Transaction

_NEWEST = 200
"""Most of the newest that are looked at."""


def list_memory_ids(tx: Transaction, typed: str, place: str | None) -> list[str]:
    """List ids of memories that begin or end so, the newest first."""
    page = tx.listings.list_memories(ListedMemories(), _newest(place))
    memories = tx.memories.by_version_numbers(page.items)
    return _fitting((memories[n].id for n in page.items), typed.strip().lower())


def list_session_ids(tx: Transaction, typed: str, place: str | None) -> list[str]:
    """List ids of sessions that begin or end so, by their last turn, newest first."""
    page = tx.listings.list_sessions(None, _newest(place))
    return _fitting((one.session_id for one in page.items), typed.strip())


def list_project_names(tx: Transaction, typed: str, settings: Settings) -> list[str]:
    """List the sign for all projects, and names of projects that contain what was typed.

    Others than the one at hand are named where `name_other_projects` allows it, private ones never.
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
