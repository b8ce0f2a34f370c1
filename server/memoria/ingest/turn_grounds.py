"""How the files stand that turns of the record show or speak of, looked at once one is shown."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memoria.language.calls.files import base_name
from memoria.model import StoredTurn
from memoria.model.grounds import GroundMark
from memoria.model.search import ToolCall
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

if TYPE_CHECKING:
    from memoria.ground.repository import Repository

_REACH = 60
"""Turns before a turn whose edits are looked at: a commit knows nothing of them."""
_MOST_LAID_READY = 200
_MOST_KEPT = 2_000
_HISTORY = "git"
"""Source of the turns that `memoria import git` brings in: every commit has changed since."""
NOT_CHECKED = GroundMark(state="not checked")
OpenRepository = Callable[[str], "Repository | None"]
"""Function that returns the repository of a project, if it is on this machine."""


class _Look(NamedTuple):
    """State of a turn's files as they were looked at."""

    paths: tuple[str, ...]
    """Its files that the repository had at its time."""
    stamp: str
    mark: GroundMark | None


class TurnGrounds:
    """States of turns, kept by the process; those that wait for a look."""

    def __init__(self, open_repository: OpenRepository) -> None:
        """Begin without any."""
        self._open = open_repository
        self._found: dict[tuple[str, int], _Look] = {}
        self._wanted: dict[tuple[str, int], StoredTurn] = {}
        self._laid_ready: dict[str, tuple[str | None, int]] = {}
        self._news = threading.Condition()

    def read(self, turns: Iterable[StoredTurn]) -> tuple[dict[str, GroundMark], list[StoredTurn]]:
        """Return the states that lie ready, by the turns' ids, and the turns to look at.

        Of a repository's history nothing is told.
        """
        from memoria.ground.states import find_stamp  # noqa: PLC0415  (only who needs it pays)
        from memoria.ground.turns import names_files  # noqa: PLC0415

        marks: dict[str, GroundMark] = {}
        waiting: list[StoredTurn] = []
        repositories: dict[str | None, Repository | None] = {None: None}
        for turn in turns:
            if turn.source == _HISTORY:
                continue
            if turn.workspace not in repositories and turn.workspace is not None:
                repositories[turn.workspace] = self._open(turn.workspace)
            repository = repositories[turn.workspace]
            if repository is None:
                continue
            found = self._found.get((turn.id, turn.version))
            if found is not None and found.stamp == find_stamp(found.paths, repository):
                marks |= {} if found.mark is None else {turn.id: found.mark}
            elif names_files(turn.content, _read_call(turn)):
                waiting.append(turn)
        return marks, waiting

    def wait(self, turns: Sequence[StoredTurn], ends: float) -> None:
        """Have turns looked at, and wait for that as long as there is time."""
        keys = [(turn.id, turn.version) for turn in turns]
        with self._news:
            self._wanted |= zip(keys, turns, strict=True)
            while self._wanted.keys() & keys and (left := ends - time.perf_counter()) > 0:
                self._news.wait(left)

    def take_wanted(self) -> list[StoredTurn]:
        """Return the turns that wait for a look."""
        with self._news:
            return [*self._wanted.values()]

    def lay_ready(
        self, tx: Transaction, workspace: str, look: Callable[[Transaction, list[StoredTurn]], None]
    ) -> None:
        """Have the newest turns of a project looked at before one is shown.

        Nothing is looked at while neither the record nor the commit has changed.
        """
        repository = self._open(workspace)
        filters = Filters(workspace=workspace, include_processed=True)
        ns = tx.documents.recent(("turn",), filters, _MOST_LAID_READY)
        if repository is None or not ns:
            return
        seen = repository.find_head(), ns[0]
        if self._laid_ready.get(workspace) != seen:
            turns = tx.conversations.turns(ns).values()
            look(tx, self.read(one for one in turns if one.workspace == workspace)[1])
            self._laid_ready[workspace] = seen

    def look(self, tx: Transaction, turn: StoredTurn) -> None:
        """Look how a turn's files stand, and lay that ready.

        Raises:
            UnreadableRepositoryError: the repository can't be read.
        """
        key = turn.id, turn.version
        try:
            repository = None if turn.workspace is None else self._open(turn.workspace)
            if repository is not None:
                self._found.pop(key, None)
                self._found[key] = _look(tx, turn, repository)
                for old in [*self._found][:-_MOST_KEPT]:
                    del self._found[old]
        finally:
            with self._news:
                self._wanted.pop(key, None)
                self._news.notify_all()


def _look(tx: Transaction, turn: StoredTurn, repository: "Repository") -> _Look:
    from memoria.ground.repository import MOST_COMMITS  # noqa: PLC0415  (as above)
    from memoria.ground.states import find_stamp  # noqa: PLC0415
    from memoria.ground.turns import look, read_matter  # noqa: PLC0415

    matter = read_matter(turn.content, _read_call(turn), str(repository.folder))
    if not matter.paths:
        return _Look((), find_stamp((), repository), None)
    commit = repository.find_commit(turn.at, MOST_COMMITS)
    if commit is None:
        return _Look((), find_stamp((), repository), NOT_CHECKED)
    had = [path for path in matter.paths if repository.read_at(path, commit) is not None]
    edited = _list_edited(tx, turn) if had else frozenset()
    paths = tuple(path for path in had if base_name(path) not in edited)
    stamp = find_stamp(paths, repository)
    return _Look(paths, stamp, look(matter._replace(paths=paths), repository, commit))


def _list_edited(tx: Transaction, turn: StoredTurn) -> frozenset[str]:
    """List the names of files that a session has changed before a turn."""
    rows = tx.tool_calls.list_of_turns(tx.grounds.list_turns_before(turn.n, _REACH))
    return frozenset(row.key for row in rows if row.kind == "file" and row.is_edit)


def _read_call(turn: StoredTurn) -> ToolCall | None:
    if turn.tool_name is None and turn.tool_result is None:
        return None
    return ToolCall(name=turn.tool_name or "tool", args=turn.tool_args, result=turn.tool_result)
