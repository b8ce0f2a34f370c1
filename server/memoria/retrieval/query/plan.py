"""Plan: from a question and its filters to what the other stages need."""

from dataclasses import dataclass, replace

from memoria.errors import InvalidInputError, quote_value
from memoria.model import MemoryType, Part, Role, now_millis
from memoria.retrieval.query.parse import ParsedQuery, parse_query
from memoria.retrieval.query.stages import ALL, Stages
from memoria.store.values import DocumentKind, Filters
from memoria.text.analyser import query_terms
from memoria.text.strip import replace_lone_surrogates

EVERYWHERE = "*"
"""Asks every workspace."""
MAX_LIMIT = 200
MIN_TOKENS = 50
MAX_TOKENS = 100_000
MAX_CONTEXT = 5
_MAX_TERMS = 64
_MAX_QUERY_CHARS = 4000


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How a search is to go about it, whatever it asks for."""

    without: frozenset[Part] = frozenset()
    """Parts that are switched off."""
    task: str | None = None
    """The task in hand; None for the one on the scratchpad."""
    session: str | None = None
    """The session that asks: its scratchpad tells the task."""
    explain: bool = False
    """Whether the answer tells how it came about."""
    stages: Stages = ALL
    """Which parts of the ranking are on."""


DEFAULT_OPTIONS = SearchOptions()


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search, ready to run."""

    parsed: ParsedQuery
    kinds: tuple[DocumentKind, ...]
    filters: Filters
    limit: int
    max_tokens: int
    context: int
    """Neighbouring turns to show on each side of a hit."""
    first_level: bool
    """Conclusions, a line each, and silence when nothing fits; else the verbatim record."""
    now: int
    """When it is asked, UTC epoch milliseconds."""
    as_of: int | None = None
    """The moment whose truth is asked for; None for the present."""
    options: SearchOptions = DEFAULT_OPTIONS
    unasked: bool = False
    """Whether nobody asked for the record: turns that are forgotten above it stay out, too."""

    @property
    def query(self) -> str:
        """The question as it was asked."""
        return self.parsed.text

    @property
    def terms(self) -> tuple[str, ...]:
        """The tokens searched for."""
        return self.parsed.terms


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
    as_of: int | None = None,
    options: SearchOptions = DEFAULT_OPTIONS,
) -> SearchPlan:
    """A first-level search: memories, and turns no memory has been drawn from yet.

    Raises:
        InvalidInputError: an argument is out of bounds.
    """
    filters = Filters(
        since=since,
        until=until,
        session_id=session_id or None,
        types=types,
        include_history=include_history or as_of is not None,
        workspace=workspace,
        everywhere=workspace == EVERYWHERE,
    )
    kinds: tuple[DocumentKind, ...] = ("memory", "turn")
    plan = _plan(
        query, kinds, filters, limit, max_tokens, first_level=True, options=options, now=as_of
    )
    # What only the record holds is looked for there, whether it has been read or not.
    raw = replace(plan.filters, include_processed=bool(plan.parsed.literals))
    return replace(plan, as_of=as_of, filters=raw)


def plan_transcript(
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
    options: SearchOptions = DEFAULT_OPTIONS,
) -> SearchPlan:
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
        include_history=include_history,
        workspace=workspace,
        everywhere=workspace == EVERYWHERE,
        include_processed=True,
    )
    _check_range("context", context, 0, MAX_CONTEXT)
    plan = _plan(query, ("turn",), filters, limit, max_tokens, first_level=False, options=options)
    return replace(plan, context=context)


def _plan(
    query: str,
    kinds: tuple[DocumentKind, ...],
    filters: Filters,
    limit: int,
    max_tokens: int,
    *,
    first_level: bool,
    options: SearchOptions,
    now: int | None = None,
) -> SearchPlan:
    text = replace_lone_surrogates(query).strip()[:_MAX_QUERY_CHARS]
    if not text:
        raise InvalidInputError("query is empty. Ask in words, for example: release checklist.")
    _check_range("limit", limit, 1, MAX_LIMIT)
    _check_range("max_tokens", max_tokens, MIN_TOKENS, MAX_TOKENS)
    if filters.since is not None and filters.until is not None and filters.since >= filters.until:
        raise InvalidInputError("since must be before until.")
    terms = query_terms(text)[:_MAX_TERMS]
    asked_at = now_millis() if now is None else now
    question = parse_query(text, terms, asked_at)
    return SearchPlan(
        question, kinds, filters, limit, max_tokens, 0, first_level, asked_at, options=options
    )


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidInputError(
            f"{name} is {quote_value(value)}; it must be from {least} to {most}."
        )
