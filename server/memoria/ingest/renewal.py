"""Renewal: a thread that indexes anew the documents that an older version has indexed.

A home that was upgraded is searched at once, while the thread goes through its documents. Stopped
at any time, the thread goes on where it was when the home is opened next. A forget renews the rest
first (`store/renewal`), because it looks for what is to be erased by its words.
"""

import logging

from memoria.errors import StoreError
from memoria.ingest.rounds import BackgroundWorker
from memoria.store.engine import RENEWAL_PAGE, Store, read_pending_calls

_LOG = logging.getLogger(__name__)


class RenewalWorker(BackgroundWorker):
    """A thread that goes through the documents of a home once."""

    def __init__(self, store: Store) -> None:
        super().__init__("memoria-renew")
        self._store = store

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
