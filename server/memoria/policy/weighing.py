"""Weighing of memories by evidence: who said it, when, in how many sessions, and what has changed.

Nothing here reads a text. Sessions count, and not turns, so that what is said ten times in one
conversation is said once. An assistant's repetition and an agent's confirmation count nothing, and
that nobody objects is no evidence. A memory in the user's own words ends by a later plain word of
the user's, or by their confirmation of another; where that is not so, the user is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from memoria.model import Trust
from memoria.model.weighing import FileState, Speaker, Tendency, Weighing, WeighingReason

DOUBTED = 0.4
"""Most confidence in a memory that the evidence speaks against: that in a tool's words."""
BORNE_OUT = 0.8
"""Least confidence in a memory that the evidence bears out; less than by the user's own word."""
_SESSIONS = 2
"""Sessions, and days, from which a repetition counts; two more than a rival's settle a dispute."""


class Utterance(NamedTuple):
    """An occasion on which somebody said what a memory says."""

    at: int
    """UTC epoch milliseconds."""
    day: str
    session: str
    is_plain: bool
    """False for a question, a guess, a joke, hearsay and a quotation."""


@dataclass(frozen=True, slots=True)
class MemoryCase:
    """Evidence on a memory, gathered from the record."""

    memory_id: str
    said_by: Speaker
    trust: Trust
    utterances: tuple[Utterance, ...]
    """Occasions on which `said_by` said it."""
    confirmation: Utterance | None = None
    """Latest confirmation by the user."""
    is_pinned: bool = False
    files: FileState | None = None
    is_disputed: bool = False

    @property
    def is_shaken(self) -> bool:
        """True if its files have changed or are gone."""
        return self.files in ("changed", "gone")

    @property
    def plain(self) -> tuple[Utterance, ...]:
        """Occasions on which it was said plainly."""
        return tuple(one for one in self.utterances if one.is_plain)

    @property
    def sessions(self) -> int:
        """Number of sessions in which it was said plainly."""
        return len({one.session for one in self.plain})

    @property
    def days(self) -> int:
        """Number of days on which it was said plainly."""
        return len({one.day for one in self.plain})

    @property
    def last(self) -> Utterance | None:
        """Latest occasion, the user's confirmation included."""
        heard = (*self.utterances, *([self.confirmation] if self.confirmation else []))
        return max(heard, default=None, key=lambda one: one.at)


class Settlement(NamedTuple):
    """Outcome of a dispute between two memories."""

    winner: str
    loser: str
    reason: WeighingReason


def weigh(case: MemoryCase, settlement: Settlement | None = None) -> Weighing:
    """Weigh a memory by its evidence, and by the dispute that it has won or lost, if any."""
    tendency, reason = _decide(case, settlement)
    return Weighing(
        tendency=tendency,
        reason=reason,
        said_by=case.said_by,
        sessions=case.sessions,
        days=case.days,
        is_confirmed=case.confirmation is not None,
        is_disputed=case.is_disputed,
        files=case.files,
    )


def _decide(case: MemoryCase, settlement: Settlement | None) -> tuple[Tendency, WeighingReason]:
    if settlement is not None:
        return ("up" if settlement.winner == case.memory_id else "down"), settlement.reason
    if case.is_shaken:
        return "down", "ground"
    is_guess = case.said_by == "assistant" and case.files is None
    if is_guess or case.said_by == "nobody":
        return "down", "source"
    if case.is_disputed:
        return "same", "contradiction"
    is_repeated = min(case.sessions, case.days) >= _SESSIONS
    return ("up", "repetition") if is_repeated else ("same", "none")


def move_confidence(confidence: float, tendency: Tendency) -> float:
    """Return the confidence that follows; one that is low, or high, enough already stays."""
    match tendency:
        case "up":
            return max(confidence, BORNE_OUT)
        case "down":
            return min(confidence, DOUBTED)
        case "same":
            return confidence


def settle(one: MemoryCase, other: MemoryCase) -> Settlement | None:
    """Choose which of two memories in dispute holds; None if the user has to say so.

    The first kind of evidence that favours one side alone decides, unless the other side may not be
    ended by it.
    """
    for reason, favours in _RULES:
        sides = [(a, b) for a, b in ((one, other), (other, one)) if favours(a, b)]
        if len(sides) == 1:
            ((winner, loser),) = sides
            if winner.is_shaken or not _may_end(loser, reason):
                return None
            return Settlement(winner.memory_id, loser.memory_id, reason)
    return None


def _may_end(loser: MemoryCase, reason: WeighingReason) -> bool:
    if loser.is_pinned or (loser.confirmation is not None and reason != "confirmed"):
        return False
    return loser.said_by != "user" or reason in ("confirmed", "newer")


def _is_on_record(one: MemoryCase, other: MemoryCase) -> bool:
    return one.said_by != "nobody" and other.said_by == "nobody"


def _was_confirmed_later(one: MemoryCase, other: MemoryCase) -> bool:
    """Check whether the user has confirmed one after all that they said for the other."""
    if one.confirmation is None:
        return False
    heard = other.last if other.said_by == "user" else other.confirmation
    return heard is None or one.confirmation.at > heard.at


def _was_said_later(one: MemoryCase, other: MemoryCase) -> bool:
    """Check whether the user said one plainly on a later day, in another conversation.

    What reached us by a way that is trusted less is no later word of theirs.
    """
    if not (one.said_by == other.said_by == "user" and one.plain and other.last):
        return False
    newest = max(one.plain, key=lambda each: each.at)
    is_weaker = one.trust.at_most(other.trust) is not other.trust
    is_later = newest.at > other.last.at and newest.day != other.last.day
    return is_later and newest.session != other.last.session and not is_weaker


def _is_users_word(one: MemoryCase, other: MemoryCase) -> bool:
    """Check whether one alone is the user's word.

    An agent's statement may tell what the user said elsewhere, so that it has to be the older one.
    """
    if one.said_by != "user" or other.said_by == "user" or not one.plain:
        return False
    if other.said_by != "agent" or other.last is None:
        return True
    return one.plain[-1].at > other.last.at


def _has_files(one: MemoryCase, other: MemoryCase) -> bool:
    return other.is_shaken and not one.is_shaken


def _was_said_more_often(one: MemoryCase, other: MemoryCase) -> bool:
    """Check whether the same kind of source says one in more sessions, and not less lately."""
    if one.said_by != other.said_by or one.said_by not in ("tool", "document"):
        return False
    if one.last is None or other.last is None or one.last.at < other.last.at:
        return False
    return one.sessions >= other.sessions + _SESSIONS


_RULES: tuple[tuple[WeighingReason, Callable[[MemoryCase, MemoryCase], bool]], ...] = (
    ("source", _is_on_record),
    ("confirmed", _was_confirmed_later),
    ("newer", _was_said_later),
    ("source", _is_users_word),
    ("ground", _has_files),
    ("repetition", _was_said_more_often),
)
"""Kinds of evidence, the strongest first, each with whether it favours one memory over another."""
