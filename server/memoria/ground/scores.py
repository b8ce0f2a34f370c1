"""Scores of the parts of files: how much of a statement and its session each has."""

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from memoria.ground.anchors import Anchors, list_terms, pack
from memoria.ground.blocks import Block, FilePart, SourceFile
from memoria.ground.decisions import is_status
from memoria.ground.gathering import Gathered
from memoria.ground.streams import is_prose

_FEW_SHOWN = 8
"""Lines, with and without numbers, that a call shows at most if it looked for just these."""
_SHORTEST = 3
_FOR_PHRASE = 4.0
_FOR_AROUND = 0.5
_FOR_SHOWN, _FOR_FOCUS, _FOR_FILE, _FOR_TARGET = 0.4, 0.6, 0.4, 1.5
_OF_IMPORT, _OF_COMMENT, _OF_TEST, _OF_OTHER_NAME = 0.2, 0.6, 0.5, 0.3
_LONG = 60
"""Tokens by which the score of a part halves."""
_IMPORT = re.compile(
    r"^(?:import\b|from\s+\S+\s+import\b|use\s|#\s*include|(?:pub\s+)?mod\s|package\s"
    r"|export\s.*\sfrom\b|(?:const|let|var)\s.*=\s*require\()"
)


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """A part that may carry the statement."""

    source: SourceFile
    part: FilePart
    score: float
    terms: frozenset[str]
    """Terms that it shares with statement and session."""
    likeness: float
    """Share of the statement's own weight that it has."""
    is_shown: bool
    is_focus: bool
    """True if a call showed it and hardly anything else."""
    is_target: bool
    """True if it is what a command of the statement runs."""

    @property
    def is_comment(self) -> bool:
        """Check whether it is prose among code."""
        return self.part.is_prose and not is_prose(self.source.path)


class PartScores:
    """Weights of terms by how rare they are among all parts."""

    def __init__(self, gathered: Gathered, shown: list[frozenset[str]], anchors: Anchors) -> None:
        """Weigh the terms.

        Args:
            gathered: the files.
            shown: the lines that each call showed.
            anchors: what statement and session speak of.
        """
        self._gathered, self._shown, self._anchors = gathered, shown, anchors
        self._parts = [
            (each, part, terms)
            for each in gathered.sources.values()
            for part, terms in zip(each.parts, each.terms, strict=True)
        ]
        self.counts = Counter(term for _, _, terms in self._parts for term in terms)
        """Number of parts that have each term."""
        self._weights = {
            term: weight * math.log(1 + len(self._parts) / max(self.counts[term], 1))
            for term, weight in anchors.terms.items()
        }
        self._phrases = [pack(phrase) for phrase in anchors.phrases]
        self._names_with: dict[str, frozenset[str]] = {}
        for name in anchors.names:
            for word in list_terms(name[1:]) if name[0] == "=" else ():
                self._names_with[word] = self._names_with.get(word, frozenset()) | {name}
        latin = frozenset(term for term in anchors.stated if term.isascii())
        self._of_latin = sum(self._weights[term] for term in latin) or 1.0
        self._of_all = sum(self._weights[term] for term in anchors.stated) or 1.0

    @cached_property
    def ranked(self) -> list[ScoredPart]:
        """Parts that have anything of statement or session, the best first."""
        found = [self.weigh(*each) for each in self._parts]
        return sorted((one for one in found if one.score > 0), key=lambda one: -one.score)

    def rank_status(self) -> list[ScoredPart]:
        """List the parts that say whether the decision of a document still holds."""
        return [
            self.weigh(source, part, terms)
            for source, part, terms in self._parts
            if is_prose(source.path) and is_status(source, part)
        ]

    def find_phrases(self, part: FilePart) -> frozenset[str]:
        """Return what a part has of what the statement quotes."""
        packed = pack(part.text)
        return frozenset(phrase for phrase in self._phrases if phrase in packed)

    def has_others(self, one: ScoredPart) -> bool:
        """Check whether a part's file has a term of the statement that the part has not."""
        others = self._anchors.stated - one.terms
        return any(terms & others for terms in one.source.terms)

    def weigh(self, source: SourceFile, part: FilePart, terms: frozenset[str]) -> ScoredPart:
        """Return a part, given its terms, with its score."""
        own = terms & self._weights.keys()
        is_target = self._is_target(source, part)
        phrases = len(self.find_phrases(part))
        if not (own or is_target or phrases):
            return ScoredPart(
                source, part, 0.0, own, 0.0, is_shown=False, is_focus=False, is_target=False
            )
        around = (list_terms(source.name_place(part.first)) & self._weights.keys()) - own
        score = sum(self._weigh_term(term, own) for term in own)
        score += _FOR_AROUND * sum(self._weights[term] for term in around)
        score += _FOR_PHRASE * phrases
        is_shown, is_focus = self._look(source, part)
        is_named = source.path in self._gathered.named
        score *= 1 + _FOR_SHOWN * is_shown + _FOR_FOCUS * is_focus + _FOR_FILE * is_named
        score *= (_FOR_TARGET if is_target else 1.0) * self._discount(source, part)
        has = sum(self._weights[term] for term in own & self._anchors.stated)
        likeness = has / (self._of_latin if part.text.isascii() else self._of_all)
        return ScoredPart(source, part, score, own, likeness, is_shown, is_focus, is_target)

    def measure(self, terms: frozenset[str], wanted: frozenset[str]) -> float:
        """Return the share of the weight of wanted terms that terms have."""
        weights = {term: self._weights.get(term, 0.0) for term in wanted}
        return sum(weights[term] for term in wanted & terms) / (sum(weights.values()) or 1.0)

    def _weigh_term(self, term: str, own: frozenset[str]) -> float:
        """Return a term's weight; the words of a stated name count little under another name."""
        names = self._names_with.get(term)
        is_other = names is not None and not names & own
        return self._weights[term] * (_OF_OTHER_NAME if is_other else 1.0)

    def _discount(self, source: SourceFile, part: FilePart) -> float:
        """Return by what a part counts less: it only names things, explains, tests, or is long."""
        factor = 1 / (1 + len(part.tokens) / _LONG)
        if not part.is_prose and _IMPORT.match(part.text):
            factor *= _OF_IMPORT
        if part.is_prose and not is_prose(source.path):
            factor *= _OF_COMMENT
        if "test" in source.path.lower() and "test" not in self._anchors.stated:
            factor *= _OF_TEST
        return factor

    def _look(self, source: SourceFile, part: FilePart) -> tuple[bool, bool]:
        """Check whether a call showed a part, and whether it showed hardly anything else."""
        packed = source.packed[part.first : part.last + 1]
        lines = [line for line in packed if len(line) >= _SHORTEST]
        seen = [shown for shown in self._shown if any(line in shown for line in lines)]
        return bool(seen), any(len(shown) <= _FEW_SHOWN for shown in seen)

    def _is_target(self, source: SourceFile, part: FilePart) -> bool:
        """Check whether a part is what a command of the statement runs."""
        return any(
            part.first == line or any(is_in(part, block) for block in source.find_headed(line))
            for path, target in self._gathered.run_from
            if path == source.path
            for line in source.definitions.get(target, ())
        )


def is_in(part: FilePart, block: Block) -> bool:
    """Check whether a part is in a block and not its header."""
    return block.first < part.first <= block.last
