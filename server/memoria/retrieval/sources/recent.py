"""Recent: the newest documents, for a query that asks for a time and for nothing in particular.

A day or a week is asked for to hear what was going on, so each of its sessions is heard before any
of them twice, by its first turn: those of the project that asks, then the others, the newest first.
"""

from collections.abc import Sequence
from dataclasses import replace

from memoria.language.words.script import is_cjk_character
from memoria.model import DAY_MS, PartReport
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.report import report_idle, report_used
from memoria.store.positions import SESSION_BITS
from memoria.store.rows.transaction import Transaction

_DEPTH = 100
_DEPTH_OF_SESSIONS = 1000
"""Most documents of a time, so that the sessions of a busy week are all known."""
_SHORT_MS = 8 * DAY_MS
"""Longest time that is asked for by itself, though other words stand beside it: a week, with a
clock put back."""


def search_recent(tx: Transaction, plan: SearchPlan) -> tuple[tuple[int, ...], PartReport]:
    """List the newest of the time asked for: one of each session, then what else was said."""
    if not plan.parsed.is_time_only:
        return (), report_idle("recent", "the question asks for more than a time")
    if plan.parsed.time is None:
        found = _list_recent(tx, plan, _DEPTH)
    else:
        found = _hear_sessions(tx, plan, _list_recent(tx, plan, _DEPTH_OF_SESSIONS))[:_DEPTH]
    return found, report_used("recent", len(found))


def settle_time(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """Change a plan so that it asks for what can be found of a time and of words.

    Where the time holds nothing and nothing else is asked for, its words are looked for. Where a
    day or a week is named in which nobody said any of the other words, its sessions are.
    """
    parsed = plan.parsed
    if parsed.is_time_only:
        return plan if _list_recent(tx, plan, 1) else replace(plan, parsed=parsed.without_time())
    if not (plan.profile.is_asked and _names_short_time(plan)) or _is_said_then(tx, plan):
        return plan
    then = replace(plan, parsed=replace(parsed, discriminative=()))
    return then if _list_recent(tx, then, 1) else plan


def _names_short_time(plan: SearchPlan) -> bool:
    time = plan.parsed.time
    if time is None or time.from_ms is None or time.until_ms is None:
        return False
    return time.until_ms - time.from_ms <= _SHORT_MS and "text" not in plan.options.without


def _is_said_then(tx: Transaction, plan: SearchPlan) -> bool:
    """Return whether anything of the named time holds a word that tells the question apart."""
    terms = plan.parsed.discriminative
    words = [term for term in terms if not is_cjk_character(term)] or terms
    return bool(tx.documents.match(plan.kinds, words, plan.filters_in_time or plan.filters, 1))


def _hear_sessions(tx: Transaction, plan: SearchPlan, found: Sequence[int]) -> tuple[int, ...]:
    """Order what was found, with the first turn of each session before the others."""
    turns = tx.turn_columns.surroundings(found, (), include_processed=True)
    place_of = dict(zip(turns.ns.tolist(), turns.places.tolist(), strict=True))
    sessions: dict[int, int] = {}
    for n in found:
        if n in place_of:
            session = place_of[n] >> SESSION_BITS
            first = sessions.get(session, n)
            sessions[session] = n if place_of[n] < place_of[first] else first
    rows = tx.conversations.turns(list(sessions.values()))
    own = plan.options.project if plan.filters.everywhere else plan.filters.workspace
    heard = sorted(filter(rows.get, sessions.values()), key=lambda n: rows[n].workspace != own)
    return tuple(dict.fromkeys((*heard, *found)))


def _list_recent(tx: Transaction, plan: SearchPlan, most: int) -> tuple[int, ...]:
    return tuple(tx.documents.recent(plan.kinds, plan.filters_in_time or plan.filters, most))
