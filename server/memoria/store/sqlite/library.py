"""The SQLite library, and how it opens a file: with a key where the home is encrypted.

`pysqlite3` brings a current SQLite with loadable extensions wherever it has a wheel; many Pythons
are built without the latter. Elsewhere the standard module serves. `sqlcipher3` is the same with
SQLCipher in it, which encrypts a file page by page, its log and its indexes too; it is taken only
where a key is set, since nothing else needs it.
"""

import os
import shlex
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memoria.bare.sealing import VARIABLE, EncryptionKeyError, has_mark, key_of, write_mark
from memoria.errors import StoreUnavailableError, UnsupportedEngineError

__all__ = ["name_key", "open_file", "open_under", "require_library", "sqlite3"]

_WITH_KEY = "sqlcipher3"

if TYPE_CHECKING:
    import sqlite3
else:

    def _load_library() -> Any:  # noqa: ANN401
        for name in (_WITH_KEY, "pysqlite3") if os.environ.get(VARIABLE) else ("pysqlite3",):
            with suppress(ImportError):
                return import_module(f"{name}.dbapi2")
        return import_module("sqlite3")

    sqlite3 = _load_library()


def open_file(path: Path, **options: Any) -> Any:  # noqa: ANN401  (the driver's own)
    """Open a connection to a file in autocommit mode, with the key of the folder it is in.

    The folder of a new file is marked as encrypted, if a key is set.

    Raises:
        StoreUnavailableError: the key is missing, another one or none, or one is set and the file
            is plain.
        UnsupportedEngineError: what encrypts is not installed.
    """
    folder = str(path.parent)
    try:
        key = key_of(folder)
        if key is not None and not has_mark(folder):
            require_library()
            if path.stat().st_size:
                raise StoreUnavailableError(
                    f"{VARIABLE} is set, and {folder} is not encrypted. Close the clients that use "
                    f"this home, then `memoria --home {shlex.quote(folder)} encrypt`; or unset it. "
                    "Nothing was opened."
                )
            write_mark(folder, key)
    except EncryptionKeyError as error:
        raise StoreUnavailableError(str(error)) from error
    return open_under(path, key, **options)


def open_under(path: Path, key: bytes | None, **options: Any) -> Any:  # noqa: ANN401
    """Open a connection to a file in autocommit mode; a key of None is for a plain file.

    Raises:
        UnsupportedEngineError: what encrypts is not installed.
    """
    if key is not None:
        require_library()
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        **options,
    )
    if key is not None:
        connection.execute("PRAGMA cipher_log_level = NONE")
        connection.execute(f'PRAGMA key = "{name_key(key)}"')
    return connection


def name_key(key: bytes | None) -> str:
    """Return a key as SQLCipher takes it, without a derivation; an empty one for a plain file."""
    return "" if key is None else f"x'{key.hex()}'"


def require_library() -> None:
    """Check that what encrypts is there.

    Raises:
        UnsupportedEngineError: it is not installed.
    """
    if not sqlite3.__name__.startswith(_WITH_KEY):
        raise UnsupportedEngineError(
            f"{VARIABLE} is set, and what encrypts a database is not installed: "
            "pip install 'memoria-server[encryption]'"
        )
