"""Updates: of turns that state the same thing the newest comes first, and denials are shown.

Nobody at work says "forget what I said": the user states a number anew, in another sentence, weeks
later. So the best candidates of one speaker are compared with each other, as `policy/updates` reads
them. What states anew what the question asks for stands before the older turn. What denies a thing
that the user has told stands beside it, and both are marked, for nobody but the user knows which is
true.

What an assistant says to a user states nothing: it repeats, computes and gives examples.
"""

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

from memoria.model import Relation, Role, Validity
from memoria.policy.properties.wording import peel
from memoria.policy.updates import (
    Bearing,
    Told,
    TurnStatements,
    find_restatement,
    is_passage,
    read_asked_amount,
    score_denial,
)
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.stand_ins import stand_for_turns
from memoria.retrieval.ranking.statistics import list_telling_terms

_COMPARED = 30
"""Of the best candidates, how many are compared with each other."""
_NEARLY_AS_SURE = 0.6
"""Of the surest restatement of a turn: others as sure as that stand before it, too."""
_ASKED_AS_MUCH = 0.57
"""Of what the question's words weigh in an older turn, or in and around it. A later turn that has
less by either measure gives the number of something else, such as another plant's height. Of BEAM's
updates none has less than .60, and of what encyclopaedia passages say of other things none more
than .55."""
_MOST_DENIED = 4
"""Of what a turn denies, how many turns are shown for it."""
_DENIED_AS_SURELY = 0.65
_DENIED_AS_SURELY_UNASKED = 0.85
"""Of the surest of them: what is told more vaguely is no side of it. More where the question does
not ask whether it is so."""
_BACKGROUND = 10
"""Turns without a word that are added to those compared: of two, half have any word."""


@dataclass(frozen=True, slots=True)
class Updates:
    """Which candidates state anew what others state, and which deny it, by document."""

    newer: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Of an older one those that stand before it, newest first."""
    restated: Mapping[int, str] = field(default_factory=dict)
    """Of an older one the id of what surely states the same thing anew."""
    denied: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Of either side of a contradiction the other side, surest first."""
    shows_both: bool = False
    """Whether the question asks if something is so, and both sides of a contradiction answer it."""
    ids: Mapping[int, str] = field(default_factory=dict)
    """The ids of what was compared."""

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.newer or self.denied)

    @property
    def documents(self) -> frozenset[int]:
        """All that states something anew, is stated anew or contradicts something."""
        newer = chain.from_iterable(self.newer.values())
        return frozenset((*self.newer, *newer, *self.denied))

    def list_beside(self, n: int) -> tuple[int, ...]:
        """What comes with a document: what surely states it anew, and what contradicts it."""
        restated = [new for new in self.newer.get(n, ()) if self.ids[new] == self.restated.get(n)]
        return (*restated, *(self.denied.get(n, ()) if self.shows_both else ()))


NO_UPDATES = Updates()


@dataclass(frozen=True, slots=True)
class _Side:
    """A turn, or a memory, with what it states."""

    n: int
    moment: tuple[int, int]
    speaker: tuple[Role, str | None]
    statements: TurnStatements
    words: frozenset[str]
    """All of its tokens."""
    context: float
    """How much of the question's words stands in it and around it."""
    is_memory: bool
    stands_firm: bool
    """Whether only what is surely news stands before it: a memory that somebody vouches for."""


def find_updates(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> Updates:
    """What states anew or denies what else was found.

    Args:
        plan: the search.
        scored: the candidates, best first.
    """
    if not plan.options.stages.current or plan.parsed.is_time_only or not plan.terms:
        return NO_UPDATES
    compared = _list_compared(scored)
    sides = [_make_side(each) for each in compared]
    asked = read_asked_amount(plan.query)
    is_wanted = asked.kinds or asked.is_whether
    if not is_wanted and not any(side.statements.denials for side in sides):
        return NO_UPDATES
    turns = {side.n: side.statements for side in sides}
    weigh = _weigh_words(compared)
    bearing = Bearing(
        plan.query,
        frozenset(chain.from_iterable(one.parsed.discriminative for one in plan.list_searches())),
        asked,
        weigh,
        turns,
    )
    words = frozenset(chain.from_iterable(map(list_telling_terms, plan.list_searches())))
    asked_of = {side.n: math.fsum(map(weigh, words & side.words)) for side in sides}
    newer, restated = _find_restated(sides, bearing, asked_of)
    denied = _find_denied(sides, bearing)
    told = Told(bearing, turns, {side.n: side.words for side in sides})
    for new, old, relation in _relate_told(sides, told):
        if relation == "replaces":
            newer[old] = tuple(dict.fromkeys((new, *newer.get(old, ()))))
            restated[old] = new
        else:
            denied[new] = tuple(dict.fromkeys((*denied.get(new, ()), old)))
            denied[old] = tuple(dict.fromkeys((*denied.get(old, ()), new)))
            newer[old] = tuple(dict.fromkeys((new, *newer.get(old, ()))))
    ids = {each.candidate.n: each.id for each in compared}
    return Updates(
        newer,
        {old: ids[new] for old, new in restated.items()},
        denied,
        asked.is_whether,
        ids,
    )


def place_updates(hits: Sequence[ScoredCandidate], updates: Updates) -> list[ScoredCandidate]:
    """The hits in their order, but each after what is newer, and beside what it contradicts."""
    if not updates:
        return list(hits)
    by_n = {each.candidate.n: each for each in hits}
    placed: list[int] = []
    begun: set[int] = set()
    for n in by_n:
        beside = updates.denied.get(n, ()) if updates.shows_both else ()
        for each in (n, *beside):
            placed += _list_newer_first(each, updates, by_n, begun)
    return [by_n[n] for n in placed]


def _list_newer_first(
    n: int, updates: Updates, shown: Container[int], begun: set[int]
) -> Iterator[int]:
    """What was not begun before, once each: of a value restated daily, paths are without number."""
    if n not in shown or n in begun:
        return
    begun.add(n)
    for newer in updates.newer.get(n, ()):
        yield from _list_newer_first(newer, updates, shown, begun)
    yield n


def _list_compared(scored: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """The best candidates in which somebody speaks, each statement once: as what is shown of it."""
    own = [each for each in scored[:_COMPARED] if _states_own(each)]
    _, answered = stand_for_turns(own)
    return [each for each in own if each.candidate.n not in answered]


def _states_own(each: ScoredCandidate) -> bool:
    """Whether somebody speaks for themselves in it: a memory, or a turn that no assistant said."""
    turn = each.document
    if isinstance(turn, MemoryWording):
        return turn.version.n == turn.memory.current.n and turn.memory.validity is Validity.ACTIVE
    is_of_person = turn.role is Role.USER or (
        turn.role is Role.ASSISTANT and turn.speaker is not None
    )
    return is_of_person and turn.current and not is_passage(turn.content)


def _make_side(each: ScoredCandidate) -> _Side:
    document = each.document
    if isinstance(document, MemoryWording):
        text, at = peel(document.version.content), document.version.valid_from
        speaker: tuple[Role, str | None] = (Role.USER, None)
        memory = document.memory
        is_firm = memory.verified or memory.pinned or document.version.provenance.turn_id is None
    else:
        text, at = document.content, document.at
        speaker, is_firm = (document.role, document.speaker), False
    n = each.candidate.n
    is_memory = each.kind == "memory"
    said = TurnStatements(text)
    context = each.signals.context_coverage
    return _Side(n, (at, n), speaker, said, each.words, context, is_memory, is_firm)


def _weigh_words(turns: Sequence[ScoredCandidate]) -> Callable[[str], float]:
    """How telling a word is among the turns: the more of them have it, the less."""
    many = len(turns) + _BACKGROUND

    @cache
    def weigh(word: str) -> float:
        return math.log(many / (sum(word in each.words for each in turns) + 0.5))

    return weigh


def _find_restated(
    sides: Sequence[_Side], bearing: Bearing, asked_of: Mapping[int, float]
) -> tuple[dict[int, tuple[int, ...]], dict[int, int]]:
    """By older turn those that state the same thing anew, newest first, and what surely does.

    Args:
        sides: the turns that are compared.
        bearing: the question's.
        asked_of: by turn what the question's words in it weigh.
    """
    amounts = bearing.list_asked()
    telling = [side for side in sides if side.n in amounts]
    newer: dict[int, tuple[int, ...]] = {}
    restated: dict[int, int] = {}
    for old in telling:
        found = [
            (restatement, new)
            for new in telling
            if _is_later(new, old)
            and _tells_as_much(new, old, asked_of)
            and not new.is_memory  # what a memory replaces was seen to when it was written
            and (restatement := find_restatement(amounts[new.n], amounts[old.n], bearing))
        ]
        found = [pair for pair in found if pair[0].is_sure or not old.stands_firm]
        if not found:
            continue
        least = _NEARLY_AS_SURE * max(restatement.score for restatement, _ in found)
        standing = [new for restatement, new in found if restatement.score >= least]
        newer[old.n] = tuple(new.n for new in sorted(standing, key=lambda new: new.moment)[::-1])
        sure = [(one.score, new.moment, new.n) for one, new in found if one.is_sure]
        if sure:
            restated[old.n] = max(sure)[2]
            newer[old.n] = tuple(dict.fromkeys((*newer[old.n], restated[old.n])))
    return newer, restated


def _find_denied(sides: Sequence[_Side], bearing: Bearing) -> dict[int, tuple[int, ...]]:
    """By either side of a contradiction the other side, surest first."""
    found: dict[int, list[int]] = {}
    share = _DENIED_AS_SURELY if bearing.asked.is_whether else _DENIED_AS_SURELY_UNASKED
    for denial in sides:
        matters = bearing.select_matters(denial.statements)
        if not matters:
            continue
        scores = [
            (score_denial(matters, told.statements, bearing), told)
            for told in sides
            if _is_later(denial, told) and any(one.may_be_told_by(told.words) for one in matters)
        ]
        surest = sorted((pair for pair in scores if pair[0]), key=lambda pair: -pair[0])
        for score, told in surest[:_MOST_DENIED]:
            if score < share * surest[0][0]:
                break
            found.setdefault(denial.n, []).append(told.n)
            found.setdefault(told.n, []).append(denial.n)
    return {n: tuple(others) for n, others in found.items()}


def _relate_told(sides: Sequence[_Side], told: Told) -> Iterator[tuple[int, int, Relation]]:
    """What a later turn is to an earlier one that tells of the same, oldest first."""
    telling = sorted((side for side in sides if side.n in told.turns), key=lambda side: side.moment)
    for new in telling:
        for old in telling:
            if _is_later(new, old) and not old.stands_firm:
                relation = told.relate(new.n, old.n)
                if relation is not None:
                    yield new.n, old.n, relation


def _tells_as_much(new: _Side, old: _Side, asked_of: Mapping[int, float]) -> bool:
    """Whether a turn has about as much as an older one of what the question asks about."""
    if new.context >= _ASKED_AS_MUCH * old.context:
        return True
    return asked_of[new.n] >= _ASKED_AS_MUCH * asked_of[old.n] > 0


def _is_later(new: _Side, old: _Side) -> bool:
    """Whether a turn was said after another one, by the same speaker."""
    return new.speaker == old.speaker and new.moment > old.moment
