"""Derived hits: the places of concepts and episodes beside the memories that they rest on.

The last stage of ranking. The hits come as `selection` has ordered them: each is relevant, repeats
are dropped, and diversity has had its say. This stage only moves derived hits back:

- behind the first memory that they rest on and that matches about as well: the exact one;
- behind what tells how it is now, where something that they rest on has changed;
- so that no more than two of them are among the first five, while others match nearly as well.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.selection import Selection
from memoria.store.rows.transaction import Transaction

_ALIKE = 0.75
"""Share of a derived hit's relevance from which a memory matches about as well."""
_FIRST = 5
_MOST_DERIVED = 2
"""Most derived hits among the first, where others match nearly as well."""


def place_derived(tx: Transaction, plan: SearchPlan, selection: Selection) -> Selection:
    """Move derived hits to their places."""
    derived = [each for each in selection.hits if is_derived(each)]
    if not derived or plan.as_of is not None:
        return selection
    leaders = _find_leaders(tx, derived, selection.hits)
    return replace(selection, hits=tuple(limit_derived(follow(selection.hits, leaders))))


def is_derived(hit: ScoredCandidate) -> bool:
    """Return whether a hit sums up a conversation or says what memories amount to."""
    return isinstance(hit.document, MemoryWording) and hit.document.memory.type.is_derived


def _find_leaders(
    tx: Transaction, derived: Sequence[ScoredCandidate], hits: Sequence[ScoredCandidate]
) -> Mapping[str, Collection[str]]:
    """Map each derived hit to the ids of the hits that it stands behind."""
    ids = [each.id for each in derived]
    leaders: dict[str, set[str]] = defaultdict(set)
    for change in tx.derivations.list_changed(ids):
        leaders[change.derived_id].add(change.id)
    sources: dict[str, set[str]] = defaultdict(set)
    for source in tx.derivations.sources(ids):
        if source.is_current and source.is_quoted:
            sources[source.derived_id].add(source.id)
    for one in derived:
        exact = (hit for hit in hits if _is_exact(hit, one, sources[one.id]))
        leaders[one.id] |= {hit.id for hit in islice(exact, 1)}
    return leaders


def _is_exact(hit: ScoredCandidate, derived: ScoredCandidate, source_ids: Collection[str]) -> bool:
    """Return whether a hit is what a derived one rests on, and matches about as well.

    A summary rests on what was concluded from its conversation.
    """
    session = _session_of(derived)
    is_source = hit.id in source_ids or (session is not None and _session_of(hit) == session)
    return is_source and not is_derived(hit) and hit.relevance >= _ALIKE * derived.relevance


def _session_of(hit: ScoredCandidate) -> str | None:
    """Return the session that the present wording of a memory is drawn from; None for a turn."""
    document = hit.document
    if not isinstance(document, MemoryWording):
        return None
    return document.version.provenance.session_id


def follow(
    hits: Sequence[ScoredCandidate], leaders: Mapping[str, Collection[str]]
) -> list[ScoredCandidate]:
    """Order the hits so that each is right behind the last of its leaders that is among them."""
    places = {hit.id: place for place, hit in enumerate(hits)}

    def place_after_leaders(hit: ScoredCandidate) -> tuple[int, bool, int]:
        own = places[hit.id]
        last = max((places[one] for one in leaders.get(hit.id, ()) if one in places), default=own)
        return max(own, last), last > own, own

    return sorted(hits, key=place_after_leaders)


def limit_derived(hits: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Limit derived hits among the first, unless what is left matches much worse."""
    first: list[ScoredCandidate] = []
    waiting: list[ScoredCandidate] = []
    rest = list(hits)
    while rest and len(first) < _FIRST:
        hit = rest.pop(0)
        if is_derived(hit) and sum(map(is_derived, first)) >= _MOST_DERIVED:
            waiting.append(hit)
        elif waiting and hit.relevance < _ALIKE * waiting[0].relevance:
            rest = [*waiting, hit, *rest]
            break
        else:
            first.append(hit)
    else:
        rest = [*waiting, *rest]
    return [*first, *rest]
