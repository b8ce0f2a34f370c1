"""Selection: the scored candidates that are hits, in their order, and those that are not.

The last step moves derived hits (concepts and episodes) back, and moves nothing else:

- behind the first memory that they rest on and that matches about as well: the exact one;
- behind what tells how it is now, where something that they rest on has changed;
- so that no more than two of them are among the first five, while others match nearly as well.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from memoria.retrieval.query.plan import SearchPlan, is_of_named_task
from memoria.retrieval.ranking.candidates import MemoryWording, ScoredCandidate
from memoria.retrieval.ranking.repeats import diversify, find_repeats, place_echoes, stand_for_turns
from memoria.retrieval.ranking.successors import (
    NO_SUCCESSORS,
    Successors,
    find_successors,
    place_successors,
)
from memoria.retrieval.ranking.threshold import DECIDING_HITS
from memoria.store.rows.transaction import Transaction

_NEARLY_AS_GOOD = 0.4
"""Share of the best turn's score with which another turn is shown beside the best."""
HALF_AS_GOOD = 0.5
"""Share of the best memory's score below which no memory is a hit, if no limit is given."""
_LEAST_HITS = 3
"""Least number of hits: the best may be the question itself, as it was asked before."""
_CHOSEN_WITH_CARE = 50
"""Number of hits that make room for each other, whatever the limit."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The hits in their order, and the documents that came to nothing."""

    hits: tuple[ScoredCandidate, ...]
    below_threshold: Sequence[ScoredCandidate] = ()
    """Best first."""
    repeats: tuple[ScoredCandidate, ...] = ()
    """Documents that say what another hit says already."""


def has_hits(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> bool:
    """Return whether any of the scored candidates is shown."""
    if plan.parsed.is_time_only or plan.profile.is_asked:
        return bool(scored)
    deciding = scored if plan.profile.every_hit_must_fit else scored[:DECIDING_HITS]
    return any(map(_is_relevant, deciding))


def select_hits(
    plan: SearchPlan, scored: Sequence[ScoredCandidate], successors: Successors = NO_SUCCESSORS
) -> Selection:
    """Select the hits in their order, without repeats: in an asked search, from all that was found.

    If nobody has asked, hits have to pass the threshold, and their successors pass with them.
    """
    if plan.parsed.is_time_only:
        return Selection(tuple(scored))
    if not plan.terms:
        return Selection((), scored)  # no word was asked for, so nothing is an answer
    if not plan.profile.every_hit_must_fit:
        return _select_together(plan, scored)
    passed = scored
    if not plan.profile.is_asked:
        passed = _add_linked(scored, _list_fitting(plan, scored))
        passed = _add_successors(scored, passed, successors)
    ids = {each.n for each in passed}
    below = tuple(each for each in scored if each.n not in ids)
    passed, repeats = stand_for_turns(passed, successors.spared)
    repeats |= find_repeats([each for each in passed if each.n not in repeats])
    hits = [each for each in passed if each.n not in repeats]
    if plan.profile.uses_diversity and plan.options.stages.diversity:
        hits = diversify(hits, _CHOSEN_WITH_CARE)
    hits.sort(key=lambda each: not is_of_named_task(plan, each.task))  # each part keeps its order
    hits = place_successors(place_echoes(plan, place_led(plan, hits)), successors)
    dropped = tuple(each for each in passed if each.n in repeats)
    return Selection(tuple(hits), below, dropped)


_LEADING = 3
"""Number of the best hits that may lead to others."""
_MOST_LED = 2
"""Most hits that are moved up behind hits that lead to them."""
_BEARING = 0.1
"""Share of the way from unrelated to certain at which a cosine begins to tell something."""


def place_led(plan: SearchPlan, hits: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Move the best of the hits that a walk has reached right behind the hits that lead there.

    A hit that bears on nothing that was asked stays: a name that many memories share leads to it.
    """
    places = {each.n: place for place, each in enumerate(hits)}
    leading = {each.n: places[each.n] for each in hits[:_LEADING]}
    behind = {
        each.n: leading[leader]
        for each in hits
        if (leader := each.candidate.leader) in leading
        and places[each.n] > leading[leader] + 1
        and _bears(plan, each)
    }
    moved = dict(islice(behind.items(), _MOST_LED))
    return sorted(hits, key=lambda each: (moved.get(each.n, places[each.n]), places[each.n]))


def _bears(plan: SearchPlan, each: ScoredCandidate) -> bool:
    """Return whether a hit shares a word with the question, or some meaning."""
    known = plan.calibration
    least = known.unrelated + _BEARING * (known.certain - known.unrelated)
    return each.signals.coverage > 0 or each.signals.cosine >= least


def add_rest(plan: SearchPlan, selection: Selection, rest: Sequence[ScoredCandidate]) -> Selection:
    """Add to a selection the candidates that a high limit wants besides, behind all its hits.

    Args:
        plan: the search.
        selection: what is shown of the ranking.
        rest: candidates further down, best first, with margins.
    """
    known = {each.n for each in (*selection.hits, *selection.repeats)}
    new = [each for each in rest if each.n not in known]
    if not plan.profile.every_hit_must_fit:
        hits = (*selection.hits, *new) if selection.hits else ()
        return replace(selection, hits=hits)
    fitting = [each for each in new if plan.profile.is_asked or _is_relevant(each)]
    repeats = find_repeats([*selection.hits, *fitting]) if fitting else set()
    return replace(
        selection,
        hits=(*selection.hits, *(each for each in fitting if each.n not in repeats)),
        below_threshold=(*selection.below_threshold, *(n for n in new if n not in fitting)),
        repeats=(*selection.repeats, *(n for n in fitting if n.n in repeats)),
    )


def limit_hits(plan: SearchPlan, selection: Selection) -> Selection:
    """Drop the hits beyond the limit; if nobody has asked, memories beyond it that fit are kept.

    Without a limit, hits of an asked search that are much worse than the best are dropped.
    """
    hits = selection.hits
    if not plan.profile.every_hit_must_fit or plan.parsed.is_time_only:
        return replace(selection, hits=hits[: count_hits(plan)])
    if not plan.profile.is_asked:
        beyond = filter(_is_relevant, hits[plan.limit :])
        return replace(selection, hits=(*hits[: plan.limit], *beyond))
    if plan.is_limited:
        return selection
    least = HALF_AS_GOOD * max((each.score for each in hits), default=0.0)
    good = tuple(h for at, h in enumerate(hits) if at < _LEAST_HITS or h.score >= least)
    worse = (h for at, h in enumerate(hits) if at >= _LEAST_HITS and h.score < least)
    return replace(selection, hits=good, below_threshold=(*worse, *selection.below_threshold))


def count_hits(plan: SearchPlan) -> int:
    """Return the most hits to show; for a question of nothing but a time there are many."""
    return plan.limit if plan.is_limited or not plan.parsed.is_time_only else plan.profile.reads


def _select_together(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> Selection:
    """Select all candidates if anything may be shown; else nothing."""
    if has_hits(plan, scored):
        return Selection(tuple(place_echoes(plan, scored)))
    return Selection((), scored)


def _list_fitting(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """List the candidates that pass the threshold, and turns nearly as good as the best turn."""
    turns = [each for each in scored if each.kind == "turn"]
    fitting = {each.n for each in scored if _is_relevant(each)}
    if plan.profile.shows_turns_together and any(map(_is_relevant, turns[:DECIDING_HITS])):
        fitting |= {each.n for each in turns if _is_nearly_as_good(each, turns[0])}
    return [each for each in scored if each.n in fitting]


def _is_nearly_as_good(turn: ScoredCandidate, best: ScoredCandidate) -> bool:
    """Return whether a turn is nearly as good as the best, and not only for the words around it."""
    signals = turn.signals
    speaks = signals.coverage > 0 or signals.cosine > 0 or signals.graph > 0
    return speaks and turn.score >= _NEARLY_AS_GOOD * best.score


def _is_relevant(each: ScoredCandidate) -> bool:
    return each.margin >= 0


def _add_linked(
    scored: Sequence[ScoredCandidate], passed: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """Add the candidates to which the graph leads from a hit, by somebody whom the hit names.

    "Who looks after the server" is answered by a name, and "how do I reach whoever does" by what
    is said under that name, which shares no word with the question and little of its meaning.
    """
    ids = {each.n for each in passed}
    return [each for each in scored if each.n in ids or each.candidate.via in ids]


def _add_successors(
    scored: Sequence[ScoredCandidate], passed: Sequence[ScoredCandidate], successors: Successors
) -> list[ScoredCandidate]:
    """Add the successors of hits, whether they match the question or not."""
    ids = {each.n for each in passed}
    wanted = ids | {successors.recorded.get(n) for n in ids}
    return [each for each in scored if each.n in wanted]


_ALIKE = 0.75
"""Share of a derived hit's relevance with which a memory matches about as well."""
_FIRST = 5
_MOST_DERIVED = 2
"""Most derived hits among the first, where other hits match nearly as well."""


def place_derived(tx: Transaction, plan: SearchPlan, selection: Selection) -> Selection:
    """Move derived hits behind their sources, and limit them among the first hits."""
    derived = [each for each in selection.hits if is_derived(each)]
    if not derived or plan.as_of is not None:
        return selection
    leaders = _find_leaders(tx, derived, selection.hits)
    return replace(selection, hits=tuple(limit_derived(follow(selection.hits, leaders))))


def is_derived(hit: ScoredCandidate) -> bool:
    """Return whether a hit is a concept or an episode."""
    return isinstance(hit.document, MemoryWording) and hit.document.memory.type.is_derived


def _find_leaders(
    tx: Transaction, derived: Sequence[ScoredCandidate], hits: Sequence[ScoredCandidate]
) -> Mapping[str, Collection[str]]:
    """Map the id of each derived hit to the ids of the hits that it has to stand behind."""
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
    """Return whether a derived hit rests on another hit, which matches about as well.

    An episode rests on what was concluded from its conversation.
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
    """Order the hits so that each is right behind the last of its leaders that is a hit."""
    places = {hit.id: place for place, hit in enumerate(hits)}

    def place_after_leaders(hit: ScoredCandidate) -> tuple[int, bool, int]:
        own = places[hit.id]
        last = max((places[one] for one in leaders.get(hit.id, ()) if one in places), default=own)
        return max(own, last), last > own, own

    return sorted(hits, key=place_after_leaders)


def limit_derived(hits: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Limit derived hits among the first, unless the other hits match much worse."""
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


@dataclass(frozen=True, slots=True)
class ChosenHits:
    """The hits in their order, and their successors."""

    selection: Selection
    successors: Successors


def choose_hits(
    tx: Transaction,
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    rest: Sequence[ScoredCandidate],
    weights: Mapping[str, float],
) -> ChosenHits:
    """Choose the hits of a search, in their order.

    Args:
        tx: where the candidates were found.
        plan: the search.
        scored: the candidates, best first, with their margins.
        rest: candidates that a high limit wants besides, which follow behind all hits.
        weights: the terms asked for, with their weights.
    """
    scored, successors = find_successors(tx, plan, scored, weights)
    selection = place_derived(tx, plan, select_hits(plan, scored, successors))
    if rest:
        selection = add_rest(plan, selection, rest)
        _, later = find_successors(tx, plan, rest, weights)
        successors = successors.join(later)
    return ChosenHits(limit_hits(plan, selection), successors)
