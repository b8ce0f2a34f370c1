"""States of what memories are bound to: unchanged, changed or gone."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from memoria.ground.blocks import SYMBOL_JOINT, SourceFile
from memoria.ground.claims import NO_MORE, PLACE, UNSURE, list_alike
from memoria.ground.decisions import list_superseding
from memoria.ground.fingerprints import (
    Mark,
    count_settings,
    digest,
    find_mark,
    is_named,
    is_within,
    mentions,
    sets_within,
)
from memoria.ground.moves import find_spellings, read_formerly
from memoria.ground.repository import Repository
from memoria.ground.streams import is_program
from memoria.ground.values import Binding, GroundCheck, GroundState

_MOST_SEARCHED = 120
"""Files changed since that are searched at most for a part that has left its own."""
_MOST_MOVES = 24
"""Files no longer there that are followed at most to read a text that may name them."""
_TELLING = 4
"""Tokens from which on a part is known for itself, wherever it stands."""
_MOST_MARKED = 1 << 18
_MOST_KEPT = 256
_BINARY_WITHIN = 8_192
_WORD = re.compile(r"[._-]")
_STEP = re.compile(r"(?i)^(?:v?\d{2,}|v\d+__|\d{4}[-_]\d\d)[\w.-]*\.")


def is_sure(bindings: Iterable[Binding]) -> bool:
    """Check whether a memory's bindings have its numbers and names."""
    return not any(Mark.decode(one.fingerprint).kind == UNSURE for one in bindings)


def check(
    bindings: Sequence[Binding], repository: Repository, former: GroundCheck | None = None
) -> GroundCheck:
    """Return how all bindings of a memory stand together; the checkout's files count.

    Args:
        bindings: the bindings, at least one.
        repository: the repository that they are of.
        former: what the last check returned; it stands while its stamp does.

    Raises:
        UnreadableRepositoryError: its objects can't be read.
    """
    stamp = find_stamp([one.path for one in bindings], repository)
    if former is not None and former.stamp == stamp:
        return former
    checker = GroundChecker(repository)
    sure = [one for one in bindings if Mark.decode(one.fingerprint).kind != UNSURE]
    found = [checker.look(binding) for binding in sure]
    states = [state for state, _ in found]
    if all(state is GroundState.UNCHANGED for state in states):
        state = GroundState.UNCHANGED if is_sure(bindings) else GroundState.NOT_CHECKED
        return GroundCheck(state, 0, found[0][1], stamp)
    is_gone = states[0] is GroundState.GONE and GroundState.UNCHANGED not in states
    state = GroundState.GONE if is_gone else GroundState.CHANGED
    path = None if is_gone else next((path for _, path in found if path is not None), None)
    moved = [
        binding for binding, (state, _) in zip(sure, found, strict=True) if state != "unchanged"
    ]
    return GroundCheck(state, checker.count_commits(moved), path, stamp)


def find_stamp(paths: Iterable[str], repository: Repository) -> str:
    """Return HEAD and the times and sizes of files."""
    parts = [repository.find_head() or "-"]
    for path in sorted({*paths}):
        try:
            status = (repository.folder / path).stat()
            parts.append(f"{status.st_mtime_ns:x}.{status.st_size:x}")
        except (OSError, ValueError):
            parts.append("-")
    return " ".join(parts)


class GroundChecker:
    """Looks for parts in a repository as it is now; keeps what it has read."""

    def __init__(self, repository: Repository) -> None:
        """Look in a repository."""
        self._repository = repository
        self._sources: dict[tuple[str, str | None], SourceFile | None] = {}
        self._changed: dict[str, list[str]] = {}
        self._moved: dict[tuple[str, str], str | None] = {}
        self._moves: dict[str, list[tuple[str, str]]] = {}

    def look(self, binding: Binding) -> tuple[GroundState, str | None]:
        """Return the state of one binding, and where its part is now."""
        mark = Mark.decode(binding.fingerprint)
        if mark.kind == PLACE:
            return self._look_at_place(binding)
        if mark.kind == NO_MORE:
            return self._look_for_more(binding, mark)
        path: str | None = binding.path
        source = self._read(binding.path)
        if source is None and binding.commit is not None:
            path = self._find_moved(binding.path, binding.commit)
            source = None if path is None else self._read(path)
        if source is not None and self._stands(source, binding.symbol, mark):
            is_overridden = binding.commit is not None and self._is_overridden(
                binding, source.path, mark, binding.commit
            )
            state = GroundState.CHANGED if is_overridden else GroundState.UNCHANGED
            return state, path
        if source is not None and not mark.is_placed and binding.commit is not None:
            former = self._read_formerly(source.path, binding.commit)
            if former is not None and self._stands(former, binding.symbol, mark):
                return GroundState.UNCHANGED, path
        if not mark.is_placed and binding.commit is not None:
            elsewhere = self._find_elsewhere(binding, mark, binding.commit)
            if elsewhere is not None:
                return GroundState.UNCHANGED, elsewhere
        is_left = source is not None and self._is_left(source, binding.symbol, mark)
        return (GroundState.CHANGED, path) if is_left else (GroundState.GONE, None)

    def _look_at_place(self, binding: Binding) -> tuple[GroundState, str | None]:
        """Return whether a file or folder is where it was; one further down is, too."""
        path: str | None = binding.path
        if self._repository.has(binding.path):
            return GroundState.UNCHANGED, path
        if binding.commit is None or binding.path.endswith("/"):
            return GroundState.GONE, None
        path = self._find_moved(binding.path, binding.commit)
        if path is None or self._read(path) is None:
            return GroundState.GONE, None
        is_further_down = find_spellings(binding.path, path) is not None
        return GroundState.UNCHANGED if is_further_down else GroundState.CHANGED, path

    def _look_for_more(self, binding: Binding, mark: Mark) -> tuple[GroundState, str | None]:
        """Return whether there is more of a statement's terms than there was."""
        source, path, commit = self._read(binding.path), binding.path, binding.commit
        if source is not None and len(list_alike(source, mark)) > mark.times:
            return GroundState.CHANGED, path
        more = 0
        others = self._list_changed(commit) if commit is not None and mark.length else []
        for other in others[:_MOST_SEARCHED]:
            for at, sign in ((None, 1), (commit, -1)):
                found = self._read(other, at)
                more += sign * (0 if found is None else len(list_alike(found, mark, by_name=True)))
        return GroundState.CHANGED if more > 0 else GroundState.UNCHANGED, path

    def count_commits(self, bindings: Sequence[Binding]) -> int:
        """Return how many commits changed the files of bindings; the most of any one file."""
        counts = [
            self._repository.find_changes(binding.path, binding.commit).commits
            for binding in {binding.path: binding for binding in bindings}.values()
            if binding.commit is not None
        ]
        return max(counts, default=0)

    def _stands(self, source: SourceFile, symbol: str, mark: Mark) -> bool:
        """Check whether a part is still in its place, or elsewhere in the file."""
        lines = find_mark(source, mark)
        if not lines:
            return False
        blocks = source.find_place(symbol) if symbol else []
        if not symbol or is_within(lines, blocks):
            return True
        is_known = mark.is_prose and mark.length >= _TELLING
        return not blocks or (is_known and len(lines) >= mark.times)

    def _is_left(self, source: SourceFile, symbol: str, mark: Mark) -> bool:
        """Check whether what a part was of is still there, however it reads now."""
        if mark.names:
            return is_named(source, mark.names[0])
        return not symbol or bool(source.find_place(symbol))

    def _is_overridden(self, binding: Binding, path: str, mark: Mark, commit: str) -> bool:
        """Check whether another file has come to set what a part sets, or migrates it."""
        if mark.is_prose:
            return _is_step(binding.path) and self._is_superseded(binding.path, path, commit)
        others = self._list_changed(commit) if mark.names else []
        if _is_step(binding.path):
            return any(self._migrates(other, binding, mark, commit) for other in others)
        if any(self._is_layer(other, path, binding.symbol, mark, commit) for other in others):
            return True
        return mark.is_setting and self._is_set_more(others, mark, commit)

    def _is_superseded(self, path: str, now: str, commit: str) -> bool:
        """Check whether a decision's own file, or another beside it, has come to say so."""
        folder = PurePosixPath(now).parent
        beside = [one for one in self._list_changed(commit) if PurePosixPath(one).parent == folder]
        for other in dict.fromkeys((now, *beside)):
            is_own = other == now
            source, before = self._read(other), self._read(path if is_own else other, commit)
            said = [] if before is None else list_superseding(before, path)
            told = [] if source is None else list_superseding(source, now if is_own else path)
            if {*told} - {*said}:
                return True
        return False

    def _is_layer(self, other: str, path: str, symbol: str, mark: Mark, commit: str) -> bool:
        """Check whether settings beside a part's own have come to set the same in the same place.

        So do layers such as `compose.prod.yml` over `compose.yml`.
        """
        layer, own = PurePosixPath(other), PurePosixPath(path)
        is_beside = (layer.parent, layer.suffix) == (own.parent, own.suffix) and layer != own
        is_kin = _WORD.split(layer.name)[0] == _WORD.split(own.name)[0]
        if not (is_beside and is_kin) or is_program(path) or SYMBOL_JOINT not in symbol:
            return False
        now, before = self._read(other), self._read(other, commit)
        is_new = before is None or not sets_within(before, symbol, mark.names[0])
        return is_new and now is not None and sets_within(now, symbol, mark.names[0])

    def _is_set_more(self, paths: list[str], mark: Mark, commit: str) -> bool:
        """Check whether files have come to set the names that a part sets; a move is none."""
        more = 0
        for path in paths:
            now = self._repository.read(path)
            times = 0 if now is None else count_settings(path, now, mark.names)
            if times or now is None:
                before = self._repository.read(path, commit)
                more += times - (0 if before is None else count_settings(path, before, mark.names))
        return more > 0

    def _migrates(self, path: str, binding: Binding, mark: Mark, commit: str) -> bool:
        """Check whether a file is a later step beside a part's own and speaks of the same."""
        folder = PurePosixPath(path).parent
        if folder != PurePosixPath(binding.path).parent or not _is_step(path):
            return False
        now = self._read(path)
        if now is None or self._read(path, commit) is not None:
            return False
        around = [digest((name,)) for name in binding.symbol.split(SYMBOL_JOINT) if name]
        return mentions(now, mark.names) and (not around or mentions(now, around))

    def _find_elsewhere(self, binding: Binding, mark: Mark, commit: str) -> str | None:
        """Return the file that a part has gone to."""
        ending = PurePosixPath(binding.path).suffix
        changed = self._list_changed(commit)
        likely = sorted(changed, key=lambda path: PurePosixPath(path).suffix != ending)
        for path in likely[:_MOST_SEARCHED]:
            source = None if path == binding.path else self._read(path)
            lines = [] if source is None else find_mark(source, mark)
            if source is None or not lines:
                continue
            is_telling = mark.length >= _TELLING or mark.is_setting
            if not is_telling and not is_within(lines, source.find_place(binding.symbol)):
                continue
            before = self._read(path, commit)
            if before is None or len(find_mark(before, mark)) < len(lines):
                return None if self._is_fewer(likely, mark, commit) else path
        return None

    def _read_formerly(self, path: str, commit: str) -> SourceFile | None:
        """Return a file with the paths of moved files as they were; None if it names none."""
        content = self._repository.read(path) or b""
        text = content.decode("utf-8", "replace").replace("\r\n", "\n")
        former = read_formerly(text, self._list_moves(commit))
        return None if former == text else SourceFile(path, former)

    def _list_moves(self, commit: str) -> list[tuple[str, str]]:
        """List (former path, path now) of files that were moved since a commit."""
        if commit not in self._moves:
            changed = self._list_changed(commit)
            left = [path for path in changed if self._repository.read(path) is None]
            moved = [(path, self._find_moved(path, commit)) for path in left[:_MOST_MOVES]]
            self._moves[commit] = [(old, new) for old, new in moved if new is not None]
        return self._moves[commit]

    def _is_fewer(self, paths: list[str], mark: Mark, commit: str) -> bool:
        """Check whether a part stands in fewer places than before: its own was not moved."""
        places = 0
        for path in paths[:_MOST_SEARCHED]:
            for at, sign in ((None, 1), (commit, -1)):
                source = self._read(path, at)
                places += sign * (0 if source is None else len(find_mark(source, mark)))
        return places < 0

    def _find_moved(self, path: str, commit: str) -> str | None:
        key = path, commit
        if key not in self._moved:
            self._moved[key] = self._repository.find_changes(path, commit).path
        return self._moved[key]

    def _list_changed(self, commit: str) -> list[str]:
        if commit not in self._changed:
            self._changed[commit] = self._repository.list_changed(commit)
        return self._changed[commit]

    def _read(self, path: str, commit: str | None = None) -> SourceFile | None:
        """Return a file taken apart; None if it can't be read as text."""
        key = path, commit
        if key not in self._sources:
            self._sources[key] = read_source(self._repository, path, commit)
        return self._sources[key]


def _is_step(path: str) -> bool:
    """Check whether a file is one of a row that only grows, such as migrations."""
    return _STEP.match(PurePosixPath(path).name) is not None


def read_source(repository: Repository, path: str, commit: str | None) -> SourceFile | None:
    """Return a file of a repository taken apart; None if there is none, or none of text."""
    content = repository.read(path, commit)
    if content is None or b"\0" in content[:_BINARY_WITHIN] or len(content) > _MOST_MARKED:
        return None
    return _take_apart(path, content)


@lru_cache(maxsize=_MOST_KEPT)
def _take_apart(path: str, content: bytes) -> SourceFile:
    """Return a file taken apart; the same for many statements."""
    return SourceFile(path, content.decode("utf-8", "replace").replace("\r\n", "\n"))
