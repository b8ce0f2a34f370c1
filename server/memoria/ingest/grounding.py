"""Grounding: memories of a repository are bound to its files, and their state is laid ready.

A thread binds what is new and checks what has changed, for the projects that were asked about. A
search reads the states that lie ready, each only while HEAD and the files are as they were.
"""

import logging
import math
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.bare.project_registry import RegistryError, read_projects
from memoria.bare.projects import find_place
from memoria.config import Settings
from memoria.errors import StoreError
from memoria.ingest.rounds import BackgroundWorker
from memoria.ingest.turn_grounds import NOT_CHECKED, TurnGrounds
from memoria.model import Memory, StoredTurn, now_millis
from memoria.model.grounds import GroundMark
from memoria.model.search import ToolCall
from memoria.store.engine import Store
from memoria.store.rows.grounds import GroundRow, UnboundWording
from memoria.store.rows.transaction import Transaction

if TYPE_CHECKING:
    from memoria.ground.repository import Repository
    from memoria.ground.values import Binding, GroundCheck

_LOG = logging.getLogger(__name__)
_LONGEST_READ_S = 0.005
"""Longest time that a search spends on the states of what it shows."""
_LONGEST_LOOK_S = 0.5
"""Longest time that a process without a thread spends on looking itself."""
_LONGEST_LIST_S = 5.0
"""Longest time that is spent on looking for all that has changed."""
_PAUSE_S, _AGAIN_S = 20.0, 120.0
_BATCH = 16
_REACH = 60
"""Turns before a statement whose calls and words say what it is about."""
_SAID = 6
_FRESH_MS = 600_000
"""Age up to which a statement is about the checkout's files, too, and not about a commit alone."""


class GroundingWorker(BackgroundWorker):
    """Binds memories to the files of their projects, and tells how these stand.

    A folder is read only if a session or a hook on this machine was in it: a caller over HTTP names
    projects as it likes, and is not to learn of files by that.
    """

    def __init__(self, store: Store, home: str, tenant: str, workspace: str | None = None) -> None:
        """Create the worker of a home.

        Args:
            store: of the home.
            home: the data folder, which knows where projects are.
            tenant: the one tenant whose folders are on this machine.
            workspace: the project of this process.
        """
        super().__init__("memoria-ground")
        self._store, self._home = store, home
        self._tenant, self._workspace = tenant, workspace
        self._folder = _find_folder()
        self._states: dict[GroundRow, GroundCheck] = {}
        self._repositories: dict[str, Repository] = {}
        self._put_off: dict[int, float] = {}
        self._wanted: dict[tuple[str, str], None] = {}
        self._turns = TurnGrounds(self._open)
        self._lock = threading.Lock()

    def want(self, tenant: str, workspace: str | None) -> None:
        """Have a project's memories bound and checked from now on."""
        if workspace is not None and tenant == self._tenant:
            self._wanted[tenant, workspace] = None
            self.wake()

    def read_marks(
        self,
        tenant: str,
        tx: Transaction,
        memory_ids: Iterable[str],
        turns: Sequence[StoredTurn] = (),
    ) -> Mapping[str, GroundMark]:
        """Return the states of those memories and turns that are bound to files, by their ids."""
        if tenant != self._tenant:
            return {}
        rows = tx.grounds.list_of_memories(memory_ids)
        repositories = {name: self._open(name) for name in {row.workspace for row in rows}}
        ends = time.perf_counter() + (_LONGEST_READ_S if self._is_running else _LONGEST_LOOK_S)
        marks = dict[str, GroundMark]()
        for row in rows:
            is_late = time.perf_counter() > ends
            mark = None if is_late else self._read_mark(row, repositories[row.workspace])
            if mark is None:
                self.want(tenant, row.workspace)
            marks[row.memory_id] = mark or NOT_CHECKED
        return marks | self._read_turns(tx, turns, ends)

    def _read_turns(
        self, tx: Transaction, turns: Sequence[StoredTurn], ends: float
    ) -> dict[str, GroundMark]:
        """Return the states of those of some turns that have anything of files."""
        marks, waiting = self._turns.read(turns)
        if not waiting:
            return marks
        if self._is_running:
            self.wake()
            self._turns.wait(waiting, ends)
        else:
            self._look_at_turns(tx, waiting, ends)
        found, left = self._turns.read(waiting)
        return {**marks, **found, **{turn.id: NOT_CHECKED for turn in left}}

    def _look_at_turns(
        self, tx: Transaction, turns: Sequence[StoredTurn], ends: float = math.inf
    ) -> None:
        """Look how the files of turns stand, as long as there is time."""
        from memoria.ground.repository import UnreadableRepositoryError  # noqa: PLC0415  (as above)

        for turn in turns:
            if self._stopping.is_set() or time.perf_counter() > ends:
                return
            try:
                with self._lock:
                    self._turns.look(tx, turn)
            except UnreadableRepositoryError as error:
                _LOG.info("A turn is not checked: %s", error)

    def list_moved(
        self, tenant: str, tx: Transaction, workspaces: Iterable[str], most: int
    ) -> Mapping[str, GroundMark]:
        """Return memories of projects whose files have changed or are gone, the newest first.

        The search ends after some seconds, with what was found until then.
        """
        ends = time.perf_counter() + _LONGEST_LIST_S
        moved = dict[str, GroundMark]()
        for workspace in workspaces if tenant == self._tenant else ():
            repository = self._open(workspace)
            rows = [] if repository is None else tx.grounds.list_of_project(workspace)
            for row in reversed(rows):
                if repository is None or len(moved) == most or time.perf_counter() > ends:
                    return moved
                state = self._check(row, repository)
                if state is not None and state.state in {"changed", "gone"}:
                    moved[row.memory_id] = _tell(state, row)
        return moved

    def list_projects(self) -> list[str]:
        """List the projects whose folders are on this machine, as far as the home knows."""
        return [name for name in self._list_known() if self._open(name) is not None]

    def mark(self, tenant: str, tx: Transaction, memories: Iterable[Memory]) -> list[Memory]:
        """Return memories with the states of the files that carry them."""
        found = list(memories)
        marks = self.read_marks(tenant, tx, [one.id for one in found])
        return [one.model_copy(update={"ground": marks.get(one.id)}) for one in found]

    def _read_mark(self, row: GroundRow, repository: "Repository | None") -> GroundMark | None:
        """Return the state that lies ready; None if there is none or it is out of date."""
        from memoria.ground.states import find_stamp  # noqa: PLC0415  (only what is bound pays for it)

        if repository is None:
            return NOT_CHECKED
        state = self._states.get(row)
        if state is None or state.stamp != find_stamp([one.path for one in row.parts], repository):
            state = None if self._is_running else self._check(row, repository)
        return None if state is None else _tell(state, row)

    def _step(self) -> float:
        """Bind and check some memories; return the pause before the next look, in seconds."""
        try:
            if turns := self._turns.take_wanted():
                with self._store.read(self._tenant) as tx:
                    self._look_at_turns(tx, turns)
            more = [self.catch_up(*place) for place in [*self._wanted]]
        except StoreError as error:
            if not self._stopping.is_set():
                _LOG.warning("What memories are bound to can't be read: %s", error)
            return _PAUSE_S
        return 0.0 if any(more) else _PAUSE_S

    def catch_up(self, tenant: str, workspace: str) -> bool:
        """Bind some memories of a project and check the others; return True if more may wait."""
        bound = self.bind_some(tenant, workspace)
        with self._store.read(tenant) as tx:
            rows = tx.grounds.list_of_project(workspace)
            self._turns.lay_ready(tx, workspace, self._look_at_turns)
        for row in rows:
            repository = self._open(workspace)
            if repository is None or self._stopping.is_set():
                return False
            self._check(row, repository)
        return bound == _BATCH

    def bind_some(self, tenant: str, workspace: str) -> int:
        """Look at some memories of a project that are not bound; return how many it were.

        Those for which the repository can't be read are looked at again after a while.
        """
        repository = self._open(workspace)
        if repository is None:
            return 0
        now = time.monotonic()
        off = {n: until for n, until in self._put_off.items() if until > now}
        with self._store.read(tenant) as tx:
            listed = tx.grounds.list_unbound(workspace, _BATCH + len(off))
            unbound = [one for one in listed if one.n not in off][:_BATCH]
            sessions = {one.n: _read_session(tx, one) for one in unbound}
        found = {one.n: self._bind(one, sessions[one.n], repository) for one in unbound}
        bound = {n: parts for n, parts in found.items() if parts is not None}
        self._put_off = off | dict.fromkeys(found.keys() - bound.keys(), now + _AGAIN_S)
        if bound:
            with self._store.write(tenant, only_adds=True) as tx:
                for n, parts in bound.items():
                    tx.grounds.bind(n, parts)
        return len(unbound)

    def _bind(
        self, wording: UnboundWording, session: Sequence[StoredTurn], repository: "Repository"
    ) -> list[tuple[str | None, ...]] | None:
        """Return the parts that carry a wording; None if the repository can't be read now."""
        from memoria.ground.binding import bind  # noqa: PLC0415  (as above)
        from memoria.ground.repository import UnreadableRepositoryError  # noqa: PLC0415
        from memoria.ground.states import is_sure  # noqa: PLC0415

        calls = [
            ToolCall(name=turn.tool_name, args=turn.tool_args, result=turn.tool_result)
            for turn in session
            if turn.tool_name is not None
        ]
        said = [turn.content for turn in session if turn.tool_name is None][-_SAID:]
        content, at = wording.content, wording.valid_from
        is_fresh = now_millis() - at < _FRESH_MS
        try:
            with self._lock:
                commit, until = repository.find_commit(at), at if is_fresh else None
                bound = bind(content, calls, repository, commit, said, until)
                if is_fresh and not (bound and is_sure(bound)):  # said before it was written
                    later = bind(content, calls, repository, None, said)
                    bound = later if is_sure(later) or not bound else bound
        except UnreadableRepositoryError as error:
            _LOG.info("A memory is not bound: %s", error)
            return None
        return [(part.path, part.symbol, part.fingerprint, part.commit) for part in bound]

    def _check(self, row: GroundRow, repository: "Repository") -> "GroundCheck | None":
        """Look how a memory's files stand, and lay that ready."""
        from memoria.ground.repository import UnreadableRepositoryError  # noqa: PLC0415  (as above)
        from memoria.ground.states import check  # noqa: PLC0415  (as above)

        try:
            with self._lock:
                state = check(_read_parts(row), repository, self._states.get(row))
        except UnreadableRepositoryError as error:
            _LOG.info("A memory is not checked: %s", error)
            return None
        self._states[row] = state
        return state

    def _open(self, workspace: str) -> "Repository | None":
        """Return a project's repository on this machine; None if there is none, or no commit yet.

        Of the project of this process it is the worktree in which the process works.
        """
        from memoria.ground.repository import open_repository  # noqa: PLC0415  (as above)

        if workspace != self._workspace and workspace not in self._list_known():
            return None
        place = find_place(self._home, workspace)
        kept = self._repositories.get(place)
        if kept is None and Path(place).is_absolute():
            opened = (open_repository(each) for each in (self._folder, Path(place)) if each)
            kept = next((one for one in opened if one is not None and one.place == place), None)
        if kept is None or not kept.is_there:
            self._repositories.pop(place, None)
            return None
        self._repositories[place] = kept
        return kept

    def _list_known(self) -> list[str]:
        """List the projects in whose folders somebody on this machine has been."""
        try:
            known = read_projects(self._home).values()
        except RegistryError as error:
            _LOG.info("No projects are known: %s", error)
            return []
        return [*dict.fromkeys(one.name for one in known if one.place and not one.names)]


def build_grounding_worker(settings: Settings, store: Store) -> GroundingWorker | None:
    """Build the worker that reads repositories, not started yet; None where none is to be read."""
    if not settings.grounds:
        return None
    return GroundingWorker(store, str(settings.home_path), settings.tenant, settings.workspace)


def _read_session(tx: Transaction, wording: UnboundWording) -> list[StoredTurn]:
    """Read the turns of a session before a statement of it."""
    if wording.turn_n is None:
        return []
    ns = tx.grounds.list_turns_before(wording.turn_n, _REACH)
    turns = tx.conversations.turns(ns)
    return [turns[n] for n in ns if n in turns]


def _find_folder() -> Path | None:
    """Return the folder in which this process was started; None if it is gone."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _tell(state: "GroundCheck", row: GroundRow) -> GroundMark:
    is_own = state.path is None or state.path in {part.path for part in row.parts}
    is_shown = not is_own and state.path is not None and state.path.isprintable()
    moved_to = state.path if is_shown else None
    return GroundMark(state=state.state, commits=state.commits, moved_to=moved_to)


def _read_parts(row: GroundRow) -> "tuple[Binding, ...]":
    from memoria.ground.values import Binding  # noqa: PLC0415  (as above)

    return tuple(Binding(*part) for part in row.parts)
