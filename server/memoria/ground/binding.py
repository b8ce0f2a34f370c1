"""Binds a statement to the few parts of files that carry it."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memoria.ground.anchors import (
    Anchors,
    PathIndex,
    list_shown,
    list_terms,
    list_texts,
    pack,
    read_anchors,
)
from memoria.ground.blocks import Part, Source, find_set
from memoria.ground.fingerprints import make_mark
from memoria.ground.repository import Repository
from memoria.ground.states import read_source
from memoria.ground.streams import is_prose
from memoria.ground.values import Binding
from memoria.model.search import ToolCall

MOST_BINDINGS = 8
_MOST_FILES = 24
_MOST_SEARCHED = 400
_FEW = 3
"""Lines that a call shows at most if it looked for just these."""
_SMALL = 14
"""Lines of a block that is taken whole if a statement names it and nothing within."""
_SHARE = 0.6
_SHARE_OF_COMMENTS = 0.9
_LEAST = 0.3
_IMPORT = re.compile(
    r"^(?:import\b|from\s+\S+\s+import\b|use\s|#\s*include|(?:pub\s+)?mod\s|package\s|export\s.*\sfrom\b"
    r"|(?:const|let|var)\s.*=\s*require\()"
)
_RUNNERS = {
    "make": ("makefile",), "gmake": ("makefile",), "just": ("justfile",), "task": ("taskfile.yml",),
    "npm": ("package.json",), "pnpm": ("package.json",), "yarn": ("package.json",),
    "nox": ("noxfile.py",), "tox": ("tox.ini",), "rake": ("rakefile",),
    "composer": ("composer.json",), "gradle": ("build.gradle",), "invoke": ("tasks.py",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part that may carry the statement."""

    source: Source
    part: Part
    score: float
    terms: frozenset[str]
    """Terms that it shares with statement and session."""
    is_shown: bool
    is_focus: bool
    """True if a call showed it and hardly anything else."""


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
    return _Binder(statement, calls, repository, commit, said).bind()


class _Binder:
    """Binds one statement."""

    def __init__(
        self,
        statement: str,
        calls: Sequence[ToolCall],
        repository: Repository,
        commit: str | None,
        said: Sequence[str],
    ) -> None:
        self._repository, self._commit = repository, commit
        self._bound_at = repository.find_head() if commit is None else commit
        self._anchors: Anchors = read_anchors(statement, said, calls)
        paths = [] if self._bound_at is None else repository.list_paths(self._bound_at)
        self._index = PathIndex(paths)
        self._named = self._index.find(statement)
        self._calls, self._shown = calls, list_shown(calls)
        self._statement, self._said = statement, said
        self._sources: dict[str, Source] = {}

    def bind(self) -> tuple[Binding, ...]:
        """Return the bindings."""
        self._gather()
        candidates = self._score()
        chosen = self._choose(candidates)
        bindings: dict[Binding, None] = {}
        for candidate in chosen:
            binding = self._make(candidate.source, candidate.part)
            if binding is not None:
                bindings[binding] = None
        return tuple(bindings)[:MOST_BINDINGS]

    def _gather(self) -> None:
        """Read the files in play: named, touched, and those that define what is named."""
        for path in self._named:
            self._add(path)
        for call in reversed(self._calls):
            for text in (*list_texts(call.args), *list_texts(call.result)):
                for path in self._index.find(text):
                    self._add(path)
        for text in self._said:
            for path in self._index.find(text):
                self._add(path)
        known = {
            name.casefold() for source in self._sources.values() for name in source.definitions
        }
        wanted = self._anchors.names - known
        if wanted:
            self._search(wanted)

    def _search(self, names: frozenset[str]) -> None:
        """Read the files that define names."""
        for path in self._index.paths[:_MOST_SEARCHED]:
            if path in self._sources:
                continue
            source = read_source(self._repository, path, self._commit)
            if source is not None and names & {name.casefold() for name in source.definitions}:
                self._sources[path] = source

    def _add(self, path: str) -> None:
        if path not in self._sources and len(self._sources) < _MOST_FILES:
            source = read_source(self._repository, path, self._commit)
            if source is not None:
                self._sources[path] = source

    def _score(self) -> list[Candidate]:
        """Return the parts of all files in play, the best first."""
        parts = [(source, part) for source in self._sources.values() for part in source.parts]
        counts = Counter(term for _, part in parts for term in list_terms(part.text))
        weights = {
            term: weight * math.log(1 + len(parts) / counts[term])
            for term, weight in self._anchors.terms.items()
            if counts[term]
        }
        found = [self._weigh(source, part, weights) for source, part in parts]
        kept = [candidate for candidate in found if candidate.score > 0]
        return sorted(kept, key=lambda candidate: -candidate.score)

    def _weigh(self, source: Source, part: Part, weights: dict[str, float]) -> Candidate:
        terms = list_terms(part.text) & weights.keys()
        score = sum(weights[term] for term in terms)
        packed = pack(part.text)
        score += sum(3.0 for phrase in self._anchors.phrases if pack(phrase) in packed)
        is_shown, is_focus = self._look(source, part)
        score *= 1 + 0.4 * is_shown + 0.6 * is_focus + 0.4 * (source.path in self._named)
        if not part.is_prose and _IMPORT.match(part.text):
            score *= 0.2
        if "test" in source.path.lower() and "test" not in self._anchors.stated:
            score *= 0.5
        score /= 1 + len(part.tokens) / 60
        return Candidate(source, part, score, frozenset(terms), is_shown, is_focus)

    def _look(self, source: Source, part: Part) -> tuple[bool, bool]:
        """Check whether a call showed a part, and whether it showed hardly anything else."""
        lines = [line for line in source.packed[part.first : part.last + 1] if len(line) > 2]
        seen = [shown for shown in self._shown if any(line in shown for line in lines)]
        return bool(seen), any(len(shown) <= 2 * _FEW for shown in seen)

    def _choose(self, candidates: list[Candidate]) -> list[Candidate]:
        """Choose the parts that carry the statement."""
        candidates = [one for one in candidates if self._is_telling(one)]
        if not candidates:
            return []
        top = candidates[0].score
        chosen = [
            one
            for one in candidates
            if one.score >= (_SHARE if self._is_told(one) else _SHARE_OF_COMMENTS) * top
        ][: MOST_BINDINGS - 2]
        covered = frozenset[str]().union(*(one.terms for one in chosen))
        for one in candidates:
            stated = one.terms & self._anchors.stated
            telling = {term for term in stated if term[0] == "#" or term[1:] in self._anchors.names}
            is_enough = one.score >= _LEAST * top and (one.is_shown or len(stated) > 1)
            if telling - covered and is_enough and len(chosen) < MOST_BINDINGS:
                chosen.append(one)
                covered |= one.terms
        return chosen

    def _is_told(self, one: Candidate) -> bool:
        """Check whether a part is more than a comment."""
        return not one.part.is_prose or is_prose(one.source.path)

    def _is_telling(self, one: Candidate) -> bool:
        """Check whether a part is more than a chance likeness."""
        names = {f"={name}" for name in self._anchors.names | self._anchors.told_names}
        stated = one.terms & self._anchors.stated
        if one.is_focus or one.terms & names:
            return True
        return one.is_shown and len(stated) > 1

    def _make(self, source: Source, part: Part) -> Binding | None:
        name = "" if part.is_prose else (find_set(part.text) or "")
        if not name:
            heads = [block for block in source.blocks if block.first == part.first]
            name = heads[0].name if heads else ""
        mark = make_mark(source, part, name, is_placed=source.path in self._named)
        if mark is None:
            return None
        symbol = source.name_place(part.first)
        return Binding(source.path, symbol, mark.encode(), self._bound_at)
