"""The files of a repository in which a statement may be carried."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from memoria.ground.anchors import Anchors, PathIndex, list_texts
from memoria.ground.blocks import SourceFile
from memoria.ground.claims import find_places
from memoria.ground.decisions import list_others
from memoria.ground.repository import Repository
from memoria.ground.states import read_source
from memoria.model.search import ToolCall

_MOST_FILES = 32
_MOST_TOUCHED = 20
_MOST_SEARCHED = 4_000
_WRITTEN = re.compile(r"(?<![\w/])[\w.-]+/[\w./-]*|[\w-]+\.[a-z]{1,4}\b")
"""A relative path, or the name of a file with its ending."""
_BINARY_WITHIN = 8_192
_RUN_FROM = {
    "make": "makefile", "gmake": "makefile", "just": "justfile", "task": "taskfile.yml",
    "npm": "package.json", "pnpm": "package.json", "yarn": "package.json", "nox": "noxfile.py",
    "tox": "tox.ini", "rake": "rakefile", "composer": "composer.json", "invoke": "tasks.py",
}  # fmt: skip
"""File in which a program's targets are defined."""


class Gathered:
    """Files that the statement names, that calls touched, or that have the statement's words."""

    def __init__(
        self,
        statement: str,
        calls: Sequence[ToolCall],
        said: Sequence[str],
        anchors: Anchors,
        repository: Repository,
        commit: str | None,
        until: int | None = None,
    ) -> None:
        """Read the files.

        A file of the checkout counts rather than the commit's if it was written by `until`, in ms.

        Raises:
            UnreadableRepositoryError: the commit can't be read.
        """
        self._repository, self._commit, self._until = repository, commit, until
        self.commit = repository.find_head() if commit is None else commit
        self._index = PathIndex(() if self.commit is None else repository.list_paths(self.commit))
        self.sources: dict[str, SourceFile] = {}
        self.named = frozenset(self._index.find(statement))
        self._left_out = list_others(statement, self._index.paths) - self.named
        self.places = find_places(statement, self._index.paths)
        """Files and folders that a statement about places gives."""
        self._written = [
            PurePosixPath(word.rstrip("./")).name for word in _WRITTEN.findall(statement)
        ]
        self.run_from = {
            (path, target)
            for program, target in anchors.targets
            for path in self._index.find(_RUN_FROM[program])
        }
        """(path, target) of the commands that the statement gives."""
        for path in (*self.named, *(path for path, _ in sorted(self.run_from))):
            self._add(path)
        for text in _list_told(calls, said):
            for path in self._index.find(text):
                if len(self.sources) < _MOST_TOUCHED:
                    self._add(path)
        self.touched = frozenset(self.sources)
        for path in self._search(anchors):
            self._add(path)

    def says_place(self, text: str) -> bool:
        """Check whether a text has the last name of a path that the statement writes."""
        return any(name in text for name in self._written)

    def _add(self, path: str) -> None:
        is_new = path not in self.sources and path not in self._left_out
        if is_new and len(self.sources) < _MOST_FILES:
            source = read_source(self._repository, path, self._find_commit(path))
            if source is not None:
                self.sources[path] = source

    def _find_commit(self, path: str) -> str | None:
        """Return the commit of which a file is read; None if the checkout's is."""
        until = self._until
        is_own = until is not None and self._repository.is_written_by(path, until)
        return None if is_own else self._commit

    def _search(self, anchors: Anchors) -> list[str]:
        """List the files that have most of the statement's words, rare ones counted for more."""
        words = {term.lstrip("=#") for term in anchors.stated | anchors.told_names}
        found: dict[str, list[str]] = {}
        for path in self._index.paths[:_MOST_SEARCHED]:
            content = self._repository.read(path, self._find_commit(path))
            if content is not None and b"\0" not in content[:_BINARY_WITHIN]:
                text = content.decode("utf-8", "replace").casefold()
                found[path] = [word for word in words if word in text]
        counts = Counter(word for each in found.values() for word in each)
        scores = {
            path: sum(math.log(1 + len(found) / counts[word]) for word in each)
            for path, each in found.items()
        }
        return sorted(scores, key=lambda path: -scores[path])


def _list_told(calls: Sequence[ToolCall], said: Sequence[str]) -> Iterator[str]:
    """Yield the texts that may name files, the latest calls first."""
    for call in reversed(calls):
        yield from list_texts(call.args)
        yield from list_texts(call.result)
    yield from said
