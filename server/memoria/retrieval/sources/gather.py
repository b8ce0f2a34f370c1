"""Gathering of candidates: each source is asked by itself, and the results stand side by side.

The sources are words (BM25), quoted phrases, vectors, the graph, and the calendar for a question of
a time and of nothing in particular. Such a question is asked to hear what was going on, so each
session of the time is heard before any of them twice, by its first turn: those of the project that
asks, then the others, the newest first.

Every source may be absent: no embedder, no vector yet, nobody in the query whom the graph knows. A
search goes on with the others and says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from memoria.errors import EmbedderError
from memoria.language.reading.excerpt import Span
from memoria.language.words.characters import is_cjk_character
from memoria.model import DAY_MS, PartReport
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.sources.graph import GraphExpansion, search_graph
from memoria.retrieval.sources.vectors import (
    DEPTH,
    OFF,
    AskedVector,
    FoundScores,
    ReadVectors,
    read_passages,
)
from memoria.store.features import SESSION_BITS
from memoria.store.rows.transaction import Transaction

_DEPTH_IN_TIME = 100
"""Number of further documents looked for in the period that the query names."""


def search_text(tx: Transaction, plan: SearchPlan) -> FoundScores:
    """Search the full text; where too much is found, also within the period asked for."""
    if "text" in plan.options.without:
        return {}, PartReport(part="text", state="off", why=OFF)
    if not plan.terms:
        return {}, PartReport(part="text", state="idle", why="the question holds no word")
    found = dict(tx.documents.match(plan.kinds, plan.terms, plan.filters, DEPTH))
    in_time = plan.filters_in_time
    if in_time is not None and len(found) >= DEPTH:
        found.update(tx.documents.match(plan.kinds, plan.terms, in_time, _DEPTH_IN_TIME))
    return found, PartReport(part="text", state="used", found=len(found))


def search_phrases(tx: Transaction, plan: SearchPlan) -> dict[int, float]:
    """Map documents that hold a quoted phrase of the query to their scores by that phrase."""
    if "text" in plan.options.without or not plan.options.stages.phrases:
        return {}
    found: dict[int, float] = {}
    for phrase in plan.parsed.phrases:
        of_runs = [
            dict(tx.documents.match(plan.kinds, [run], plan.filters, DEPTH)) for run in phrase
        ]
        held = set.intersection(*map(set, of_runs))
        found |= {n: sum(scores[n] for scores in of_runs) for n in held}
    return found


_RECENT_DEPTH = 100
_DEPTH_OF_SESSIONS = 1000
"""Most documents of a period, so that all sessions of a busy week are known."""
_SHORT_MS = 8 * DAY_MS
"""Longest period whose sessions are listed though other words are asked for: a week and a day."""


def search_recent(tx: Transaction, plan: SearchPlan) -> tuple[tuple[int, ...], PartReport]:
    """List the newest documents of the period asked for: one of each session, then the others."""
    if not plan.parsed.is_time_only:
        why = "the question asks for more than a time"
        return (), PartReport(part="recent", state="idle", why=why)
    if plan.parsed.time is None:
        found = _list_recent(tx, plan, _RECENT_DEPTH)
    else:
        found = _hear_sessions(tx, plan, _list_recent(tx, plan, _DEPTH_OF_SESSIONS))[:_RECENT_DEPTH]
    return found, PartReport(part="recent", state="used", found=len(found))


def settle_time(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """Return a plan that asks for a period or for words, whichever can be found.

    Where a question of nothing but a period finds nothing, its words are searched for instead.
    Where nobody said any of the other words in a named day or week, its sessions are listed.
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
    """Return whether anything of the named period holds a discriminative word of the question."""
    terms = plan.parsed.discriminative
    words = [term for term in terms if not is_cjk_character(term)] or terms
    return bool(tx.documents.match(plan.kinds, words, plan.filters_in_time or plan.filters, 1))


def _hear_sessions(tx: Transaction, plan: SearchPlan, found: Sequence[int]) -> tuple[int, ...]:
    """Order found documents, with the first turn of each session before the others."""
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


_WORD_SHARE = 0.5
"""Weight of the best score by words in the choice of documents where the graph begins."""


@dataclass(frozen=True, slots=True)
class SourceScores:
    """Scores of each source, by document number."""

    bm25: Mapping[int, float]
    cosine: Mapping[int, float]
    """Cosines of the nearest documents."""
    awaiting_vector: frozenset[int] = frozenset()
    """Documents found by BM25 that are too new to have a vector."""
    expansion: GraphExpansion = field(default_factory=GraphExpansion)
    recent: tuple[int, ...] = ()
    """Documents of a period, newest first, where the query asks for nothing else."""
    reports: tuple[PartReport, ...] = ()
    passages: Mapping[int, Span] = field(default_factory=dict)
    """Span of each long turn's nearest passage."""
    holding_phrase: frozenset[int] = frozenset()
    """Documents that hold a phrase that the query has in quotation marks."""


def gather(
    tx: Transaction, plan: SearchPlan, asked: AskedVector, read_vectors: ReadVectors
) -> SourceScores:
    """Ask all sources.

    Args:
        tx: where to look.
        plan: the search.
        asked: the query's vector.
        read_vectors: returns the documents nearest to the vector (`search_vectors_beside`).
    """
    words, text = search_text(tx, plan)
    phrases = search_phrases(tx, plan)
    nearest, vectors = read_vectors()
    bm25 = {**phrases, **words}
    try:
        cosine, spans = read_passages(tx, plan, asked.read(), bm25, nearest)
    except EmbedderError as error:
        cosine, spans = nearest, {}
        vectors = PartReport(part="vectors", state="missing", why=str(error))
    expansion, graph = search_graph(tx, plan, _combine_scores(bm25, cosine))
    recent, newest = search_recent(tx, plan)
    unseen = [n for n in bm25 if n not in cosine] if cosine else []
    awaiting = frozenset(tx.documents.awaiting_vectors(unseen)) if unseen else frozenset[int]()
    reports = (text, vectors, graph, newest)
    return SourceScores(
        bm25, cosine, awaiting, expansion, recent, reports, spans, frozenset(phrases)
    )


def _combine_scores(bm25: Mapping[int, float], cosine: Mapping[int, float]) -> dict[int, float]:
    """Map the documents found to a score of words and meaning, 0 to 1."""
    top = max(bm25.values(), default=0.0)
    missed = {n: 1 - _WORD_SHARE * score / top for n, score in bm25.items()} if top > 0 else {}
    for n, score in cosine.items():
        missed[n] = missed.get(n, 1.0) * (1 - score if score > 0 else 1.0)
    return {n: 1 - share for n, share in missed.items()}
