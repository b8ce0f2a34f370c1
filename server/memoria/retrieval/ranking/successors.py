"""Successors: present statements, which stand above the statements that they have replaced.

A turn that says "My name is Lin." matches "What is my name?" as well as the memory that corrected
the name to Lina, and often better. So where a memory was concluded from a turn, or confirmed by it,
and has been given another wording, the memory stands before the turn, and the turn is marked. The
present wording is added where the question did not find it. A turn that says more than that, and is
found for the rest of what it says, stays a hit for the rest: that part is shown.

Former wordings that were asked for come after the present one likewise. A question of a past moment
is exempt: what held then comes first.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from memoria.language.reading.excerpt import ExcerptFinder, Span, trim_span, weigh_evenly
from memoria.language.reading.statement import is_stated_in, peel, says_the_same
from memoria.language.words.analyser import distinct_tokens, tokens
from memoria.language.words.document import full_text
from memoria.model import Memory, StoredTurn, Validity
from memoria.retrieval.query.plan import SearchPlan, is_of_another_task
from memoria.retrieval.ranking.candidates import MemoryWording, ScoredCandidate, passes_filters
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Successor


@dataclass(frozen=True, slots=True)
class Successors:
    """Candidates that have been replaced, with their successors."""

    recorded: Mapping[int, int] = field(default_factory=dict)
    """Number of the present wording that stands before each document."""
    outdated: frozenset[int] = frozenset()
    """Documents that have been replaced, if only by a wording that may not be shown."""
    spared: Mapping[int, Span] = field(default_factory=dict)
    """Span, by turn, of the part that the turn is found for and that nothing has replaced."""

    def join(self, further: "Successors") -> "Successors":
        """Return these successors joined with those of candidates further down."""
        return Successors(
            {**further.recorded, **self.recorded},
            self.outdated | further.outdated,
            {**further.spared, **self.spared},
        )


NO_SUCCESSORS = Successors()


def find_successors(
    tx: Transaction,
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    weights: Mapping[str, float],
) -> tuple[Sequence[ScoredCandidate], Successors]:
    """Add the successors that are missing among the candidates; return both.

    Args:
        tx: where to look.
        plan: the search.
        scored: the candidates that may be shown, best first.
        weights: the terms asked for, with their weights.
    """
    if not is_current_first(plan) or not scored:
        return scored, NO_SUCCESSORS
    known, spared = _list_recorded(tx, plan, scored, weights)
    missing = set(known.values()) - {each.n for each in scored}
    memories = tx.memories.by_version_numbers(sorted(missing)) if missing else {}
    added = [
        _in_place_of(each, memory)
        for each in _first_by_successor(scored, known)
        if (memory := memories.get(known[each.n])) and _may_be_shown(memory, plan)
    ]
    everything = [*scored, *added]
    ns = {each.n for each in everything}
    recorded = {n: successor for n, successor in known.items() if successor in ns}
    return everything, Successors(recorded, frozenset(known), spared)


def is_current_first(plan: SearchPlan) -> bool:
    """Return whether a search places successors above what they have replaced."""
    is_of_now = plan.as_of is None and not plan.parsed.is_time_only
    return plan.options.stages.current and plan.profile.every_hit_must_fit and is_of_now


def place_successors(
    hits: Sequence[ScoredCandidate], successors: Successors
) -> list[ScoredCandidate]:
    """Order the hits so that each successor is before the hits that it has replaced."""
    by_n = {each.n: each for each in hits}
    placed: dict[int, None] = {}
    for n in by_n:
        line = [n]
        while (successor := successors.recorded.get(line[-1])) in by_n and successor not in line:
            line.append(successor)
        placed |= dict.fromkeys(reversed(line))
    return [by_n[n] for n in placed]


def list_superseded(
    tx: Transaction, plan: SearchPlan, hits: Sequence[ScoredCandidate], successors: Successors
) -> dict[int, str | None]:
    """Map the hits that no longer hold to the sentence that does not, or to None for the whole.

    Args:
        tx: where to look.
        plan: the search.
        hits: what is shown.
        successors: the successors that a search of memories has found.
    """
    if plan.profile.every_hit_must_fit:  # an active memory is stated anew, and stays active
        outdated = (each.n for each in hits if _may_be_outdated(each))
        return dict.fromkeys(n for n in outdated if n in successors.outdated)
    texts = {
        each.n: full_text(each.document) for each in hits if isinstance(each.document, StoredTurn)
    }
    if not texts or not plan.options.stages.current or plan.as_of is not None:
        return {}
    formers: dict[int, list[str]] = defaultdict(list)
    for one in _list_successors(tx, plan, list(texts)):
        formers[one.n].append(one.former)
    return {n: _find_replaced_part(texts[n], told) for n, told in formers.items()}


def _find_replaced_part(text: str, formers: Sequence[str]) -> str | None:
    """Return the sentence that says the last former wording; None if a text says nothing else."""
    spans = [ExcerptFinder(text, weigh_evenly(tokens(one))).best_sentence for one in formers]
    kept = (c for at, c in enumerate(text) if not any(a <= at < b for a, b in spans))
    further = distinct_tokens("".join(kept)) - set().union(*map(distinct_tokens, formers))
    return text[slice(*trim_span(text, *spans[-1]))] if further else None


def _list_recorded(
    tx: Transaction,
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    weights: Mapping[str, float],
) -> tuple[dict[int, int], dict[int, Span]]:
    """Map replaced documents to their successors, and spared turns to the part that still holds."""
    outdated = {each.n: each for each in scored if _may_be_outdated(each)}
    replaced: dict[int, list[Successor]] = defaultdict(list)
    for one in _list_successors(tx, plan, list(outdated)) if outdated else ():
        replaced[one.n].append(one)
    spared = {n: _find_spared(outdated[n], ones, weights) for n, ones in replaced.items()}
    known = {n: ones[-1].successor for n, ones in replaced.items() if spared[n] is None}
    return known, {n: span for n, span in spared.items() if span is not None}


def _find_spared(
    each: ScoredCandidate, replaced: Sequence[Successor], weights: Mapping[str, float]
) -> Span | None:
    """Return the part of a turn around the sentence it is found for; None if that was replaced.

    The sentence that has most of a former wording's words is the replaced one.
    """
    if not isinstance(each.document, StoredTurn):
        return None
    text = full_text(each.document)
    asked = ExcerptFinder(text, weights, each.candidate.passage).best_sentence
    sentence = text[slice(*asked)]
    start, end = 0, len(text)
    for one in replaced:
        said = ExcerptFinder(text, weigh_evenly(tokens(one.former))).best_sentence
        is_replaced = asked == said or is_stated_in(sentence, one.former)
        if is_replaced or not _tells_more(sentence, text[slice(*said)], weights):
            return None
        start, end = (max(start, said[1]), end) if said < asked else (start, min(end, said[0]))
    return trim_span(text, start, end)


def _tells_more(one: str, other: str, weights: Mapping[str, float]) -> bool:
    """Return whether a sentence has more of the terms asked for than another sentence."""
    told, known = (
        fsum(weights[term] for term in distinct_tokens(text) if term in weights)
        for text in (one, other)
    )
    return told > known


def _may_be_outdated(each: ScoredCandidate) -> bool:
    document = each.document
    if isinstance(document, StoredTurn):
        return True
    is_former = document.version.n != document.memory.current.n
    return is_former or document.memory.validity is Validity.SUPERSEDED


def _list_successors(tx: Transaction, plan: SearchPlan, ns: Sequence[int]) -> list[Successor]:
    """List the successors whose present wording says something else than the former one."""
    found = tx.memories.list_successors(ns, plan.filters)
    still_true = {each.n for each in found if _says_the_same(each.present, each.former)}
    return [each for each in found if each.n not in still_true]


def _says_the_same(present: str, former: str) -> bool:
    return says_the_same(peel(present), peel(former))


def _first_by_successor(
    scored: Sequence[ScoredCandidate], known: Mapping[int, int]
) -> Iterator[ScoredCandidate]:
    """Yield, for each successor, the best candidate that it has replaced."""
    seen: set[int] = set()
    for each in scored:
        successor = known.get(each.n)
        if successor is not None and successor not in seen:
            seen.add(successor)
            yield each


def _in_place_of(each: ScoredCandidate, memory: Memory) -> ScoredCandidate:
    """Return a memory's present wording as a candidate, scored as the candidate it has replaced."""
    wording = MemoryWording(memory, memory.current)
    candidate = each.candidate._replace(n=memory.current.n, indexed=None)
    words = distinct_tokens(memory.content)
    return each._replace(document=wording, candidate=candidate, words=words)


def _may_be_shown(memory: Memory, plan: SearchPlan) -> bool:
    """Return whether a memory's present wording passes the filters and the task of a search."""
    if memory.expires_at is not None and memory.expires_at <= plan.now:
        return False
    is_of_type = not plan.filters.types or memory.type in plan.filters.types
    is_asked_for = is_of_type and passes_filters(memory.current, plan.filters)
    return is_asked_for and not is_of_another_task(plan, memory.task)
