"""Selection: the scored candidates that are shown, and those that are not."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.query.task import is_of_named_task
from memoria.retrieval.ranking.diversity import diversify, word_similarity
from memoria.retrieval.ranking.echoes import place_echoes
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.stand_ins import stand_for_turns
from memoria.retrieval.ranking.successors import NO_SUCCESSORS, Successors, place_successors
from memoria.retrieval.ranking.threshold import DECIDING_HITS

_REPEAT_SIMILARITY = 0.9
_NEARLY_AS_GOOD = 0.4
"""Share of the best turn's score with which another is shown beside it. Of those below, none
answers on LoCoMo or BEAM: their recall@10 is the same without a bound, and lower from 0.5 on."""
HALF_AS_GOOD = 0.5
"""Share of the best conclusion's score below which none is a hit, where no limit is given."""
_LEAST_HITS = 3
"""Number of hits in any case: the best may be the question itself, as it was asked before."""
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
    """Return whether anything is shown of the candidates, which have their margins."""
    if plan.parsed.is_time_only or plan.profile.is_asked:
        return bool(scored)
    deciding = scored if plan.profile.every_hit_must_fit else scored[:DECIDING_HITS]
    return any(map(_is_relevant, deciding))


def select_hits(
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    successors: Successors = NO_SUCCESSORS,
) -> Selection:
    """Select the hits, without repeats, in their order; for an asked search, all that was found.

    Unasked they have to pass the threshold. What has taken the place of one that does passes with
    it.
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
    ids = {each.candidate.n for each in passed}
    below = tuple(each for each in scored if each.candidate.n not in ids)
    passed, repeats = stand_for_turns(passed, successors.spared)
    repeats |= _find_repeats([each for each in passed if each.candidate.n not in repeats])
    hits = [each for each in passed if each.candidate.n not in repeats]
    if plan.profile.uses_diversity and plan.options.stages.diversity:
        hits = diversify(hits, _CHOSEN_WITH_CARE)
    hits.sort(key=lambda each: not is_of_named_task(plan, each.task))  # each part keeps its order
    hits = place_successors(place_echoes(plan, hits), successors)
    dropped = tuple(each for each in passed if each.candidate.n in repeats)
    return Selection(tuple(hits), below, dropped)


def add_rest(plan: SearchPlan, selection: Selection, rest: Sequence[ScoredCandidate]) -> Selection:
    """Add what a high limit wants besides, behind all that was ranked with care.

    Args:
        plan: the search.
        selection: what of the ranking is shown.
        rest: what stands further down, best first, with margins.
    """
    known = {each.candidate.n for each in (*selection.hits, *selection.repeats)}
    new = [each for each in rest if each.candidate.n not in known]
    if not plan.profile.every_hit_must_fit:
        hits = (*selection.hits, *new) if selection.hits else ()
        return replace(selection, hits=hits)
    fitting = [each for each in new if plan.profile.is_asked or _is_relevant(each)]
    repeats = _find_repeats([*selection.hits, *fitting]) if fitting else set()
    return replace(
        selection,
        hits=(*selection.hits, *(each for each in fitting if each.candidate.n not in repeats)),
        below_threshold=(*selection.below_threshold, *(n for n in new if n not in fitting)),
        repeats=(*selection.repeats, *(n for n in fitting if n.candidate.n in repeats)),
    )


def limit_hits(plan: SearchPlan, selection: Selection) -> Selection:
    """Limit the hits to those that may be shown, and conclusions beyond that fit as well.

    Asked for without a limit, conclusions that are much worse than the best are left out, and none
    is beyond. Of the record none is beyond either.
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
    """Return the most hits to show, whatever is shown beside them; of a time, many."""
    return plan.limit if plan.is_limited or not plan.parsed.is_time_only else plan.profile.reads


def _select_together(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> Selection:
    """Select the best, where one of the very best passes the threshold; else nothing."""
    if has_hits(plan, scored):
        return Selection(tuple(place_echoes(plan, scored)))
    return Selection((), scored)


def _list_fitting(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """List what passes the threshold, and with one of the best turns those nearly as good."""
    turns = [each for each in scored if each.kind == "turn"]
    fitting = {each.candidate.n for each in scored if _is_relevant(each)}
    if plan.profile.shows_turns_together and any(map(_is_relevant, turns[:DECIDING_HITS])):
        fitting |= {each.candidate.n for each in turns if _is_nearly_as_good(each, turns[0])}
    return [each for each in scored if each.candidate.n in fitting]


def _is_nearly_as_good(turn: ScoredCandidate, best: ScoredCandidate) -> bool:
    """Return whether its score is, for its own words and not only for those around it."""
    signals = turn.signals
    speaks = signals.coverage > 0 or signals.cosine > 0 or signals.graph > 0
    return speaks and turn.score >= _NEARLY_AS_GOOD * best.score


def _is_relevant(each: ScoredCandidate) -> bool:
    return each.margin >= 0


def _add_linked(
    scored: Sequence[ScoredCandidate], passed: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """Add what is linked with a hit by somebody whom it names: the second step.

    "Who looks after the server" is answered by a name, and "how do I reach whoever does" by what
    is said under that name, which shares no word with the question and little of its meaning.
    """
    ids = {each.candidate.n for each in passed}
    return [each for each in scored if each.candidate.n in ids or each.candidate.via in ids]


def _add_successors(
    scored: Sequence[ScoredCandidate], passed: Sequence[ScoredCandidate], successors: Successors
) -> list[ScoredCandidate]:
    """Add what has taken the place of a hit, whether it matches the question or not."""
    ids = {each.candidate.n for each in passed}
    wanted = ids | {successors.find(n) for n in ids}
    return [each for each in scored if each.candidate.n in wanted]


def _find_repeats(found: Sequence[ScoredCandidate]) -> set[int]:
    """Find the turns that say word for word what a better hit says."""
    better: dict[int, list[frozenset[str]]] = defaultdict(list)  # by how many words they have
    repeats: set[int] = set()
    for each in found:
        words = each.words
        if each.kind == "turn" and any(
            word_similarity(words, other) >= _REPEAT_SIMILARITY
            for size in _list_sizes_alike(len(words))
            for other in better[size]
        ):
            repeats.add(each.candidate.n)
        else:
            better[len(words)].append(words)
    return repeats


def _list_sizes_alike(size: int) -> range:
    """List the numbers of words that a text may have to repeat one of that many."""
    return range(ceil(_REPEAT_SIMILARITY * size), floor(size / _REPEAT_SIMILARITY) + 1)
