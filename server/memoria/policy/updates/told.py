"""Told: which of two tellings, each of them an answer to the question, holds no longer.

Amounts are compared by `relate`. This is for what has none: a place, a name, a tool, and whether
something is so.
"""

from collections.abc import Mapping
from itertools import takewhile

from memoria.model.ruling import Relation
from memoria.policy.properties import relate_statements
from memoria.policy.updates.read import TurnStatements
from memoria.policy.updates.relate import Bearing
from memoria.policy.updates.tellings import Telling
from memoria.policy.updates.words import words_of
from memoria.text.pattern import LazyPattern

_LIKELY = 0.7
"""Of what the best turn has of the question, how much another has that may tell of the same."""
_MOST = 0.65
"""Of what the best telling has of the question, how much another has to have."""
_OF_QUESTION = 0.4
"""Of the question itself, how much a telling has to have: where none has, none answers."""
_OF_PAIRS = 0.55
"""The same of a Chinese question, by how many of its pairs of characters: those that join two words
are rare, and would weigh most."""
_FEWEST_SHARED = 2
"""English words of the question that both have to have; of Chinese pairs one says as much."""
_LONGEST_RULED = 160
"""Characters of a telling that the rules for memories read: they are for single statements."""


class Told:
    """What the turns found for a question tell of what it asks."""

    def __init__(
        self,
        bearing: Bearing,
        turns: Mapping[int, TurnStatements],
        words: Mapping[int, frozenset[str]],
    ) -> None:
        """Chooses the tellings in which nearly all of the question stands.

        Args:
            bearing: the question's.
            turns: what they state, by document.
            words: all of their words.
        """
        self._bearing = bearing
        self._tellings: dict[int, list[Telling]] = {}
        self._fewest, self._asked = _FEWEST_SHARED, bearing.words
        if not (bearing.asked.is_whether or bearing.asked.is_open):
            return
        self._asked = frozenset(w for w in bearing.words if w.isascii() or len(w) > 1)
        is_spaced = all(word.isascii() for word in self._asked)
        self._fewest = min(_FEWEST_SHARED, len(self._asked)) if is_spaced else 1
        whole = _OF_QUESTION * bearing.weigh_asked(self._asked) * is_spaced
        weights = {n: bearing.weigh_asked(words[n]) for n in turns}
        likely_from = max(_LIKELY * max(weights.values(), default=0.0), whole)
        likely = [n for n, weight in weights.items() if weight >= likely_from]
        told = {n: turns[n].tellings for n in likely} if len(likely) > 1 else {}
        covers = [bearing.weigh_asked(one.words) for each in told.values() for one in each]
        best = max(covers, default=0.0)
        least = max(_MOST * best, whole)
        if best:
            near = {
                n: [one for one in each if self._covers(one, least)] for n, each in told.items()
            }
            self._tellings = {n: each for n, each in near.items() if each}

    @property
    def turns(self) -> frozenset[int]:
        """The turns that tell of what is asked; empty where there is nothing to compare."""
        return frozenset(self._tellings) if len(self._tellings) > 1 else frozenset()

    def relate(self, new: int, old: int) -> Relation | None:
        """What a turn is to an earlier one of its speaker; None where nothing follows."""
        found = {
            self._compare(one, other)
            for one in self._tellings[new]
            for other in self._tellings[old]
        }
        return "replaces" if "replaces" in found else "contradicts" if found - {None} else None

    def _covers(self, one: Telling, least: float) -> bool:
        if self._bearing.weigh_asked(one.words) < least:
            return False
        pairs = [word for word in self._asked if not word.isascii()]
        return sum(pair in one.words for pair in pairs) >= _OF_PAIRS * len(pairs)

    def _compare(self, new: Telling, old: Telling) -> Relation | None:
        shared = new.words & old.words & self._bearing.words
        if len(shared) < self._fewest or self._bearing.tells_apart(new, old):
            return None
        if new.is_denied != old.is_denied and self._bearing.asked.is_whether:
            is_over = old.is_denied or new.is_news
            return "replaces" if is_over else "contradicts"
        has_value = new.words - old.words - self._bearing.words and old.words - new.words
        is_new = new.is_news or self._begin_alike(new, old)
        if self._bearing.asked.is_open and is_new and not new.is_denied and has_value:
            return "replaces"
        if max(len(new.text), len(old.text)) > _LONGEST_RULED:
            return None
        relation = relate_statements(new.text, old.text)
        return relation if relation in ("replaces", "contradicts") else None

    def _begin_alike(self, new: Telling, old: Telling) -> bool:
        """Whether two tellings say in the same words of what is asked that it is, and differ then.

        What happens can happen twice, so the words they begin with have to say that something is.
        """
        pairs = zip(new.text.lower(), old.text.lower(), strict=False)
        beginning = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        match = _IS.regex.search(beginning)
        return match is not None and not words_of(match[1]).isdisjoint(self._bearing.words)


_IS = LazyPattern(r"(?i)^(.*?)(?:\s(?:is|are|am|will\sbe)\b(?!\snot)|['’](?:s|re|m)\s|是|在)")
