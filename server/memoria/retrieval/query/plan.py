"""Plan: a parsed query with its filters, bounds and profile, which every later stage is given."""

from dataclasses import dataclass, replace

from memoria.errors import InvalidInputError, quote_value
from memoria.inference import DEFAULT_CALIBRATION, Calibration
from memoria.model import MemoryType, Role, now_millis
from memoria.retrieval.query.options import DEFAULT_OPTIONS, SearchOptions
from memoria.retrieval.query.parse import ParsedQuery, parse_query
from memoria.retrieval.query.profile import CONTEXT, EVIDENCE, MEMORIES, TRANSCRIPT, SearchProfile
from memoria.store.values import DocumentKind, Filters
from memoria.text.analyser import query_terms
from memoria.text.dates import Interval
from memoria.text.strip import replace_lone_surrogates

EVERYWHERE = "*"
"""Asks every workspace."""
MAX_LIMIT = 200
MIN_TOKENS = 50
MAX_TOKENS = 100_000
MAX_CONTEXT = 5
_MAX_TERMS = 64
_MAX_QUERY_CHARS = 4000
_CONTEXT_MEMORIES = 8
_CONTEXT_TURNS = 4


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search, ready to run."""

    parsed: ParsedQuery
    profile: SearchProfile
    filters: Filters
    limit: int
    max_tokens: int
    now: int
    """When it is asked, UTC epoch milliseconds."""
    context: int = 0
    """Neighbouring turns to show on each side of a hit."""
    as_of: int | None = None
    """The moment whose truth is asked for; None for the present."""
    options: SearchOptions = DEFAULT_OPTIONS
    calibration: Calibration = DEFAULT_CALIBRATION
    """What cosines mean in this search: the embedder's."""

    @property
    def query(self) -> str:
        """The query as it was asked."""
        return self.parsed.text

    @property
    def terms(self) -> tuple[str, ...]:
        """The tokens searched for."""
        return self.parsed.terms

    @property
    def kinds(self) -> tuple[DocumentKind, ...]:
        """Which kinds of document are searched."""
        return self.profile.kinds

    @property
    def filters_in_time(self) -> Filters | None:
        """The filters narrowed to the time the query names, or to the moment it is asked of.

        None where neither narrows them.
        """
        time, filters = self.parsed.time or Interval(None, None), self.filters
        after = None if self.as_of is None else self.as_of + 1
        since = max((t for t in (time.from_ms, filters.since) if t is not None), default=None)
        until = min(
            (t for t in (time.until_ms, filters.until, after) if t is not None), default=None
        )
        narrowed = replace(filters, since=since, until=until)
        return None if narrowed == filters else narrowed


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
    profile: SearchProfile = MEMORIES,
) -> SearchPlan:
    """A search of memories, and of turns that no memory has been made of yet.

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
    plan = _plan(query, profile, filters, limit, max_tokens, options, now=as_of)
    # What only the record holds is looked for there, whether it has been processed or not.
    filters = replace(filters, include_processed=bool(plan.parsed.literals))
    return replace(plan, as_of=as_of, filters=filters)


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
    profile: SearchProfile = TRANSCRIPT,
) -> SearchPlan:
    """A search of the verbatim record.

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
    plan = _plan(query, profile, filters, limit, max_tokens, options)
    return replace(plan, context=context)


def plan_context(
    query: str, *, max_tokens: int, workspace: str | None, options: SearchOptions
) -> SearchPlan:
    """A search of memories for a context package.

    Raises:
        InvalidInputError: an argument is out of bounds.
    """
    return plan_memories(
        query,
        limit=_CONTEXT_MEMORIES,
        max_tokens=max_tokens,
        workspace=workspace,
        options=options,
        profile=CONTEXT,
    )


def plan_evidence(
    query: str, *, max_tokens: int, workspace: str | None, options: SearchOptions
) -> SearchPlan:
    """A search of the record for a context package.

    Raises:
        InvalidInputError: an argument is out of bounds.
    """
    return plan_transcript(
        query,
        limit=_CONTEXT_TURNS,
        max_tokens=max_tokens,
        context=0,
        workspace=workspace,
        options=options,
        profile=EVIDENCE,
    )


def _plan(
    query: str,
    profile: SearchProfile,
    filters: Filters,
    limit: int,
    max_tokens: int,
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
    parsed = parse_query(text, terms, asked_at)
    return SearchPlan(parsed, profile, filters, limit, max_tokens, asked_at, options=options)


def _check_range(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidInputError(
            f"{name} is {quote_value(value)}; it must be from {least} to {most}."
        )
