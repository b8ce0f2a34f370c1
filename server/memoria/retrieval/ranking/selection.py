"""Selection: which of the scored candidates are shown, and what becomes of the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from memoria.model import MemoryVersion
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.query.task import is_of_named_task
from memoria.retrieval.ranking.diversity import diversify, is_similar
from memoria.retrieval.ranking.score import MemoryWording, ScoredCandidate
from memoria.retrieval.ranking.successors import NO_SUCCESSORS, Successors, place_successors
from memoria.retrieval.ranking.updates import NO_UPDATES, Updates, place_updates

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
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    successors: Successors = NO_SUCCESSORS,
    updates: Updates = NO_UPDATES,
) -> Selection:
    """What passes the threshold, in an order in which no hit repeats the one before.

    What has taken the place of a hit, states it anew or denies it passes with it.
    """
    if plan.parsed.is_time_only:
        return Selection(tuple(scored))
    if not plan.terms:
        return Selection((), tuple(scored))  # no word was asked for, so nothing is an answer
    if not plan.profile.every_hit_must_fit:
        return _select_together(plan, scored, updates)
    passed = _add_linked(scored, [each for each in scored if _is_relevant(each)])
    passed = _add_successors(scored, passed, successors)
    passed = _add_updates(scored, passed, updates)
    ids = {each.candidate.n for each in passed}
    below = tuple(each for each in scored if each.candidate.n not in ids)
    repeats = _find_summarised_turns(passed)
    alike = _find_repeats([each for each in passed if each.candidate.n not in repeats])
    repeats |= alike - updates.documents  # those differ in the one word that matters
    hits = [each for each in passed if each.candidate.n not in repeats]
    if plan.profile.uses_diversity and plan.options.stages.diversity:
        hits = diversify(hits, plan.limit)
    hits.sort(key=lambda each: not _is_of_named_task(plan, each))  # each part keeps its order
    hits = place_updates(place_successors(hits, successors), updates)
    return Selection(
        tuple(hits), below, tuple(each for each in passed if each.candidate.n in repeats)
    )


def _select_together(
    plan: SearchPlan, scored: Sequence[ScoredCandidate], updates: Updates
) -> Selection:
    """The best, where one of the very best passes the threshold; else nothing."""
    if any(_is_relevant(each) for each in scored[:DECIDING_HITS]):
        return Selection(tuple(place_updates(scored, updates)[: plan.limit]))
    return Selection((), tuple(scored))


def _is_of_named_task(plan: SearchPlan, each: ScoredCandidate) -> bool:
    document = each.document
    return isinstance(document, MemoryWording) and is_of_named_task(plan, document.memory.task)


def _is_relevant(each: ScoredCandidate) -> bool:
    return each.margin >= 0


def _add_linked(
    scored: Sequence[ScoredCandidate], passed: Sequence[ScoredCandidate]
) -> list[ScoredCandidate]:
    """Where a hit names somebody, what else is known of them comes with it: the second step.

    "Who looks after the server" is answered by a name, and "how do I reach whoever does" by what
    is said under that name, which shares no word with the question and little of its meaning.
    """
    ids = {each.candidate.n for each in passed}
    return [
        each
        for each in scored
        if each.candidate.n in ids or (each.candidate.via in ids and not each.signals.is_of_others)
    ]


def _add_successors(
    scored: Sequence[ScoredCandidate], passed: Sequence[ScoredCandidate], successors: Successors
) -> list[ScoredCandidate]:
    """What has taken the place of a hit, whether it matches the question itself or not."""
    ids = {each.candidate.n for each in passed}
    wanted = {successors.by_n[n] for n in ids if n in successors.by_n}
    return [each for each in scored if each.candidate.n in ids | wanted]


def _add_updates(
    scored: Sequence[ScoredCandidate], passed: Sequence[ScoredCandidate], updates: Updates
) -> list[ScoredCandidate]:
    """What states a hit anew, and the other side of what contradicts it."""
    ids = {each.candidate.n for each in passed}
    wanted = {other for n in ids for other in updates.list_beside(n)}
    return [each for each in scored if each.candidate.n in ids | wanted]


def _find_summarised_turns(found: Sequence[ScoredCandidate]) -> set[int]:
    """The turns that one of the memories found was made of: it answers for them.

    A memory that says how it is now answers for the turns of its former wordings, too.
    """
    sources = {
        version.provenance.turn_id
        for each in found
        if isinstance(each.document, MemoryWording)
        for version in _list_versions_answered_for(each.document)
    }
    return {each.candidate.n for each in found if each.kind == "turn" and each.id in sources}


def _find_repeats(found: Sequence[ScoredCandidate]) -> set[int]:
    """Turns that say word for word what a better hit says."""
    better: list[ScoredCandidate] = []
    repeats: set[int] = set()
    for each in found:
        if each.kind == "turn" and any(
            is_similar(each.words, other.words, _REPEAT_SIMILARITY) for other in better
        ):
            repeats.add(each.candidate.n)
        else:
            better.append(each)
    return repeats


def _list_versions_answered_for(document: MemoryWording) -> tuple[MemoryVersion, ...]:
    """The wordings whose turns a hit stands for: of a present wording, the former ones as well."""
    is_present = document.version.n == document.memory.current.n
    return document.memory.versions if is_present else (document.version,)
