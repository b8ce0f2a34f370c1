"""Successors: present statements, which stand above those that they have replaced.

A turn that says "My name is Lin." matches "What is my name?" as well as the memory that corrected
it to Lina, and often better. So where a memory was concluded from a turn of the first level, or
borne out by it, and says something else since, it stands before the turn, and the turn is marked.
The present wording is brought in where the question did not find it. A turn that says more than
that, and is found for the rest of what it says, stays a hit for the rest: that part is shown.

Former wordings that were asked for come after the present one likewise. A question of a past moment
is exempt: what held then comes first.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from memoria.language.reading.excerpt import ExcerptFinder, Span, trim_span, weigh_evenly
from memoria.language.reading.statement import is_stated_in, peel, says_the_same
from memoria.language.words.analyser import distinct_tokens, tokens
from memoria.language.words.document import full_text
from memoria.model import Memory, StoredTurn, Validity
from memoria.retrieval.query.plan import SearchPlan, is_of_another_task
from memoria.retrieval.ranking.candidates import MemoryWording, passes_filters
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Successor


@dataclass(frozen=True, slots=True)
class Successors:
    """Candidates that have been replaced, and by what."""

    recorded: Mapping[int, int] = field(default_factory=dict)
    """Present wording that stands before each document, as far as the store knows."""
    outdated: frozenset[int] = frozenset()
    """Documents that the store knows to be replaced, if only by what may not be shown here."""
    spared: Mapping[int, Span] = field(default_factory=dict)
    """Span, by turn, of the part that it is found for and that nothing has replaced."""
    further: "Successors | None" = None
    """Successors of documents further down."""

    def find(self, n: int) -> int | None:
        """Return the document that stands before another one; None where none does."""
        found = self.recorded.get(n)
        if found is None and self.further is not None:
            return self.further.find(n)
        return found

    def is_superseded(self, n: int) -> bool:
        """Return whether the words of a document no longer hold."""
        if n in self.outdated:
            return True
        return self.further is not None and self.further.is_superseded(n)

    def find_spared(self, n: int) -> Span | None:
        """Return the part of a turn that is found for it, where another part no longer holds."""
        found = self.spared.get(n)
        return found if found or self.further is None else self.further.find_spared(n)

    def join(self, further: "Successors") -> "Successors":
        """Return these with those of documents further down."""
        return replace(self, further=further)


NO_SUCCESSORS = Successors()


def find_successors(
    tx: Transaction,
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    weights: Mapping[str, float],
) -> tuple[Sequence[ScoredCandidate], Successors]:
    """Add to the candidates the successors that were missing, and return all successors.

    Args:
        tx: where to look.
        plan: the search.
        scored: the candidates that may be shown, best first.
        weights: the terms asked for, and what each counts.
    """
    if not is_current_first(plan) or not scored:
        return scored, NO_SUCCESSORS
    known, spared = _list_recorded(tx, plan, scored, weights)
    missing = set(known.values()) - {each.candidate.n for each in scored}
    memories = tx.memories.by_version_numbers(sorted(missing)) if missing else {}
    added = [
        _in_place_of(each, memory)
        for each in _first_by_successor(scored, known)
        if (memory := memories.get(known[each.candidate.n])) and _may_be_shown(memory, plan)
    ]
    everything = [*scored, *added]
    ns = {each.candidate.n for each in everything}
    recorded = {n: successor for n, successor in known.items() if successor in ns}
    return everything, Successors(recorded, frozenset(known), spared)


def is_current_first(plan: SearchPlan) -> bool:
    """Return whether a search shows what is believed now above what was believed before."""
    is_of_now = plan.as_of is None and not plan.parsed.is_time_only
    return plan.options.stages.current and plan.profile.every_hit_must_fit and is_of_now


def place_successors(
    hits: Sequence[ScoredCandidate], successors: Successors
) -> list[ScoredCandidate]:
    """Order the hits so that each successor is before what it has replaced."""
    by_n = {each.candidate.n: each for each in hits}
    placed: dict[int, None] = {}
    for n in by_n:
        line = [n]
        while (successor := successors.find(line[-1])) in by_n and successor not in line:
            line.append(successor)
        placed |= dict.fromkeys(reversed(line))
    return [by_n[n] for n in placed]


def list_superseded(
    tx: Transaction, plan: SearchPlan, hits: Sequence[ScoredCandidate], successors: Successors
) -> dict[int, str | None]:
    """Find the hits that no longer hold: of the record, turns that a memory says otherwise since.

    Each comes with the sentence that no longer holds, or with None where that is all of it.

    Args:
        tx: where to look.
        plan: the search.
        hits: what is shown.
        successors: those of a search of memories, which are known already.
    """
    if plan.profile.every_hit_must_fit:  # an active memory is stated anew, and stays active
        outdated = (each.candidate.n for each in hits if _may_be_outdated(each))
        return dict.fromkeys(filter(successors.is_superseded, outdated))
    texts = {
        each.candidate.n: full_text(each.document)
        for each in hits
        if isinstance(each.document, StoredTurn)
    }
    if not texts or not plan.options.stages.current or plan.as_of is not None:
        return {}
    formers: dict[int, list[str]] = defaultdict(list)
    for one in _list_successors(tx, plan, list(texts)):
        formers[one.n].append(one.former)
    return {n: _find_replaced_part(texts[n], told) for n, told in formers.items()}


def _find_replaced_part(text: str, formers: Sequence[str]) -> str | None:
    """Return the sentence that says the last of former wordings; None where that is all it says."""
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
    """Find what memories have replaced, and the spans of turns that are spared."""
    outdated = {each.candidate.n: each for each in scored if _may_be_outdated(each)}
    replaced: dict[int, list[Successor]] = defaultdict(list)
    for one in _list_successors(tx, plan, list(outdated)) if outdated else ():
        replaced[one.n].append(one)
    spared = {n: _find_spared(outdated[n], ones, weights) for n, ones in replaced.items()}
    known = {n: ones[-1].successor for n, ones in replaced.items() if spared[n] is None}
    return known, {n: span for n, span in spared.items() if span is not None}


def _find_spared(
    each: ScoredCandidate, replaced: Sequence[Successor], weights: Mapping[str, float]
) -> Span | None:
    """Find the part of a turn around what it is found for; None if that was replaced.

    The sentence that has most of a former wording's words is the one that was replaced.
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
    """Return whether a sentence has more of what is asked for than another."""
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
    """List the present wordings that say something else than a turn or former wording."""
    found = tx.memories.list_successors(ns, plan.filters)
    still_true = {each.n for each in found if _says_the_same(each.present, each.former)}
    return [each for each in found if each.n not in still_true]


def _says_the_same(present: str, former: str) -> bool:
    return says_the_same(peel(present), peel(former))


def _first_by_successor(
    scored: Sequence[ScoredCandidate], known: Mapping[int, int]
) -> Iterator[ScoredCandidate]:
    """Yield the best candidate of each successor."""
    seen: set[int] = set()
    for each in scored:
        successor = known.get(each.candidate.n)
        if successor is not None and successor not in seen:
            seen.add(successor)
            yield each


def _in_place_of(each: ScoredCandidate, memory: Memory) -> ScoredCandidate:
    """Return the present wording of a memory, as well found as what it has replaced."""
    wording = MemoryWording(memory, memory.current)
    candidate = each.candidate._replace(n=memory.current.n, indexed=None)
    words = distinct_tokens(memory.content)
    return each._replace(document=wording, candidate=candidate, words=words)


def _may_be_shown(memory: Memory, plan: SearchPlan) -> bool:
    """Return whether a memory's present wording passes all that the search is narrowed to.

    From where it may be seen was asked when it was looked up.
    """
    if memory.expires_at is not None and memory.expires_at <= plan.now:
        return False
    is_of_type = not plan.filters.types or memory.type in plan.filters.types
    is_asked_for = is_of_type and passes_filters(memory.current, plan.filters)
    return is_asked_for and not is_of_another_task(plan, memory.task)
