"""A statement with its clauses, as rules read it.

One is compared with many, so what follows from it is kept; and most of that is seldom asked for:
statements that have nothing to do with each other are told apart by their words and subjects.
"""

from dataclasses import dataclass
from functools import cached_property

from memoria.policy.properties.base import Property
from memoria.policy.properties.clause import (
    Clause,
    Part,
    list_subjects,
    read_clauses,
    read_denied,
)
from memoria.policy.properties.keys import USER
from memoria.policy.properties.transitions import tells_any_transition
from memoria.policy.properties.values import COUNTS, stem
from memoria.policy.properties.wording import Wording
from memoria.text.pattern import LazyPattern
from memoria.text.statement import wording_key

_INSTEAD = LazyPattern(r"(?i)\binstead(?!\sof)\b|一律|改用")
_BASE_FORMS = {"is": "be", "am": "be", "are": "be", "has": "have", "does": "do"}


@dataclass(frozen=True)
class Statement:
    """A statement, as rules read it."""

    wording: Wording
    in_chinese: bool
    parts: tuple[Part, ...]
    """Its clauses, not read yet."""

    @property
    def text(self) -> str:
        """In the third person."""
        return self.wording.text

    @property
    def is_correction(self) -> bool:
        """Whether it says in so many words that something known is wrong."""
        return self.wording.is_correction

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Its clauses, read."""
        return read_clauses(
            self.parts, in_chinese=self.in_chinese, is_change=self.wording.is_change
        )

    @cached_property
    def denied(self) -> tuple[str, ...]:
        """The words of the value that it says is wrong: "6 March, not 5 March"."""
        return read_denied(self.text, in_chinese=self.in_chinese)

    @cached_property
    def is_instead(self) -> bool:
        """Whether it says that it holds in the place of something: `instead`, 一律."""
        return _INSTEAD.regex.search(self.text) is not None

    @cached_property
    def key(self) -> tuple[str, ...]:
        """Equal for the same statement in another spelling or person."""
        words = [COUNTS.get(word, word) for word in wording_key(self.text).split("\n")]
        if USER in words[:1] and len(words) > 1:
            words[1] = _BASE_FORMS.get(words[1]) or stem(words[1])
        return tuple(words)

    @cached_property
    def properties(self) -> tuple[Property, ...]:
        """The properties that all of its clauses tell."""
        return tuple(one for clause in self.clauses for one in clause.properties)

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Of whom or what rules may read something in it; of English, seen before it is read."""
        if self.in_chinese:
            return frozenset(one.subject for one in self.properties if not one.is_unread)
        return list_subjects(self.parts)

    def may_tell_of_what(self, other: "Statement") -> bool:
        """Whether it may tell of what another tells of: they share a subject or a clause's words.

        Of most statements that is plain before either is read.
        """
        return not (
            self.phrasings.isdisjoint(other.phrasings) and self.subjects.isdisjoint(other.subjects)
        )

    @cached_property
    def phrasings(self) -> frozenset[tuple[str, ...]]:
        """The words of each of its clauses."""
        return frozenset(part.words for part in self.parts)

    @cached_property
    def topics(self) -> frozenset[tuple[str, str]]:
        """Of what it tells which property."""
        return frozenset((one.subject, one.predicate) for one in self.properties)

    @cached_property
    def former(self) -> frozenset[tuple[str, str]]:
        """Of what it tells which property as it was."""
        told = (one for one in self.properties if one.is_past)
        return frozenset((one.subject, one.predicate) for one in told)

    @cached_property
    def current(self) -> frozenset[tuple[str, str]]:
        """Of what it states which property as it is."""
        told = (one for one in self.properties if one.affirmed and not one.is_past)
        return frozenset((one.subject, one.predicate) for one in told)

    @cached_property
    def tells_transition(self) -> bool:
        """Whether it says that anything has become something else."""
        return tells_any_transition(self.text)

    @cached_property
    def present(self) -> tuple[Property, ...]:
        """Those of them that tell what is."""
        return tuple(one for one in self.properties if one.holds_now)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of all of its clauses."""
        return tuple(word for part in self.parts for word in part.words)

    @cached_property
    def is_tentative(self) -> bool:
        """Whether some of it is a plan, a wish, hearsay or a possibility."""
        return any(one.is_tentative for one in self.properties)

    @cached_property
    def is_read(self) -> bool:
        """Whether rules have read all of its clauses."""
        return not any(one.is_unread for one in self.properties)
