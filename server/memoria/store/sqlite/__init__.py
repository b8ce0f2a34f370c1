"""The embedded engine: one SQLite file, FTS5 for text, sqlite-vec for vectors."""

from memoria.store.sqlite.files import SqliteFiles
from memoria.store.sqlite.journaled import JournaledStore
from memoria.store.sqlite.store import SqliteStore

__all__ = ["JournaledStore", "SqliteFiles", "SqliteStore"]
