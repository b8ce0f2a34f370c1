"""A statement with its clauses, as rules read it.

One is compared with many, so what follows from it is kept; and some of that is seldom asked for.
"""

from dataclasses import dataclass
from functools import cached_property

from memoria.policy.properties.base import Property
from memoria.policy.properties.keys import USER
from memoria.policy.properties.transitions import tells_any_transition
from memoria.policy.properties.values import COUNTS, stem
from memoria.text.statement import wording_key

_BASE_FORMS = {"is": "be", "am": "be", "are": "be", "has": "have", "does": "do"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a statement, as rules read it."""

    properties: tuple[Property, ...]
    words: tuple[str, ...]
    """Its words without fillers and without what denies or changes it."""
    is_rule: bool = False
    """Whether it tells the assistant what to do."""
    is_affirmed: bool = True
    """Whether nothing in it denies it."""

    @property
    def holds_now(self) -> bool:
        """Whether all it tells is true now."""
        return all(one.holds_now for one in self.properties)


@dataclass(frozen=True)
class Statement:
    """A statement, as rules read it."""

    text: str
    """In the third person."""
    clauses: tuple[Clause, ...]
    is_correction: bool = False
    """Whether it says in so many words that something known is wrong."""
    denied: tuple[str, ...] = ()
    """The words of the value that it says is wrong: "6 March, not 5 March"."""
    is_instead: bool = False
    """Whether it says that it holds in the place of something: `instead`, 一律."""

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
    def topics(self) -> frozenset[object]:
        """What it tells of, and the words of each clause: statements of one thing share some."""
        told = ((one.subject, one.predicate) for one in self.properties)
        return frozenset((*told, *(clause.words for clause in self.clauses if clause.words)))

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
        return tuple(word for clause in self.clauses for word in clause.words)

    @cached_property
    def is_tentative(self) -> bool:
        """Whether some of it is a plan, a wish, hearsay or a possibility."""
        return any(one.is_tentative for one in self.properties)

    @cached_property
    def is_read(self) -> bool:
        """Whether rules have read all of its clauses."""
        return not any(one.is_unread for one in self.properties)
