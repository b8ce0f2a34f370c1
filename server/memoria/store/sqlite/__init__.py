"""The embedded engine: one SQLite file, FTS5 for text, sqlite-vec for vectors."""

from memoria.store.sqlite.engine import SqliteFiles
from memoria.store.sqlite.store import SqliteJournalingStore, SqliteStore

__all__ = ["SqliteFiles", "SqliteJournalingStore", "SqliteStore"]
