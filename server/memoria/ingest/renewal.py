"""Renewal: a thread that indexes anew the documents that an older version has indexed.

A home that was upgraded is searched at once, while the thread goes through its documents. Stopped
at any time, the thread goes on where it was when the home is opened next. A forget renews the rest
first (`store/renewal`), because it looks for what is to be erased by its words.
"""

import logging
import threading
from contextvars import copy_context

from memoria.errors import StoreError
from memoria.ingest.rounds import WorkRounds, WorkTurn
from memoria.store.engine import RENEWAL_PAGE, Store, read_pending_calls

_LOG = logging.getLogger(__name__)
_LONGEST_STOP_S = 5.0


class RenewalWorker:
    """A thread that goes through the documents of a home once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stopping = threading.Event()
        self._thread = threading.Thread(
            target=copy_context().run, args=[self._run], name="memoria-renew", daemon=True
        )
        self._turn: WorkTurn | None = None

    def start(self, rounds: WorkRounds | None = None) -> None:
        """Start the thread, which ends when all is done; or join rounds of work in its place."""
        if rounds is None:
            self._thread.start()
        else:
            self._turn = rounds.join(self._step)

    def stop(self) -> None:
        """Stop after the documents that are being looked at."""
        self._stopping.set()
        if self._turn is not None:
            self._turn.leave(_LONGEST_STOP_S)
        if self._thread.is_alive():
            self._thread.join(_LONGEST_STOP_S)

    def _run(self) -> None:
        while self._step() is not None:
            pass

    def _step(self) -> float | None:
        """Renew some documents or tool calls; return None when all is done or none can be."""
        try:
            if self._stopping.is_set():
                return None
            if self._store.renew_words(RENEWAL_PAGE):
                return 0.0
            if read_pending_calls(self._store, RENEWAL_PAGE):
                return 0.0
        except StoreError as error:
            if not self._stopping.is_set():
                _LOG.warning("What older versions have indexed is not read anew: %s", error)
        return None
