"""Binds a statement to the few parts of files that carry it."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memoria.ground.anchors import Anchors, list_shown, list_terms, pack, read_anchors
from memoria.ground.blocks import Block, Part, Source, find_set
from memoria.ground.fingerprints import make_mark
from memoria.ground.gathering import Gathered
from memoria.ground.repository import Repository
from memoria.ground.streams import is_prose
from memoria.ground.values import Binding
from memoria.model.search import ToolCall

MOST_BINDINGS = 8
_FEW_SHOWN = 8
"""Lines, with and without numbers, that a call shows at most if it looked for just these."""
_SHORTEST = 3
_SMALL = 8
"""Parts of a block at most that is taken whole if the statement names it and nothing within."""
_SHARE = 0.6
_SHARE_OF_COMMENTS = 0.9
_LEAST = 0.3
_LIKENESS = 0.3
"""Part of the statement's weight that a part must have that no call showed."""
_IMPORT = re.compile(
    r"^(?:import\b|from\s+\S+\s+import\b|use\s|#\s*include|(?:pub\s+)?mod\s|package\s|export\s.*\sfrom\b"
    r"|(?:const|let|var)\s.*=\s*require\()"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part that may carry the statement."""

    source: Source
    part: Part
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


def bind(
    statement: str,
    calls: Sequence[ToolCall],
    repository: Repository,
    commit: str | None = None,
    said: Sequence[str] = (),
) -> tuple[Binding, ...]:
    """Return the parts of a repository's files that carry a statement; none if none does.

    Args:
        statement: what is remembered.
        calls: the calls of its session before it, the latest last.
        repository: the repository that the session worked in.
        commit: the commit to read; without one the checkout's files are read.
        said: what was said beside the statement; its words count for less.

    Raises:
        UnreadableRepositoryError: the commit can't be read.
    """
    anchors = read_anchors(statement, said, calls)
    gathered = Gathered(statement, calls, said, anchors, repository, commit)
    binder = _Binder(gathered, list_shown(calls), anchors)
    bindings: dict[Binding, None] = {}
    for chosen in binder.choose():
        binding = binder.make(chosen)
        if binding is not None:
            bindings[binding] = None
    return tuple(bindings)[:MOST_BINDINGS]


class _Binder:
    """Binds one statement."""

    def __init__(self, gathered: Gathered, shown: list[frozenset[str]], anchors: Anchors) -> None:
        self._gathered, self._shown, self._anchors = gathered, shown, anchors
        parts = [(each, part) for each in gathered.sources.values() for part in each.parts]
        counts = Counter(term for _, part in parts for term in list_terms(part.text))
        self._weights = {
            term: weight * math.log(1 + len(parts) / max(counts[term], 1))
            for term, weight in anchors.terms.items()
        }
        self._stated_weight = sum(self._weights[term] for term in anchors.stated) or 1.0
        found = [self._weigh(source, part) for source, part in parts]
        self._candidates = sorted(
            (one for one in found if one.score > 0), key=lambda one: -one.score
        )

    def _weigh(self, source: Source, part: Part) -> Candidate:
        own = list_terms(part.text) & self._weights.keys()
        symbol = source.name_place(part.first)
        around = (list_terms(symbol) & self._weights.keys()) - own
        score = sum(self._weights[term] for term in own)
        likeness = sum(self._weights[term] for term in own & self._anchors.stated)
        if not score:
            return Candidate(source, part, 0.0, own, 0.0, False, False, False)
        packed = pack(part.text)
        score += sum(4.0 for phrase in self._anchors.phrases if pack(phrase) in packed)
        score += 0.5 * sum(self._weights[term] for term in around)
        is_shown, is_focus = self._look(source, part)
        is_target = self._is_target(source, part)
        score *= 1 + 0.4 * is_shown + 0.6 * is_focus + 0.4 * (source.path in self._gathered.named)
        score *= 1.5 if is_target else 1
        if not part.is_prose and _IMPORT.match(part.text):
            score *= 0.2
        if "test" in source.path.lower() and "test" not in self._anchors.stated:
            score *= 0.5
        score /= 1 + len(part.tokens) / 60
        share = likeness / self._stated_weight
        return Candidate(source, part, score, own, share, is_shown, is_focus, is_target)

    def _look(self, source: Source, part: Part) -> tuple[bool, bool]:
        """Check whether a call showed a part, and whether it showed hardly anything else."""
        packed = source.packed[part.first : part.last + 1]
        lines = [line for line in packed if len(line) >= _SHORTEST]
        seen = [shown for shown in self._shown if any(line in shown for line in lines)]
        return bool(seen), any(len(shown) <= _FEW_SHOWN for shown in seen)

    def _is_target(self, source: Source, part: Part) -> bool:
        """Check whether a part is what a command of the statement runs."""
        targets = [target for path, target in self._gathered.run_from if path == source.path]
        lines = [line for target in targets for line in source.definitions.get(target, ())]
        return any(
            part.first == line or _is_in(part, block)
            for line in lines
            for block in (*(one for one in source.blocks if one.first == line), None)
        )

    def choose(self) -> list[Candidate]:
        """Choose the parts that carry the statement."""
        candidates = [one for one in self._candidates if self._is_telling(one)]
        if not candidates:
            return []
        top = candidates[0].score
        chosen = [one for one in candidates if one.score >= self._bar(one) * top]
        chosen = chosen[: MOST_BINDINGS - 2]
        covered = frozenset[str]().union(*(one.terms for one in chosen))
        for one in candidates:
            stated = one.terms & self._anchors.stated
            telling = {term for term in stated if term[0] == "#" or term in self._anchors.names}
            is_enough = one.score >= _LEAST * top and (one.is_shown or len(stated) > 1)
            if telling - covered and is_enough and len(chosen) < MOST_BINDINGS:
                chosen.append(one)
                covered |= one.terms
        return self._widen(chosen)

    def _bar(self, one: Candidate) -> float:
        """Return the share of the best score from which on a part is chosen."""
        is_comment = one.part.is_prose and not is_prose(one.source.path)
        return _SHARE_OF_COMMENTS if is_comment else _SHARE

    def _widen(self, chosen: list[Candidate]) -> list[Candidate]:
        """Take small blocks whole of which the header alone is chosen, and what commands run."""
        found = list(chosen)
        for one in chosen:
            for block in one.source.blocks:
                if block.first != one.part.first or one.part.is_prose:
                    continue
                within = [each for each in one.source.parts if _is_in(each, block)]
                taken = [each for each in chosen if each.source is one.source and each.part in within]
                if (not taken or one.is_target) and len(within) <= _SMALL:
                    found += [
                        self._weigh(one.source, each) for each in within if not each.is_prose
                    ]
        return found

    def _is_telling(self, one: Candidate) -> bool:
        """Check whether a part is more than a chance likeness."""
        if one.is_focus or one.is_target or one.terms & self._anchors.names:
            return True
        stated = one.terms & self._anchors.stated
        if one.is_shown:
            return len(stated) > 1 or bool(one.terms & self._anchors.told_names)
        return one.likeness >= _LIKENESS and len(stated) > 1

    def make(self, one: Candidate) -> Binding | None:
        """Return the binding of a part; None if it has no tokens."""
        source, part = one.source, one.part
        name = "" if part.is_prose else (find_set(part.text) or "")
        heads = [block for block in source.blocks if block.first == part.first]
        is_placed = source.path in self._gathered.named or one.is_target
        mark = make_mark(
            source, part, name or (heads[0].name if heads else ""), is_placed=is_placed
        )
        if mark is None:
            return None
        symbol = source.name_place(part.first)
        return Binding(source.path, symbol, mark.encode(), self._gathered.commit)


def _is_in(part: Part, block: Block | None) -> bool:
    return block is not None and block.first < part.first <= block.last
