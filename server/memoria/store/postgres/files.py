"""Files of tenants as rows, so that several servers without a disk in common share them."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import PurePosixPath

from memoria.disk.home_files import most_bytes
from memoria.disk.regular_files import refuse_escape
from memoria.errors import UnusableFileError
from memoria.model import now_millis
from memoria.store.connection import Row
from memoria.store.postgres.joined import JoinedTransactions, TenantConnection
from memoria.store.postgres.tombstone_keys import TombstoneKeys

_LONGEST_PLACE = 1000
"""Number of bytes of the longest place, which fits into an index."""
_OF_TENANT = "the tenant's files"


class TenantFileRows:
    """A tenant's files in the database, as `TenantFiles` says.

    What is done in a transaction of the tenant is a part of that transaction.
    """

    are_on_disk = are_readable = False

    def __init__(self, transactions: JoinedTransactions, tenant: str) -> None:
        self._transactions = transactions
        self._tenant = tenant

    def reading(self) -> AbstractContextManager[object]:
        """Begin a block that reads many files from one snapshot."""
        return self._transactions.join(self._tenant)

    def read(self, place: str, most: int | None = None) -> bytes | None:
        """Return a file's content; None if there is no file."""
        path, limit = _check_place(place), most or most_bytes(place)
        with self._transactions.join(self._tenant) as opened:
            asked = {"most": limit}
            row = opened.connection.execute(*_ask(opened, "read", path, asked)).fetchone()
        if row is None:
            return None
        _check_size(path, int(row[0]), limit)
        return bytes(row[1])

    def exists(self, place: str) -> bool:
        """Check that a file exists and can be used."""
        try:
            return self._has(place)
        except UnusableFileError:
            return False

    def find_obstacle(self, place: str) -> str | None:
        """Return why a file can't be used and what to do; None if it can be used or is missing."""
        try:
            self._has(place)
        except UnusableFileError as error:
            return str(error)
        return None

    def find_state(self, place: str) -> bytes | None:
        """Return a file's SHA-256; None if there is no file."""
        with self._transactions.join(self._tenant) as opened:
            row = _fetch(opened, "state", _check_place(place))
        return None if row is None else bytes(row[0])

    def name(self, place: str) -> str:
        """Return a file's place."""
        return place

    def write(
        self, place: str, content: bytes, is_current: Callable[[], bool] = lambda: True
    ) -> bool:
        """Replace a file's content; other writers of the tenant wait until that lasts."""
        path, most = _check_place(place), most_bytes(place)
        if len(content) > most:
            raise UnusableFileError(
                f"{path} would have {len(content):,} bytes, and Memoria writes at most {most:,} "
                "into such a file. What it would say is in the database."
            )
        with self._transactions.join(self._tenant, writes=True) as opened:
            if not is_current():
                return False
            parameters = {"content": content, "now": now_millis()}
            opened.connection.execute(*_ask(opened, "put", path, parameters))
        return True

    def delete(self, place: str) -> None:
        """Delete a file, if there is one."""
        path = _check_place(place)
        with self._transactions.join(self._tenant, writes=True) as opened:
            opened.connection.execute(*_ask(opened, "delete", path))

    def list_places(self, folder: str) -> list[str]:
        """List the places of all files below a folder, in order."""
        begins = _begin_of(folder)
        if begins is None:
            return []
        with self._transactions.join(self._tenant) as opened:
            sql = opened.connection.statements("files")["places"]
            asked = {"tenant": opened.number, "folder": begins}
            return [str(path) for (path,) in opened.connection.tuples(sql, asked)]

    def list_states(self, folder: str) -> dict[str, bytes]:
        """Map the places of all files below a folder to their SHA-256."""
        begins = _begin_of(folder)
        if begins is None:
            return {}
        with self._transactions.join(self._tenant) as opened:
            sql = opened.connection.statements("files")["states"]
            asked = {"tenant": opened.number, "folder": begins}
            return {str(path): bytes(at) for path, at in opened.connection.tuples(sql, asked)}

    def list_drafts(self, folder: str) -> list[str]:  # noqa: ARG002
        """Return none: a row is written whole or not at all."""
        return []

    def list_folders(self, folder: str) -> list[str]:
        """List the names of the folders in a folder, in order."""
        below = (place.removeprefix(_begin_of(folder) or "") for place in self.list_places(folder))
        return sorted({one.partition("/")[0] for one in below if "/" in one})

    def delete_folder(self, folder: str) -> None:
        """Delete a folder with all that is in it."""
        begins = _begin_of(folder)
        if begins is not None:
            with self._transactions.join(self._tenant, writes=True) as opened:
                sql = opened.connection.statements("files")["delete_folder"]
                opened.connection.execute(sql, {"tenant": opened.number, "folder": begins})

    def delete_empty_folders(self, folder: str) -> None:
        """Do nothing: a folder of rows is there while a file is in it."""

    def list_set_aside(self) -> Mapping[str, "TenantFileRows"]:
        """Return none: no restore sets rows aside."""
        return {}

    def _has(self, place: str) -> bool:
        """Check that a file exists.

        Raises:
            UnusableFileError: it is too large, or no file can be there.
        """
        path = _check_place(place)
        with self._transactions.join(self._tenant) as opened:
            row = _fetch(opened, "size", path)
        if row is not None:
            _check_size(path, int(row[0]), most_bytes(place))
        return row is not None


class HomeFileRows:
    """The files of all tenants, and the keys that they share, as `HomeFiles` says."""

    def __init__(self, transactions: JoinedTransactions, keys: TombstoneKeys) -> None:
        self._transactions = transactions
        self._keys = keys

    def of(self, tenant: str) -> TenantFileRows:
        """Return a tenant's files."""
        return TenantFileRows(self._transactions, tenant)

    def tombstone_key(self) -> bytes:
        """Return the keys for tombstones, the database's own first."""
        return b"".join(self.list_tombstone_keys())

    def list_tombstone_keys(self) -> tuple[bytes, ...]:
        """Return the keys, each by itself."""
        return self._keys.list_all()

    def adopt_tombstone_keys(self, content: bytes) -> bool:
        """Add the keys of another home; return True if any key was new."""
        return self._keys.adopt(content)


def _check_place(place: str) -> str:
    """Return a place as it stands in a row.

    Raises:
        UnusableFileError: no file can be there.
    """
    refuse_escape(place, _OF_TENANT)
    path = PurePosixPath(place).as_posix()
    try:
        length = len(path.encode())
    except UnicodeEncodeError as error:
        raise UnusableFileError(f"{place!r} has half a character in its name.") from error
    if path == "." or length > _LONGEST_PLACE:
        raise UnusableFileError(
            f"{path[:50]} can't be a file's place: it has {length:,} bytes, and may have 1 to "
            f"{_LONGEST_PLACE:,}."
        )
    return path


def _check_size(path: str, size: int, most: int) -> None:
    if size > most:
        raise UnusableFileError(
            f"{path} has {size:,} bytes, and Memoria reads at most {most:,} of such a file. "
            "Shorten it."
        )


def _begin_of(folder: str) -> str | None:
    """Return the beginning of the places of all files below a folder; None if there can be none."""
    try:
        return f"{_check_place(folder)}/" if folder else ""
    except UnusableFileError:
        return None


def _ask(
    opened: TenantConnection, name: str, path: str, more: Mapping[str, object] | None = None
) -> tuple[str, dict[str, object]]:
    """Return a statement on a file, and its parameters."""
    sql = opened.connection.statements("files")[name]
    return sql, {"tenant": opened.number, "path": path, **(more or {})}


def _fetch(opened: TenantConnection, name: str, path: str) -> Row | None:
    row: Row | None = opened.connection.execute(*_ask(opened, name, path)).fetchone()
    return row
