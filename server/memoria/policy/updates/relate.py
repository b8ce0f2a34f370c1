"""Relates turns of one speaker: does a later one state the same thing anew, or deny it?

The constants were set with all ten of BEAM's chats in sight; docs/decisions/100-updates.md says
what holds of each half.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from memoria.policy.updates.acts import Act, Denial, Matter
from memoria.policy.updates.amounts import Amount, AmountKind
from memoria.policy.updates.asked import AskedAmount
from memoria.policy.updates.labels import Stated, are_of_two
from memoria.policy.updates.read import TurnStatements, read_amounts
from memoria.policy.updates.words import tells_by_itself

_FEWEST_TO_COMPARE = 2
_BEGINNING = 4
"""Letters by which a stem is looked for in a text: of "librari" those that "library" has, too."""
_LEAST = 3.0
"""Of what the words beside two amounts have in common, where the later one is said to be news."""
_LEAST_SURE = 6.0
_WHOLE = 0.8
"""Of a short question, how much has to stand beside both amounts where they have less in common."""
_CLOSE = 0.6
"""Of all that is told of the older amount, how much the later one repeats, which no word calls
news."""
_SHARE = 0.3
"""How much of the question has to stand beside an amount, of what stands beside the best."""
_SHARE_SURE = 0.5
_FEWEST_DENIED = 2
_DENIED_SHARE = 0.6
"""Of the words of a thing that is denied, how many have to stand in one sentence that tells it."""
_DETAIL_SHARE = 0.5
"""The same of the thing with its detail."""
_COUNTED = 0.5
"""What an act gains whose turn says how many: who has done five has done it."""
_LEAST_UNASKED = 1.7
"""How surely a turn has to tell what another denies where the question does not ask which is so."""
_ASKED_SHARE = 0.5
_ASKED_SHARE_WHETHER = 0.3
"""Of the same, how many the question has to have: fewer where it asks whether something is so."""


def beginnings(stems: Collection[str]) -> list[str]:
    """What words begin with that have these stems."""
    return [stem[:_BEGINNING] for stem in stems]


class Bearing:
    """What a question asks about, among the turns found for it."""

    def __init__(
        self,
        question: str,
        words: frozenset[str],
        asked: AskedAmount,
        weigh: Callable[[str], float],
        turns: Mapping[int, TurnStatements],
    ) -> None:
        """Weighs the question among the turns.

        Args:
            question: its text.
            words: its words.
            asked: what kind of answer it wants.
            weigh: how telling a word is among the turns.
            turns: what they state, by document.
        """
        self.question = question
        self.words = frozenset(filter(tells_by_itself, words))
        self.asked = asked
        self._weigh = weigh
        self._amounts = self._read_amounts(turns) if asked.kinds else {}
        covers = map(self._cover, chain.from_iterable(self._amounts.values()))
        self._most = max(covers, default=0.0)

    def _read_amounts(self, turns: Mapping[int, TurnStatements]) -> dict[int, list[Amount]]:
        """By turn the amounts of the kind that is asked for; of a single turn there is no need."""
        about = beginnings(self.words)
        numeric = {n: turn.list_numeric(about) for n, turn in turns.items()}
        telling = {n: sentences for n, sentences in numeric.items() if sentences}
        if len(telling) < _FEWEST_TO_COMPARE:
            return {}
        return {n: self.asked.select(read_amounts(each)) for n, each in telling.items()}

    def list_asked(self) -> "dict[int, AskedOfTurn]":
        """By turn the amounts that may be what is asked for."""
        if not self._most:
            return {}
        found = {
            n: AskedOfTurn(
                [one for one in amounts if self.share(one) >= _SHARE],
                frozenset((one.kind, one.value) for one in amounts if not one.is_former),
            )
            for n, amounts in self._amounts.items()
        }
        return {n: one for n, one in found.items() if one.near}

    def share(self, amount: Amount) -> float:
        """How much of the question stands beside an amount, of what stands beside the best."""
        return self._cover(amount) / self._most

    def weigh_asked(self, words: frozenset[str]) -> float:
        """How much of the question words tell."""
        return sum(map(self._weigh, words & self.words))

    def count(self, words: frozenset[str]) -> float:
        """How much words tell; those of the question count twice."""
        return sum(self._weigh(word) * (1 + (word in self.words)) for word in words)

    def covers_all(self, words: frozenset[str]) -> bool:
        """Whether nearly all of the question stands in words that stands beside any amount."""
        return self.weigh_asked(words) >= _WHOLE * self._most

    def tells_apart(self, new: Stated, old: Stated) -> bool:
        """Whether two statements are of two things: two chapters, two months, two people."""
        return are_of_two(self.question, self.words, new, old)

    def select_matters(self, turn: TurnStatements) -> "list[DeniedMatter]":
        """What a turn denies of what the question asks about: so many of the words it has."""
        least = _ASKED_SHARE_WHETHER if self.asked.is_whether else _ASKED_SHARE
        return [
            DeniedMatter(denial, matter)
            for denial in turn.denials
            for matter in denial.matters
            if len(matter.words & self.words) >= least * len(matter.words)
        ]

    def _cover(self, amount: Amount) -> float:
        return self.weigh_asked(amount.words)


@dataclass(frozen=True, slots=True)
class AskedOfTurn:
    """What a turn has that may be asked for."""

    near: Sequence[Amount]
    """The amounts beside which enough of the question stands."""
    values: frozenset[tuple[AmountKind, str]]
    """What all amounts of the kind are by it: what is said again is not out of date."""


@dataclass(frozen=True, slots=True)
class Restatement:
    """That a turn states anew what an earlier one states."""

    score: float
    """How much both have in common."""
    is_sure: bool
    """Whether the older turn may be said to hold no longer: the newer one says that it is news."""


def find_restatement(new: AskedOfTurn, old: AskedOfTurn, bearing: Bearing) -> Restatement | None:
    """Whether one turn states anew what an earlier one of its speaker states.

    Both have an amount of the kind and unit that is asked for, the values differ, and they share
    the words beside them, the question's above all.

    Args:
        new: what the later turn has that may be asked for.
        old: what the earlier one has.
        bearing: the question's.
    """
    found = [
        _compare(one, other, bearing)
        for one in new.near
        for other in old.near
        if not one.is_former and (other.kind, other.value) not in new.values
    ]
    pairs = [one for one in found if one is not None]
    if not pairs:
        return None
    return Restatement(max(one.score for one in pairs), any(one.is_sure for one in pairs))


def _compare(new: Amount, old: Amount, bearing: Bearing) -> Restatement | None:
    if new.kind != old.kind or old.is_former or not _counts_alike(new, old, bearing.asked):
        return None
    shared = new.words & old.words
    if shared.isdisjoint(bearing.words) or bearing.tells_apart(new, old):
        return None
    score, share = bearing.count(shared), min(bearing.share(new), bearing.share(old))
    is_all = bearing.covers_all(shared)
    is_close = is_all and score >= _CLOSE * bearing.count(old.words)
    if new.is_change and score >= _LEAST:
        is_sure = (score >= _LEAST_SURE or is_all) and share >= _SHARE_SURE
        is_near = share >= _SHARE and bearing.share(old) >= _SHARE_SURE
        return Restatement(score, is_sure) if is_sure or is_near else None
    return Restatement(score, is_sure=True) if is_close and not old.is_change else None


def _counts_alike(new: Amount, old: Amount, asked: AskedAmount) -> bool:
    """Whether two amounts may be counts of the same."""
    if new.kind != "count":
        return True
    if new.unit and any(word.isascii() for word in asked.unit & old.words - new.words):
        return False
    if new.unit and old.unit:
        return not new.unit.isdisjoint(old.unit)
    if new.unit:
        return not new.unit.isdisjoint(old.words)
    return new.is_change


@dataclass(frozen=True, slots=True)
class DeniedMatter:
    """A thing that is denied and that the question asks about."""

    denial: Denial
    matter: Matter

    def may_be_told_by(self, words: frozenset[str]) -> bool:
        """Whether a turn has words enough to tell it."""
        return _holds_most(words, self.matter.thing)


def score_denial(matters: Sequence[DeniedMatter], old: TurnStatements, bearing: Bearing) -> float:
    """How surely an earlier turn of its speaker tells what a turn denies; 0 where it does not."""
    score = max(
        (
            _score_act(one, act, old)
            for one in matters
            for act in old.acts
            if one.denial.verb in act.words or not one.denial.turns_on_verb
        ),
        default=0.0,
    )
    return score if bearing.asked.is_whether or score >= _LEAST_UNASKED else 0.0


def _score_act(denied: DeniedMatter, act: Act, old: TurnStatements) -> float:
    """How surely an act tells what is denied; 0 where it does not."""
    matter, words = denied.matter, denied.matter.words
    has_verb = denied.denial.verb in act.words
    shared, done = len(words & act.words), len(words & act.done)
    if not done or shared < min(_FEWEST_DENIED, len(words)):
        return 0.0
    if shared < _DETAIL_SHARE * len(words) or not _holds_most(act.words, matter.thing):
        return 0.0
    counts = old.list_amounts(beginnings(matter.thing))
    is_counted = any(not amount.unit.isdisjoint(matter.thing) for amount in counts)
    return (shared + done) / len(words) + has_verb + _COUNTED * is_counted


def _holds_most(words: frozenset[str], thing: frozenset[str]) -> bool:
    return len(words & thing) >= _DENIED_SHARE * len(thing)
