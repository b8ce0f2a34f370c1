"""Renewal: a thread that indexes anew the documents that an older version has indexed.

A home that was upgraded is searched at once, while the thread goes through its documents. Stopped
at any time, the thread goes on where it was when the home is opened next. A forget renews the rest
first (`store/renewal`), because it looks for what is to be erased by its words.
"""

import logging
import threading
from contextvars import copy_context

from memoria.errors import StoreError
from memoria.store.engine import RENEWAL_PAGE, Store

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

    def start(self) -> None:
        """Start the thread; it ends when all is done."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the documents that are being looked at."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_LONGEST_STOP_S)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set() and self._store.renew_words(RENEWAL_PAGE):
                pass
        except StoreError as error:
            if not self._stopping.is_set():
                _LOG.warning("What older versions have indexed is not read anew: %s", error)
