"""Plan of a search: a parsed query with its filters, bounds, profile and task.

Memories of the task in hand gain a little (`ranking.score`): whoever mends the parser and asks for
a decision means the parser's. A search that names a task is narrowed to that task: its memories
come first, those of no task follow, and those of other tasks are left out.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from memoria.errors import InvalidInputError, shorten
from memoria.inference import DEFAULT_CALIBRATION, Calibration
from memoria.language.asking.aim import Aim, find_aim, find_subject
from memoria.language.asking.parse import MOST_REMEMBERED, ParsedQuery, list_questions, parse_query
from memoria.language.calls.error import error_keys
from memoria.language.dates import Interval
from memoria.language.lazy import remember_results
from memoria.language.names.keys import same_task
from memoria.language.words.analyser import query_terms
from memoria.memories.task_in_hand import find_task_in_hand
from memoria.model import MemoryType, Role, as_instant, now_millis
from memoria.model.metadata import write_metadata
from memoria.model.moments import Zone
from memoria.model.query import MemoryQuery, SearchQuery, TranscriptQuery, build_query
from memoria.retrieval.query.options import (
    CONTEXT,
    DEFAULT_OPTIONS,
    EVIDENCE,
    MEMORIES,
    TRANSCRIPT,
    UNASKED,
    SearchOptions,
    SearchProfile,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, Filters

EVERYWHERE = "*"
"""Name that stands for every workspace."""
_MAX_QUERY_CHARS = 4000
_CONTEXT_MEMORIES = 8
_CONTEXT_TURNS = 4
_UNASKED_MEMORIES = 8
"""Most memories found for a prompt, before those of the session itself are left out."""


class AskedCalls(NamedTuple):
    """A question about recorded tool calls."""

    file: str | None
    error: str | None
    command: str | None
    is_alone: bool
    """True if nothing was asked in words beside."""

    @property
    def words(self) -> str:
        """What is asked for, in words."""
        name = self.file and self.file.rstrip("/").rpartition("/")[2]
        keys = error_keys(self.error)[:2] if self.error else ()
        return " ".join(filter(None, (name, *keys, self.command))) or self.error or ""


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search, ready to run."""

    asked: str
    """Question as it was asked."""
    parsed: ParsedQuery
    """Query that is searched for."""
    profile: SearchProfile
    filters: Filters
    limit: int
    """Most hits: the number asked for, or else the profile's."""
    max_tokens: int
    now: int
    """Time of the question, UTC epoch milliseconds."""
    is_limited: bool = False
    """True if whoever asks has given a limit; else the budget decides how many hits are shown."""
    context: int = 0
    """Number of neighbouring turns to show on each side of a hit."""
    as_of: int | None = None
    """Moment whose truth is asked for; None for the present."""
    options: SearchOptions = DEFAULT_OPTIONS
    calls: AskedCalls | None = None
    """File, error or command that is asked for."""
    tasks: tuple[str, ...] | None = None
    """Names on record of the task that the search is narrowed to; None for no task."""
    task_note: str | None = None
    """Note on the memories that a search narrowed to a task leaves out."""
    name_notes: tuple[str, ...] = ()
    """Notes on names that stand nowhere on record and were taken for others."""
    is_reworded: bool = False
    """True if whoever asks has given other wordings."""
    variants: tuple[ParsedQuery, ...] = ()
    """Other wordings of the question, each searched for as well."""
    calibration: Calibration = DEFAULT_CALIBRATION
    """Meaning of the embedder's cosines."""

    @property
    def query(self) -> str:
        """Text searched for."""
        return self.parsed.text

    @property
    def terms(self) -> tuple[str, ...]:
        """Tokens searched for."""
        return self.parsed.terms

    def list_searches(self) -> "tuple[SearchPlan, ...]":
        """List a plan for the question, then a plan for each variant."""
        if not self.variants:
            return (self,)
        own = replace(self, variants=())
        return (own, *(replace(own, parsed=each) for each in self.variants))

    def with_processed_turns(self) -> "SearchPlan":
        """Return this plan, but with turns that a chat model has read."""
        profile = replace(self.profile, only_unprocessed_turns=False)
        return replace(self, profile=profile, filters=replace(self.filters, include_processed=True))

    @property
    def kinds(self) -> tuple[DocumentKind, ...]:
        """Kinds of document that are searched."""
        return self.profile.kinds

    @property
    def filters_in_time(self) -> Filters | None:
        """Filters narrowed to the time that the query names, or to `as_of`; None for neither."""
        time, filters = self.parsed.time or Interval(None, None), self.filters
        after = None if self.as_of is None else self.as_of + 1
        since = max((t for t in (time.from_ms, filters.since) if t is not None), default=None)
        until = min(
            (t for t in (time.until_ms, filters.until, after) if t is not None), default=None
        )
        narrowed = replace(filters, since=since, until=until)
        return None if narrowed == filters else narrowed


class _Question(NamedTuple):
    """A question taken apart."""

    asked_at: int
    parsed: ParsedQuery
    variants: tuple[ParsedQuery, ...]


def plan_memories(
    query: MemoryQuery,
    options: SearchOptions = DEFAULT_OPTIONS,
    profile: SearchProfile = MEMORIES,
    asked_at: int | None = None,
) -> SearchPlan:
    """Plan a search of memories, and of turns that no chat model has read.

    `asked_at` is the time of the question, by default the present.
    """
    as_of = as_instant("as_of", query.as_of, options.zone)
    question = _read_question(query, options, asked_at if as_of is None else as_of)
    filters = _read_filters(
        query,
        options.zone,
        types=query.types,
        include_history=query.include_history or as_of is not None,
        # What only the record holds is looked for there, whether it has been processed or not.
        include_processed=bool(question.parsed.literals),
    )
    return _plan(query, question, profile, filters, options, as_of=as_of)


def plan_transcript(
    query: TranscriptQuery,
    options: SearchOptions = DEFAULT_OPTIONS,
    profile: SearchProfile = TRANSCRIPT,
    asked_at: int | None = None,
) -> SearchPlan:
    """Plan a search of the verbatim record; `asked_at` is the time of the question."""
    question = _read_question(query, options, asked_at)
    filters = _read_filters(
        query,
        options.zone,
        roles=() if query.role is None else (query.role,),
        tool=query.tool or None,
        include_history=query.include_history,
        include_processed=True,
    )
    return _plan(query, question, profile, filters, options, context=query.context)


def plan_context(
    query: str, *, max_tokens: int, workspace: str | None, options: SearchOptions
) -> SearchPlan:
    """Plan a search of memories for a context package.

    Raises:
        InvalidInputError: an argument is out of bounds.
    """
    fields = {"max_tokens": max_tokens, "workspace": workspace, "limit": _CONTEXT_MEMORIES}
    return plan_memories(build_query(MemoryQuery, {"query": query, **fields}), options, CONTEXT)


def plan_unasked(prompt: str, *, workspace: str | None, options: SearchOptions) -> SearchPlan:
    """Plan a search for what bears on a prompt, though nobody has searched.

    Raises:
        InvalidInputError: an argument is out of bounds.
    """
    fields = {"query": prompt, "workspace": workspace, "limit": _UNASKED_MEMORIES}
    return plan_memories(build_query(MemoryQuery, fields), options, UNASKED)


def plan_evidence(
    query: str, *, max_tokens: int, workspace: str | None, options: SearchOptions
) -> SearchPlan:
    """Plan a search of the record for a context package.

    Raises:
        InvalidInputError: an argument is out of bounds.
    """
    fields = {"max_tokens": max_tokens, "workspace": workspace, "limit": _CONTEXT_TURNS}
    record = build_query(TranscriptQuery, {"query": query, "context": 0, **fields})
    return plan_transcript(record, options, EVIDENCE)


def _read_filters(
    query: SearchQuery,
    zone: Zone,
    *,
    types: tuple[MemoryType, ...] = (),
    roles: tuple[Role, ...] = (),
    tool: str | None = None,
    include_history: bool,
    include_processed: bool,
) -> Filters:
    since, until = (
        as_instant(name, text, zone)
        for name, text in (("since", query.since), ("until", query.until))
    )
    if since is not None and until is not None and since >= until:
        raise InvalidInputError("since must be before until.")
    return Filters(
        since=since,
        until=until,
        metadata=write_metadata(query.metadata),
        session_id=query.session_id or None,  # some clients send "" for what they leave out
        roles=roles,
        tool=tool,
        types=types,
        include_history=include_history,
        workspace=query.workspace,
        everywhere=query.workspace == EVERYWHERE,
        include_processed=include_processed,
    )


def _read_question(query: SearchQuery, options: SearchOptions, now: int | None) -> _Question:
    """Take apart a question asked at `now`, by default the present."""
    asked_at = now_millis() if now is None else now
    calls = _read_calls(query)
    first = query.query if calls is None or not calls.is_alone else calls.words
    texts = [text.strip()[:_MAX_QUERY_CHARS] for text in (first, *query.queries)]
    wordings = dict.fromkeys((texts[0], *list_questions(texts[0]), *texts[1:]))
    parsed, *variants = (_parse(text, asked_at, options.zone) for text in wordings)
    return _Question(asked_at, parsed, tuple(variants))


def _plan(
    query: SearchQuery,
    question: _Question,
    profile: SearchProfile,
    filters: Filters,
    options: SearchOptions,
    *,
    context: int = 0,
    as_of: int | None = None,
) -> SearchPlan:
    calls = _read_calls(query)
    plan = SearchPlan(
        query.query.strip() or (calls.words if calls else ""),
        question.parsed,
        profile,
        filters,
        query.limit or profile.most_hits,
        query.max_tokens,
        question.asked_at,
        is_limited=query.limit is not None,
        context=context,
        as_of=as_of,
        options=options,
        is_reworded=bool(query.queries),
        variants=question.variants,
        calls=calls,
    )
    return plan if calls is None else plan.with_processed_turns()


def _read_calls(query: SearchQuery) -> AskedCalls | None:
    """Return the file, the error and the command that are asked for; None for none."""
    if not query.asks_for_calls:
        return None
    named = (one.strip() if one else None for one in (query.file, query.error, query.command))
    file, error, command = (one or None for one in named)
    return AskedCalls(file, error, command, is_alone=not query.query.strip())


def reword(plan: SearchPlan, text: str) -> SearchPlan:
    """Return a plan for the same search in other words."""
    return replace(plan, parsed=_parse(text, plan.now, plan.options.zone))


def _parse(text: str, now: int, zone: Zone) -> ParsedQuery:
    aim, terms = _read_subject(text)
    return parse_query(text, terms, now, zone, aim)


@remember_results(MOST_REMEMBERED)
def _read_subject(text: str) -> tuple[Aim, tuple[str, ...]]:
    """Return the aim of a question, and the tokens of what it is about."""
    aim = find_aim(text)
    return aim, query_terms(find_subject(text, aim)) or query_terms(text)


def resolve_task(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """Add the task in hand to a plan: given, the asking session's, or the latest."""
    options = plan.options
    if options.is_narrowed and options.task:
        return _narrow_to_task(tx, plan, options.task)
    if options.task is not None:
        return plan
    task = find_task_in_hand(tx, options.session, plan.filters.workspace, plan.now)
    return replace(plan, options=replace(options, task=task))


def is_of_named_task(plan: SearchPlan, task: str | None) -> bool:
    """Return whether a memory's task is the one that the search is narrowed to."""
    return plan.tasks is not None and task in plan.tasks


def is_of_another_task(plan: SearchPlan, task: str | None) -> bool:
    """Return whether a memory's task is another than the one that the search is narrowed to."""
    return plan.tasks is not None and task is not None and task not in plan.tasks


def _narrow_to_task(tx: Transaction, plan: SearchPlan, named: str) -> SearchPlan:
    known = tx.tasks.list_names()
    own = tuple(task for task in known if _is_same(task, named))
    if not own:
        note = f"no memory is noted for the task {shorten(named)}; those of no task are shown"
    elif len(own) < len(known):
        note = f"narrowed to the task {shorten(named)}: memories of other tasks are left out"
    else:
        note = None
    return replace(plan, tasks=own, task_note=note)


def _is_same(task: str, named: str) -> bool:
    return task.casefold() == named.strip().casefold() or same_task(task, named)
