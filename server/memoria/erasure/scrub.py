"""Scrub: makes what was deleted unreadable on disk, once the deletion is committed.

Each engine does it in its own way (see its module). A scrub that is broken off, or that a full disk
stops, undoes nothing of what was forgotten; the next forget, the nightly run and `memoria doctor
--fix` finish it.
"""

import logging

from memoria.errors import StoreError
from memoria.store.engine import Store

_LOG = logging.getLogger(__name__)


def scrub_store(store: Store) -> bool:
    """Wipe what was deleted from the database file; return True if nothing of it is left there."""
    try:
        return store.scrub()
    except StoreError as error:
        _LOG.warning("Forgotten, but not yet wiped from the file: %s", error)
        return False
