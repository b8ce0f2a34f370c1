"""Intake of the hooks' spool into an opened memory, whenever the spool has changed."""

import logging
import math
import threading
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memoria.bare.spool import list_waiting, spool_folder
from memoria.errors import StoreError
from memoria.model.moments import now_millis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.admin.spool_entries import SpoolReport
    from memoria.app.intake_thread import IntakeThread
    from memoria.erasure.suppression import Digester
    from memoria.ingest.capture import Capture
    from memoria.model import Channel
    from memoria.store.engine import Store

WAITING_BYTES = 512 * 1024
"""Bytes of transcripts that are read while somebody waits for an answer."""
ALL = 1 << 62
"""Everything: for intakes that nobody waits for."""
COMMAND_BYTES = 1024 * 1024
"""Bytes that a command reads before it does anything else."""
THOROUGH_BYTES = 16 * 1024 * 1024
"""Bytes that are read before a forget is previewed."""
_HEARD_MS = 30 * 60_000
"""Time after its last hook for which a session is taken to be the one where an agent speaks."""
_NAMES_FIRST = "claude-code"
"""The client that names its session to a server once, when it starts it."""
_PATIENCE_S = 0.5
"""Longest wait, by an agent that could be answered, for another thread or process that takes in."""
_RECHECK_S = 0.01
_ANSWER_S = 5.0
"""Longest wait, by somebody who could be answered, for what this process takes in; and by a command
for another process, such as the one that does so once a session is over."""
_CLOSING_S = 2.0
_LOG = logging.getLogger(__name__)


def count_waiting(home: Path, tenant: str) -> int:
    """Count the entries in a tenant's spool; 0 if the spool can't be read, as doctor says."""
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
        stalls_after_s: float,
        ignored_folders: "Sequence[str]" = (),
    ) -> None:
        """Bind to a tenant's spool.

        Args:
            store: where it is taken in.
            home: where the spool lies.
            tenant: whose it is.
            digester: of the tenant.
            make_capture: what records turns of a channel in a workspace.
            stalls_after_s: after so long at one step, an intake is taken to go no further.
            ignored_folders: those of which nothing is kept.
        """
        self._store = store
        self._home = home
        self._tenant = tenant
        self._digester = digester
        self._make_capture = make_capture
        self._ignored_folders = ignored_folders
        self.stalls_after_s = stalls_after_s
        """Seconds at one step after which an intake is taken to go no further."""
        self._seen: int | None = None
        self._running: IntakeThread | None = None
        self._stalled: list[IntakeThread] = []
        self._turn = threading.Lock()

    def has_changed(self) -> bool:
        """Check whether an entry may have come, by one look at the spool's folder."""
        return self._read_change() not in (None, self._seen)

    def name_session(self, channel: "Channel", workspace: str | None) -> "Channel":
        """Return an agent's channel, with the session that its client's hooks tell of.

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

    def catch_up(self, most_bytes: int, is_left: Callable[[], bool]) -> int:
        """Take in the waiting entries before an answer; return how many turns were new.

        Nothing stands in the way of the answer: what fails is logged, and stays in the spool.

        Args:
            most_bytes: of transcripts, at most. Whoever has little read waits some seconds for it
                at most.
            is_left: whether nobody waits any more.
        """
        if not self.has_changed():
            return 0
        most_s = _ANSWER_S if most_bytes <= COMMAND_BYTES else math.inf
        patience_s = _ANSWER_S if most_bytes >= COMMAND_BYTES else _PATIENCE_S
        deadline = time.monotonic() + patience_s
        report = self.take_in(most_bytes, is_left, most_s)
        while report is not None and report.is_refused and count_waiting(self._home, self._tenant):
            if time.monotonic() > deadline:
                break
            time.sleep(_RECHECK_S)
            report = self.take_in(most_bytes, is_left, most_s)
        return 0 if report is None else report.recorded

    def take_in(
        self, most_bytes: int, is_left: Callable[[], bool], most_s: float = math.inf
    ) -> "SpoolReport | None":
        """Take in the waiting entries; an entry that stays at one step for too long is set aside.

        Returns None if another thread takes in, if the intake goes on though nobody waits, or if
        it failed, as is logged.

        Args:
            most_bytes: of transcripts, at most.
            is_left: whether nobody waits any more.
            most_s: how long to wait for it.
        """
        if not self._turn.acquire(timeout=_PATIENCE_S):
            return None  # another thread is at it
        try:
            return self._wait(most_bytes, is_left, most_s)
        except (OSError, StoreError) as error:
            _LOG.warning("What hooks have said could not be taken in: %s", error)
        except Exception:  # noqa: BLE001  (it must end neither a server nor a search)
            _LOG.exception("Taking in what hooks have said raised an unexpected exception")
        finally:
            self._turn.release()
        return None

    def close(self) -> None:
        """Tell an intake that is under way to end, before the store closes."""
        if self._running is not None:
            self._running.stop(_CLOSING_S)

    def _wait(
        self, most_bytes: int, is_left: Callable[[], bool], most_s: float
    ) -> "SpoolReport | None":
        """Wait for the intake that runs, or for a new one, until it ends or has stalled."""
        running = self._running = self._running or self._begin(most_bytes)

        def has_stalled() -> bool:
            return running.has_stalled(self.stalls_after_s)

        if not running.wait(most_s, lambda: is_left() or has_stalled()):
            return self._set_aside(running) if has_stalled() else None
        self._running = None
        report = running.outcome
        if report is not None and not (report.waiting or report.is_refused):
            self._note_empty()
        return report

    def _begin(self, most_bytes: int) -> "IntakeThread":
        from memoria.admin.spool import SpoolIntake  # noqa: PLC0415  (only where anything waits)
        from memoria.app.intake_thread import IntakeThread  # noqa: PLC0415  (as above)
        from memoria.connectors.transcripts.base import FoldersLeftOut  # noqa: PLC0415  (as above)

        self._stalled = [one for one in self._stalled if one.is_alive]
        intake = SpoolIntake(
            self._store,
            self._home,
            self._tenant,
            self._digester,
            self._make_capture,
            FoldersLeftOut(self._ignored_folders),
            retries=not self._stalled,
        )
        return IntakeThread(intake, most_bytes)

    def _set_aside(self, stalled: "IntakeThread") -> "SpoolReport | None":
        """Give up an intake that gets no further; the next intake takes in the rest."""
        self._stalled.append(stalled)
        self._running = None
        return stalled.give_up(f"it took longer than {self.stalls_after_s:.0f} seconds")

    def _note_empty(self) -> None:
        """Remember the date of the spool's folder, if the spool is empty."""
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
