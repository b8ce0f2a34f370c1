"""The spool of hooks as an opened memory takes it in: whenever it has changed, and not before."""

import logging
import threading
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.bare.spool import list_waiting, spool_folder
from memoria.bare.workspace import workspace_of
from memoria.errors import StoreError
from memoria.model.instant import now_millis

if TYPE_CHECKING:
    from memoria.admin.spool import SpoolReport
    from memoria.erasure.suppression import Digester
    from memoria.ingest.capture import Capture
    from memoria.model import Channel
    from memoria.store.base import Store

WAITING_BYTES = 512 * 1024
"""So much of transcripts is read while somebody waits for an answer."""
ALL = 1 << 62
"""Whoever has nobody waiting takes in everything."""
COMMAND_BYTES = 1024 * 1024
"""So much is read by a command before it does anything else."""
THOROUGH_BYTES = 16 * 1024 * 1024
"""So much is read before it is shown what a forget would erase."""
_HEARD_MS = 30 * 60_000
"""For so long after its last hook a session is taken to be the one in which an agent speaks."""
_NAMES_FIRST = "claude-code"
"""The client that names its session to a server once, when it starts it."""
_PATIENCE_S = 0.5
"""How long somebody waits who could be answered, for another process that takes in."""
_RECHECK_S = 0.01
_LOG = logging.getLogger(__name__)


def count_waiting(home: Path, tenant: str) -> int:
    """How many entries wait in a tenant's spool; 0 where it can't be read, as doctor says."""
    try:
        return len(list_waiting(str(home), tenant))
    except OSError:
        return 0


class Spool:
    """One tenant's spool."""

    def __init__(
        self,
        store: "Store",
        home: Path,
        tenant: str,
        digester: "Digester",
        make_capture: "Callable[[Channel, str], Capture]",
    ) -> None:
        """Nothing is looked at yet.

        Args:
            store: where it is taken in.
            home: where the spool lies.
            tenant: whose it is.
            digester: of the tenant.
            make_capture: what records turns of a channel in a workspace.
        """
        self._store = store
        self._home = home
        self._tenant = tenant
        self._digester = digester
        self._make_capture = make_capture
        self._seen: int | None = None
        self._turn = threading.Lock()

    def has_changed(self) -> bool:
        """Whether anything may have come since it was empty: one look at a folder."""
        return self._read_change() not in (None, self._seen)

    def name_session(self, channel: "Channel", workspace: str | None) -> "Channel":
        """The channel of an agent, with the session that its client's hooks tell of.

        That is for clients that name none themselves, and for the one that names the session with
        which it began: Claude Code may have resumed or begun another since. Of two sessions at a
        time in one project nobody could tell which is meant.
        """
        is_certain = channel.session is not None and channel.source != _NAMES_FIRST
        has_hooks = self._read_change() is not None
        if is_certain or channel.client is None or not has_hooks:
            return channel
        since = now_millis() - _HEARD_MS
        with self._store.read(self._tenant) as tx:
            live = tx.transcripts.list_live_sessions(channel.source, workspace, since)
        return channel.model_copy(update={"session": live[0]}) if len(live) == 1 else channel

    def catch_up(self, most_bytes: int = WAITING_BYTES) -> int:
        """Take in what waits, for somebody who waits for an answer. Gives how many turns were new.

        It never stands in the way of the answer: what fails is logged, and stays where it is.

        Args:
            most_bytes: of transcripts, at most.
        """
        if not self.has_changed():
            return 0
        deadline = time.monotonic() + _PATIENCE_S
        report = self.take_in(most_bytes)
        while report is not None and report.is_refused and count_waiting(self._home, self._tenant):
            if time.monotonic() > deadline:
                break
            time.sleep(_RECHECK_S)
            report = self.take_in(most_bytes)
        return 0 if report is None else report.recorded

    def take_in(self, most_bytes: int) -> "SpoolReport | None":
        """Take in what waits. None where another thread does, or where it failed, as is logged."""
        from memoria.admin.spool import SpoolIntake  # noqa: PLC0415  (only where anything waits)

        intake = SpoolIntake(
            self._store,
            self._home,
            self._tenant,
            self._digester,
            self._make_capture,
            workspace_of,
        )
        if not self._turn.acquire(timeout=_PATIENCE_S):
            return None  # another thread is at it
        try:
            report = intake.take_in(most_bytes)
            if not (report.waiting or report.is_refused):
                self._note_empty()
        except (OSError, StoreError) as error:
            _LOG.warning("What hooks have said could not be taken in: %s", error)
            return None
        finally:
            self._turn.release()
        return report

    def _note_empty(self) -> None:
        """Note when the spool was last changed, if nothing has come since it was emptied."""
        changed = self._read_change()
        self._seen = None if count_waiting(self._home, self._tenant) else changed

    @cached_property
    def _folder(self) -> Path:
        return Path(spool_folder(str(self._home), self._tenant))

    def _read_change(self) -> int | None:
        try:
            return self._folder.stat().st_mtime_ns
        except OSError:
            return None
