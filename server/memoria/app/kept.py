"""Answers composed and kept current for readers that can't wait for a server (`bare/kept.py`).

An answer is composed from one snapshot and written while nobody else may write to the database, if
nothing it rests on has changed meanwhile. So no answer is ever kept that was outdated when it was
written, and whoever forgets something, which is a change to the database, either finds the answer
and deletes it, or has come before and keeps it from being written.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from memoria.app.briefing import MOST_TASKS, CoreReader
from memoria.bare.home import tenant_folder
from memoria.bare.kept import (
    DATABASE_FILES,
    SETTINGS,
    States,
    delete_kept,
    delete_stale,
    is_settled,
    list_kept,
    look_at,
    places_of_home,
    read_kept,
    write_kept,
)
from memoria.bare.kept_before import begin_epoch
from memoria.bare.sealing import is_sealed
from memoria.bare.settings_file import SETTINGS_FILE
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.inference import choose_embedder
from memoria.lifecycle.core.current import find_next_change
from memoria.lifecycle.core.lines import places_seen_from
from memoria.memories.task_in_hand import find_end_of_telling
from memoria.model import now_millis
from memoria.model.core import ToldText
from memoria.retrieval.answer.grounds import ReadGrounds
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

Composer = Callable[[Transaction, CoreReader, str | None], ToldText]
"""Function that writes an answer for a project, from what a transaction sees."""

_MOST_WORKSPACES = 8


class AnswerKeeper:
    """Keeps a tenant's answers. Its methods block; one thread at a time calls them."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        composers: Mapping[str, Composer],
        read_grounds: ReadGrounds | None = None,
    ) -> None:
        """Bind to a home and to the writers of its answers.

        Args:
            settings: whose answers, and the project at hand.
            store: of the home.
            composers: what writes each answer, by its name.
            read_grounds: reads how the files stand that carry memories; None for none.
        """
        self._read_grounds = read_grounds
        self._settings = settings
        self._store = store
        self._composers = composers
        self._home = str(settings.home_path)
        self._tenant = settings.tenant
        self._is_off = settings.database_url is not None or is_sealed(self._home)
        """True where nothing is kept: no file of the home changes with a database elsewhere, and a
        hook, which has the standard library alone, could open nothing that is sealed."""
        self._is_known: tuple[str, bool] | None = None
        self._seen: States = {}
        self._good_until: int | None = None

    def has_changed(self) -> bool:
        """Check whether the project's kept answers may be out of date, by a look at seven files."""
        places, end = self._places(self._settings.workspace), self._good_until
        is_over = end is not None and end <= now_millis()
        states = look_at(self._home, places)
        return (is_over or states != self._seen) and self._may_keep(states)

    def keep(self) -> bool:
        """Keep the answers of the project at hand; return False if that must be tried again.

        Raises:
            StoreError: the home can't be read.
            OSError: nothing can be written into it.
        """
        return self._keep_for(self._settings.workspace)

    def keep_for_others(self) -> bool:
        """Keep answers for no project and other projects that had some; delete stale ones.

        Where nothing is kept, that is whatever was before the memory moved or was encrypted.
        """
        if self._is_off:
            delete_kept(self._home, self._tenant)
            return True
        for workspace in self._list_others():
            if not self._keep_for(workspace):
                return False
        delete_stale(self._home, self._tenant)
        return True

    def _keep_for(self, workspace: str | None) -> bool:
        states = look_at(self._home, self._places(workspace))
        if not self._may_keep(states):
            return True
        names = self._composers.keys()
        if all(read_kept(self._home, self._tenant, workspace, name) is not None for name in names):
            return self._note_seen(workspace, states, self._find_end(workspace))
        if not states[DATABASE_FILES[0]] or self._tenant not in self._store.tenants():
            return self._note_seen(workspace, states)  # there is nothing yet that it could say
        if not is_settled(self._home, states):
            return False
        at = now_millis()
        with self._store.read(self._tenant) as tx:
            files = self._store.files.of(self._tenant)
            embedder = choose_embedder(self._settings)
            reader = CoreReader(self._settings, files, embedder, self._read_grounds)
            told = {name: write(tx, reader, workspace) for name, write in self._composers.items()}
            until = _find_end(tx, at, workspace)
        with self._store.write(self._tenant, only_adds=True):
            if look_at(self._home, states) != states:
                return False
            epoch = begin_epoch(self._home, self._tenant)
            for name, one in told.items():
                write_kept(
                    *(self._home, self._tenant, workspace, name, one.text),
                    *(states, at, until, epoch, one.record_ids),
                )
        return self._note_seen(workspace, states, until)

    def _may_keep(self, states: States) -> bool:
        """Check whether another process would compose the same, by the present settings file."""
        if self._is_off:
            return False
        state = states[SETTINGS_FILE]
        if self._is_known is None or self._is_known[0] != state:
            self._is_known = state, _is_as_others_read(self._settings)
        return self._is_known[1]

    def _note_seen(self, workspace: str | None, states: States, until: int | None = None) -> bool:
        if workspace == self._settings.workspace:
            self._seen, self._good_until = states, until
        return True

    def _find_end(self, workspace: str | None) -> int | None:
        """Return when the first kept answer of a project expires, whoever has kept it."""
        kept = (one for _, one in list_kept(self._home, self._tenant) if one is not None)
        ends = (one.get("good_until") for one in kept if one.get("workspace") == workspace)
        return min((end for end in ends if isinstance(end, int)), default=None)

    def _places(self, workspace: str | None) -> list[str]:
        """List the files that answers for a project rest on, below the home."""
        own = Path(tenant_folder(self._home, self._tenant)).relative_to(self._home)
        core = ((own / place.file).as_posix() for place in places_seen_from(workspace))
        return [*places_of_home(), *core]

    def _list_others(self) -> Iterator[str | None]:
        """Yield None for no project, and the projects for which answers were kept last.

        The project at hand is left out.
        """
        kept = (one for _, one in list_kept(self._home, self._tenant) if one is not None)
        known = dict.fromkeys((None, *(one.get("workspace") for one in kept)))
        known.pop(self._settings.workspace, None)
        for workspace in list(known)[: _MOST_WORKSPACES - 1]:
            if workspace is None or isinstance(workspace, str):
                yield workspace


def _find_end(tx: Transaction, at: int, workspace: str | None) -> int | None:
    """Return when answers change by the passing of time alone; None for never."""
    core = find_next_change(tx, at, workspace)
    tasks = find_end_of_telling(tx, workspace, at, MOST_TASKS)
    return min((end for end in (core, tasks) if end is not None), default=None)


def _is_as_others_read(settings: Settings) -> bool:
    """Check whether the environment and the settings file alone give these settings.

    Readers of kept answers don't know what a program has set in other ways.
    """
    try:
        known = Settings.load(home=str(settings.home_path), tenant=settings.tenant)
    except MemoriaError:
        return False
    names = (name.removeprefix("MEMORIA_").lower() for name in SETTINGS)
    return all(getattr(known, name) == getattr(settings, name) for name in names)
