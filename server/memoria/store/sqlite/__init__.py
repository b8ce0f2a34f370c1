"""The embedded engine: one SQLite file, FTS5 for text, sqlite-vec for vectors."""

from memoria.store.sqlite.files import SqliteFiles
from memoria.store.sqlite.journaling_store import SqliteJournalingStore
from memoria.store.sqlite.store import SqliteStore

__all__ = ["SqliteFiles", "SqliteJournalingStore", "SqliteStore"]
