"""The protocol of a database engine, for the composition root alone."""

from pathlib import Path
from typing import Protocol

from memoria.config import Settings
from memoria.store.base.files import DatabaseFiles
from memoria.store.base.store import JournalingStore, Store


class Engine(Protocol):
    """A database engine as one home uses it."""

    @property
    def files(self) -> DatabaseFiles:
        """Operations on the database as a whole, opened or not."""
        ...

    def exists(self, settings: Settings) -> bool:
        """Check whether the home has a database already."""
        ...

    def open(self, settings: Settings) -> Store:
        """Open the home's store; make it if there is none.

        Raises:
            StoreError: it can't be opened.
        """
        ...

    def open_journaling(self, settings: Settings, lease: str, owner: str) -> JournalingStore:
        """Open the store of a nightly run; it writes only while its owner has the tenant's lease.

        Raises:
            StoreError: it can't be opened.
        """
        ...

    def open_former(self, settings: Settings, database: Path) -> Store:
        """Open the store of a database that a restore has set aside.

        Raises:
            StoreError: it can't be opened.
        """
        ...
