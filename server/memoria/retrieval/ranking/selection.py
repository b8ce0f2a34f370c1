"""Select: which of the judged documents are shown, and what becomes of the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.diversity import diversify, is_similar
from memoria.retrieval.ranking.score import MemoryWording, ScoredCandidate
from memoria.retrieval.ranking.threshold import RelevanceThreshold

DECIDING_HITS = 10
"""How many of the best decide whether the record has anything to say, whatever is asked for."""
_REPEAT_SIMILARITY = 0.9


@dataclass(frozen=True, slots=True)
class Selection:
    """The hits in their order, and the documents that came to nothing."""

    hits: tuple[ScoredCandidate, ...]
    below_threshold: tuple[ScoredCandidate, ...] = ()
    """Best first."""
    repeats: tuple[ScoredCandidate, ...] = ()
    """What another hit says already."""


def select_hits(
    plan: SearchPlan, judged: Sequence[ScoredCandidate], threshold: RelevanceThreshold
) -> Selection:
    """What passes the gate, in an order in which no hit repeats the one before."""
    if plan.parsed.is_time_only:
        return Selection(tuple(judged))
    if not plan.terms:
        return Selection((), tuple(judged))  # no word was asked for, so nothing is an answer
    if not threshold.policy.applies_to_each:
        speaks = any(_is_relevant(each, threshold) for each in judged[:DECIDING_HITS])
        return Selection(tuple(judged[: plan.limit])) if speaks else Selection((), tuple(judged))
    passed = [each for each in judged if _is_relevant(each, threshold)]
    passed = _add_linked(judged, passed)
    ids = {each.candidate.n for each in passed}
    turned_away = tuple(each for each in judged if each.candidate.n not in ids)
    repeats = _find_summarised_turns(passed)
    repeats |= _find_repeats([each for each in passed if each.candidate.n not in repeats])
    kept = [each for each in passed if each.candidate.n not in repeats]
    said_already = tuple(each for each in passed if each.candidate.n in repeats)
    if plan.options.stages.diversity:
        kept = diversify(kept, plan.limit)
    return Selection(tuple(kept), turned_away, said_already)


def _is_relevant(each: ScoredCandidate, threshold: RelevanceThreshold) -> bool:
    return threshold.margin(each.kind, each.signals) >= 0


def _add_linked(
    judged: Sequence[ScoredCandidate], passed: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """Where a hit names somebody, what else is known of them comes with it: the second step.

    "Who looks after the server" is answered by a name, and "how do I reach whoever does" by what
    is told under that name, which shares no word with the question and little of its meaning.
    """
    ids = {each.candidate.n for each in passed}
    return [each for each in judged if each.candidate.n in ids or each.candidate.via in ids]


def _find_summarised_turns(found: Sequence[ScoredCandidate]) -> set[int]:
    """The turns from which one of the memories found was drawn: it answers for them."""
    drawn_from = {
        each.document.version.provenance.turn_id
        for each in found
        if isinstance(each.document, MemoryWording)
    }
    return {each.candidate.n for each in found if each.kind == "turn" and each.id in drawn_from}


def _find_repeats(found: Sequence[ScoredCandidate]) -> set[int]:
    """Turns that say word for word what a better hit says."""
    kept: list[ScoredCandidate] = []
    repeats: set[int] = set()
    for each in found:
        if each.kind == "turn" and any(
            is_similar(each.words, better.words, _REPEAT_SIMILARITY) for better in kept
        ):
            repeats.add(each.candidate.n)
        else:
            kept.append(each)
    return repeats
