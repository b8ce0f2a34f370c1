"""Plan: from a question and its filters to what the other stages need."""

from dataclasses import dataclass

from memoria.errors import InvalidInputError, quoted
from memoria.model import MemoryType, Role
from memoria.store.values import Filters, Kind
from memoria.text.analyser import query_terms
from memoria.text.strip import well_formed

EVERYWHERE = "*"
"""Asks every workspace."""
MAX_LIMIT = 200
MIN_TOKENS = 50
MAX_TOKENS = 100_000
MAX_CONTEXT = 5
_MAX_TERMS = 64
_MAX_QUERY_CHARS = 4000


@dataclass(frozen=True, slots=True)
class Plan:
    """A search, ready to run."""

    query: str
    terms: tuple[str, ...]
    kinds: tuple[Kind, ...]
    filters: Filters
    limit: int
    max_tokens: int
    context: int
    """Neighbouring turns to show on each side of a hit."""
    first_level: bool
    """Conclusions, a line each, and silence when nothing fits; else the verbatim record."""


def plan_memories(
    query: str,
    *,
    limit: int,
    max_tokens: int,
    types: tuple[MemoryType, ...] = (),
    since: int | None = None,
    until: int | None = None,
    session_id: str | None = None,
    include_history: bool = False,
    workspace: str | None = None,
) -> Plan:
    """A first-level search: memories, and turns no memory has been drawn from yet.

    Raises:
        InvalidInputError: an argument is out of bounds.
    """
    filters = Filters(
        since=since,
        until=until,
        session_id=session_id or None,
        types=types,
        history=include_history,
        workspace=workspace,
        everywhere=workspace == EVERYWHERE,
    )
    return _plan(query, ("memory", "turn"), filters, limit, max_tokens, 0, first_level=True)


def plan_traces(
    query: str,
    *,
    limit: int,
    max_tokens: int,
    context: int,
    since: int | None = None,
    until: int | None = None,
    session_id: str | None = None,
    role: Role | None = None,
    tool: str | None = None,
    include_history: bool = False,
    workspace: str | None = None,
) -> Plan:
    """A second-level search: the verbatim record.

    Raises:
        InvalidInputError: an argument is out of bounds.
    """
    filters = Filters(
        since=since,
        until=until,
        session_id=session_id or None,  # some clients send "" for what they leave out
        roles=() if role is None else (role,),
        tool=tool or None,
        history=include_history,
        workspace=workspace,
        everywhere=workspace == EVERYWHERE,
        settled=True,
    )
    return _plan(query, ("turn",), filters, limit, max_tokens, context, first_level=False)


def _plan(
    query: str,
    kinds: tuple[Kind, ...],
    filters: Filters,
    limit: int,
    max_tokens: int,
    context: int,
    *,
    first_level: bool,
) -> Plan:
    text = well_formed(query).strip()[:_MAX_QUERY_CHARS]
    if not text:
        raise InvalidInputError("query is empty. Ask in words, for example: release checklist.")
    _within("limit", limit, 1, MAX_LIMIT)
    _within("max_tokens", max_tokens, MIN_TOKENS, MAX_TOKENS)
    _within("context", context, 0, MAX_CONTEXT)
    if filters.since is not None and filters.until is not None and filters.since >= filters.until:
        raise InvalidInputError("since must be before until.")
    terms = query_terms(text)[:_MAX_TERMS]
    return Plan(text, terms, kinds, filters, limit, max_tokens, context, first_level)


def _within(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidInputError(f"{name} is {quoted(value)}; it must be from {least} to {most}.")
