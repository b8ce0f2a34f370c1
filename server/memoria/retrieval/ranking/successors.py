"""Successors: what is believed now stands above what it has replaced.

A turn that says "My name is Lin." matches "What is my name?" as well as the memory that corrected
it to Lina, and often better. So where the first level has a turn that something else has taken the
place of, that stands before the turn, and the turn is marked. It is told in two ways:

- a memory was concluded from the turn, or borne out by it, and says something else since. The
  present wording is brought in where the question did not find it;
- no memory was made of the turn, and a memory or a later turn among the candidates replaces what it
  says, as rules read the two wordings. So does a later turn what a memory says that was made of a
  turn, until it has become a memory itself.

Former wordings that were asked for come after the present one likewise. A question of a past moment
is exempt: what held then comes first.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memoria.bare.lazy_regex import lazy_regex
from memoria.model import Memory, Role, StoredTurn, Validity
from memoria.policy.properties import Property, read_properties, relate_statements
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.score import MemoryWording, ScoredCandidate
from memoria.store.base import Transaction
from memoria.text.analyser import tokens

_COMPARED = 12
"""Of the best candidates, how many are compared with each other by their wording."""
_LONGEST = 200
"""Characters. A longer turn says more than one thing."""
_PAST_CHINESE = lazy_regex("以前|之前|从前|原来|曾经?|过去|早先")
_EXPERIENCED = lazy_regex(r"(?<=住)过")
_ASKS_FOR_THE_PAST = lazy_regex(
    r"\b(?:used to|use to|before|previous(?:ly)?|former(?:ly)?|earlier|originally|in the past)\b"
    r"|以前|之前|从前|原来|曾经|过去",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Successors:
    """Which candidates have been replaced, by what."""

    by_n: Mapping[int, int] = field(default_factory=dict)
    """By document, the document that stands before it."""
    superseded: frozenset[int] = frozenset()
    """Documents whose words no longer hold."""

    def join(self, others: "Successors") -> "Successors":
        """These and what is known of other documents."""
        return Successors({**others.by_n, **self.by_n}, self.superseded | others.superseded)


NO_SUCCESSORS = Successors()


def find_successors(
    tx: Transaction, plan: SearchPlan, scored: Sequence[ScoredCandidate]
) -> tuple[list[ScoredCandidate], Successors]:
    """The candidates, with the successors that were missing among them, and which those are.

    Args:
        tx: where to look.
        plan: the search.
        scored: the candidates that may be shown, best first.
    """
    if not is_current_first(plan) or not scored:
        return list(scored), NO_SUCCESSORS
    known = _list_recorded(tx, plan, scored)
    missing = set(known.values()) - {each.candidate.n for each in scored}
    memories = tx.memories.by_version_numbers(sorted(missing)) if missing else {}
    added = [
        _in_place_of(each, memories[known[each.candidate.n]])
        for each in _first_by_successor(scored, known)
        if known[each.candidate.n] in memories
    ]
    everything = [*scored, *(each for each in added if _may_be_shown(each, plan))]
    ns = {each.candidate.n for each in everything}
    recorded = {n: successor for n, successor in known.items() if successor in ns}
    told, past = _compare_wordings(plan, everything, recorded)
    return everything, Successors(
        {**past, **told, **recorded}, frozenset(recorded) | frozenset(told)
    )


def is_current_first(plan: SearchPlan) -> bool:
    """Whether a search shows what is believed now above what was believed before."""
    is_of_now = plan.as_of is None and not plan.parsed.is_time_only
    return plan.options.stages.current and plan.profile.every_hit_must_fit and is_of_now


def place_successors(
    hits: Sequence[ScoredCandidate], successors: Successors
) -> list[ScoredCandidate]:
    """The hits in their order, but each successor before what it has replaced."""
    by_n = {each.candidate.n: each for each in hits}
    placed: dict[int, ScoredCandidate] = {}

    def place(n: int, above: frozenset[int]) -> None:
        successor = successors.by_n.get(n)
        if successor in by_n and successor not in above:
            place(successor, above | {n})
        placed.setdefault(n, by_n[n])

    for each in hits:
        place(each.candidate.n, frozenset())
    return list(placed.values())


def list_superseded(
    tx: Transaction, plan: SearchPlan, hits: Sequence[ScoredCandidate], successors: Successors
) -> frozenset[int]:
    """Which of the hits no longer hold: of the record, turns that a memory says otherwise since.

    Args:
        tx: where to look.
        plan: the search.
        hits: what is shown.
        successors: those of a search of memories, which are known already.
    """
    if plan.profile.every_hit_must_fit:  # an active memory is stated anew, and stays active
        outdated = {each.candidate.n for each in hits if _may_be_outdated(each)}
        return successors.superseded & outdated
    turns = [each.candidate.n for each in hits if isinstance(each.document, StoredTurn)]
    if not turns or not plan.options.stages.current or plan.as_of is not None:
        return frozenset()
    return frozenset(_list_successors(tx, plan, turns))


def _list_recorded(
    tx: Transaction, plan: SearchPlan, scored: Sequence[ScoredCandidate]
) -> dict[int, int]:
    """What memories have replaced: turns they were concluded from, and former wordings."""
    outdated = [each for each in scored if _may_be_outdated(each)]
    ns = [each.candidate.n for each in outdated]
    return _list_successors(tx, plan, ns) if ns else {}


def _may_be_outdated(each: ScoredCandidate) -> bool:
    document = each.document
    if isinstance(document, StoredTurn):
        return True
    is_former = document.version.n != document.memory.current.n
    return is_former or document.memory.validity is Validity.SUPERSEDED


def _list_successors(tx: Transaction, plan: SearchPlan, ns: Sequence[int]) -> dict[int, int]:
    """By turn or former wording, the present wording that says something else."""
    found = tx.memories.list_successors(ns, plan.filters)
    still_true = {each.n for each in found if _says_the_same(each.present, each.former)}
    return {each.n: each.successor for each in found if each.n not in still_true}


def _says_the_same(present: str, former: str) -> bool:
    return relate_statements(present, former) == "same"


def _first_by_successor(
    scored: Sequence[ScoredCandidate], known: Mapping[int, int]
) -> Iterator[ScoredCandidate]:
    """The best candidate of each successor."""
    seen: set[int] = set()
    for each in scored:
        successor = known.get(each.candidate.n)
        if successor is not None and successor not in seen:
            seen.add(successor)
            yield each


def _in_place_of(each: ScoredCandidate, memory: Memory) -> ScoredCandidate:
    """The present wording of a memory, as well found as what it has replaced."""
    wording = MemoryWording(memory, memory.current)
    candidate = each.candidate._replace(n=memory.current.n, words=None)
    words = frozenset(tokens(memory.content))
    return each._replace(document=wording, candidate=candidate, words=words)


def _may_be_shown(each: ScoredCandidate, plan: SearchPlan) -> bool:
    memory = each.document.memory if isinstance(each.document, MemoryWording) else None
    if memory is None or (memory.expires_at is not None and memory.expires_at <= plan.now):
        return False
    return not plan.filters.types or memory.type in plan.filters.types


def _compare_wordings(
    plan: SearchPlan, scored: Sequence[ScoredCandidate], known: Mapping[int, int]
) -> tuple[dict[int, int], dict[int, int]]:
    """What other candidates replace, as rules read them, and what comes after what.

    What tells how it was comes after what tells how it is, unless the past is asked for.
    """
    current = [each for each in scored if _is_current(each) and each.candidate.n not in known]
    replaceable = [each for each in current if _may_be_replaced(each)]
    if not replaceable or len(current) == 1:
        return {}, {}
    told: dict[int, int] = {}
    past: dict[int, int] = {}
    asks_for_past = _ASKS_FOR_THE_PAST.search(plan.query) is not None
    others = [(new, new.text) for new in current[:_COMPARED]]
    for old in replaceable[:_COMPARED]:
        wording = old.text
        past_of_old = {(one.subject, one.predicate) for one in _list_past(wording)}
        for new, text in others:
            if new is old or old.candidate.n in told or _were_compared(new, old):
                continue
            if _began_later(new, old) and relate_statements(text, wording) == "replaces":
                told[old.candidate.n] = new.candidate.n
            elif past_of_old and _tells_present_of(text, past_of_old):
                first, second = (old, new) if asks_for_past else (new, old)
                past[second.candidate.n] = first.candidate.n
    return told, past


def _is_current(each: ScoredCandidate) -> bool:
    """Whether it may say what holds now: an active memory's present wording, or a short turn."""
    document = each.document
    if isinstance(document, StoredTurn):
        return _is_plain_turn(each)
    is_present = document.version.n == document.memory.current.n
    return is_present and document.memory.validity is Validity.ACTIVE


def _may_be_replaced(each: ScoredCandidate) -> bool:
    """Whether its wording decides: a turn, or what rules made of one and nobody vouches for."""
    if not isinstance(each.document, MemoryWording):
        return _is_plain_turn(each)
    memory, origin = each.document.memory, each.document.version.provenance
    vouched_for = memory.verified or memory.pinned or origin.turn_id is None
    return not vouched_for and len(each.text) <= _LONGEST


def _were_compared(new: ScoredCandidate, old: ScoredCandidate) -> bool:
    """Whether both are memories: what one replaces was seen to when it was written."""
    return isinstance(new.document, MemoryWording) and isinstance(old.document, MemoryWording)


def _is_plain_turn(each: ScoredCandidate) -> bool:
    """Whether it is a short statement of the user's, whose "I" is the user."""
    turn = each.document
    if not isinstance(turn, StoredTurn) or turn.role is not Role.USER or turn.speaker is not None:
        return False
    return turn.current and 0 < len(turn.content) <= _LONGEST


def _began_later(new: ScoredCandidate, old: ScoredCandidate) -> bool:
    return _moment(new) > _moment(old)


def _moment(each: ScoredCandidate) -> tuple[int, int]:
    """When it was said or began to hold; of the same moment, the later document."""
    document = each.document
    if isinstance(document, StoredTurn):
        return document.at, document.n
    return document.version.valid_from, document.version.n


def _list_past(text: str) -> Iterator[Property]:
    """The properties that a text tells of the past: as they are read without its word for that."""
    yield from (one for one in read_properties(text) if one.is_past)
    if _PAST_CHINESE.search(text):
        present = _EXPERIENCED.sub("在", _PAST_CHINESE.sub("", text))
        yield from read_properties(present)


def _tells_present_of(text: str, past: Collection[tuple[str, str]]) -> bool:
    """Whether a statement tells how things are of which another tells how they were.

    Args:
        text: the statement.
        past: what the other one tells of the past, by subject and predicate.
    """
    return any(
        (one.subject, one.predicate) in past and one.affirmed and not one.is_past
        for one in read_properties(text)
    )
