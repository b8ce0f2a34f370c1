"""Wordings: which of the best candidates another one replaces by what it says, as rules read both.

Two short statements are read and compared when somebody asks what stands before one of them. Only
of what is shown that is asked, and to read a statement takes longer than to score it.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.model import Role, StoredTurn, Validity
from memoria.policy.properties import (
    list_related,
    relate_statements,
    tells_of_the_same,
    tells_present_of,
)
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.score import ScoredCandidate

_COMPARED = 12
"""Of the best candidates, how many are compared with each other."""
_LONGEST = 200
"""Characters. A longer turn says more than one thing."""
_PAST_CHINESE = lazy_regex("以前|之前|从前|原来|曾经?|过去|早先")
_EXPERIENCED = lazy_regex(r"(?<=住)过")
_ASKS_FOR_THE_PAST = lazy_regex(
    r"\b(?:used to|use to|before|previous(?:ly)?|former(?:ly)?|earlier|originally|in the past)\b"
    r"|以前|之前|从前|原来|曾经|过去",
    re.IGNORECASE,
)


class _Later(NamedTuple):
    """What other candidates are to one of them."""

    replacing: int | None
    """What has taken its place."""
    present: tuple[int, ...]
    """What tells how that is of which it tells how it was."""


_NOTHING = _Later(None, ())


class Wordings:
    """What the wordings of candidates tell of each other."""

    def __init__(
        self, question: str, scored: Sequence[ScoredCandidate], known: Collection[int]
    ) -> None:
        """Nothing is compared yet.

        Args:
            question: what is asked.
            scored: the candidates, best first.
            known: those of which the store knows what has replaced them.
        """
        current = [each for each in scored if _is_current(each) and each.candidate.n not in known]
        old = [each for each in current if _may_be_replaced(each)] if len(current) > 1 else []
        self._asks_for_past = bool(old) and _ASKS_FOR_THE_PAST.search(question) is not None
        self._others = current[:_COMPARED]
        self._replaceable = {each.candidate.n: each for each in old[:_COMPARED]}
        self._compared: dict[int, _Later] = {}

    def find_first(self, n: int) -> int | None:
        """What comes before a document: what replaces it, else what tells how it is now.

        Where the past is asked for, what tells how it was comes first.
        """
        replacing, present = self._compare(n)
        if replacing is not None:
            return replacing
        if self._asks_for_past:
            told = [old for old in self._replaceable if n in self._compare(old).present]
            return told[-1] if told else None
        return present[-1] if present else None

    def find_replacing(self, n: int) -> int | None:
        """What replaces a document."""
        return self._compare(n).replacing

    def _compare(self, n: int) -> _Later:
        """Compare a document with the others, once."""
        old = self._replaceable.get(n)
        if old is None:
            return _NOTHING
        if n not in self._compared:
            self._compared[n] = _compare_with(old, self._others)
        return self._compared[n]


NO_WORDINGS = Wordings("", (), ())


def _compare_with(old: ScoredCandidate, others: Sequence[ScoredCandidate]) -> _Later:
    text = old.text
    plainer = _tell_as_present(text)
    texts = [new.text for new in others]
    related = {*list_related(text, texts), *(list_related(plainer, texts) if plainer else ())}
    present: list[int] = []
    for new in others:
        if new.text not in related or new is old or _were_compared(new, old):
            continue
        if _began_later(new, old) and relate_statements(new.text, text) == "replaces":
            return _Later(new.candidate.n, tuple(present))
        if tells_present_of(new.text, text) or (plainer and tells_of_the_same(new.text, plainer)):
            present.append(new.candidate.n)
    return _Later(None, tuple(present))


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


def _tell_as_present(text: str) -> str:
    """A Chinese text without its word for the past; empty where it has none."""
    if _PAST_CHINESE.search(text) is None:
        return ""
    return _EXPERIENCED.sub("在", _PAST_CHINESE.sub("", text))
