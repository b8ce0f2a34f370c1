"""The files of a home beside its database: the default tenant's at the top, others' in folders."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path, PurePosixPath

from memoria.bare.home import DEFAULT_TENANT, name_owner
from memoria.bare.sealing import EncryptionKeyError, is_sealed, seal, unseal
from memoria.disk.folders import DRAFT, former_folder, make_private, sync_folder, tenant_folder
from memoria.disk.home_files import (
    adopt_tombstone_keys,
    list_tombstone_keys,
    most_bytes,
    replace_file,
    tombstone_key,
)
from memoria.disk.regular_files import (
    check_place,
    find_obstacle,
    is_folder,
    list_folder,
    read_file,
    refuse_escape,
    refuse_links,
    walk,
)
from memoria.errors import StoreUnavailableError, UnusableFileError

_RESTORED_OVER = "before-restore-*"
_State = tuple[int, int, int]


class TenantFolder:
    """A tenant's files in a home, as `TenantFiles` says; regular files only.

    In an encrypted home they are sealed.

    Every method raises `UnusableFileError` if a file can't be read or written, is too large, or is
    a link, a pipe or a folder.
    """

    are_on_disk = True

    def __init__(
        self, home: Path, tenant: str = DEFAULT_TENANT, folder: Path | None = None
    ) -> None:
        """Bind to a tenant's folder, or to another folder of the home that was it once."""
        self._home = home
        self._tenant = tenant
        self._root = PurePosixPath(
            (folder or tenant_folder(home, tenant)).relative_to(home).as_posix()
        )

    @property
    def are_readable(self) -> bool:
        """True if the files are not sealed."""
        return not is_sealed(str(self._home))

    def reading(self) -> AbstractContextManager[None]:
        """Begin a block that reads many files; others may change them meanwhile."""
        return nullcontext()

    def read(self, place: str, most: int | None = None) -> bytes | None:
        """Return a file's content; None if there is no file.

        What a killed process has left of a sealed one says nothing.
        """
        content = read_file(self._home, self._root / place, most or most_bytes(place))
        try:
            return None if content is None else unseal(content)
        except EncryptionKeyError as error:
            if DRAFT.fullmatch(PurePosixPath(place).name):
                return b""
            raise UnusableFileError(f"{self.name(place)} can't be read. {error}") from error

    def exists(self, place: str) -> bool:
        """Check that a file exists and can be used."""
        there = os.path.lexists(self._home / self._root / place)
        return there and self.find_obstacle(place) is None

    def find_obstacle(self, place: str) -> str | None:
        """Return why a file can't be used and what to do; None if it can be used or is missing."""
        return find_obstacle(self._home, self._root / place, most_bytes(place))

    def find_state(self, place: str) -> _State | None:
        """Return a file's inode, size and time of change; None if there is no file."""
        refuse_escape(place, self._home / self._root)
        with _explain_errors(), suppress(FileNotFoundError, NotADirectoryError):
            return _state_of((self._home / self._root / place).lstat())
        return None

    def name(self, place: str) -> str:
        """Return the path of a file."""
        return str(self._home / self._root / place)

    def write(
        self, place: str, content: bytes, is_current: Callable[[], bool] = lambda: True
    ) -> bool:
        """Replace a file's content, all or nothing; it is on disk when this returns.

        A file that somebody made larger than Memoria would may be made shorter.
        """
        file = self._home / self._root / place
        had = self.find_state(place)
        with _explain_errors():
            content = seal(str(self._home), content)
        if len(content) > max(most_bytes(place), had[1] if had else 0):
            raise UnusableFileError(
                f"{file} would have {len(content):,} bytes, and Memoria writes at most "
                f"{most_bytes(place):,} into such a file. What it would say is in the database."
            )
        with _explain_errors():
            check_place(self._home, self._root / place)
            make_private(file.parent)
            name_owner(str(self._home / self._root), self._tenant)
            if not replace_file(file, content, is_current):
                return False
            sync_folder(file.parent)
        return True

    def delete(self, place: str) -> None:
        """Delete a file, if there is one."""
        with _explain_errors():
            check_place(self._home, self._root / place)
            (self._home / self._root / place).unlink(missing_ok=True)

    def list_places(self, folder: str) -> list[str]:
        """List the places of all files below a folder, in order."""
        return [place for place, is_draft in self._list_files(folder) if not is_draft]

    def list_states(self, folder: str) -> dict[str, _State]:
        """Map all files below a folder, those half written too, to inode, size and last change."""
        root = self._home / self._root
        with _explain_errors():
            files = sorted(
                (file.relative_to(root).as_posix(), found)
                for file, found in walk(self._home, self._root / folder)
                if stat.S_ISREG(found.st_mode)
            )
        return {place: _state_of(found) for place, found in files}

    def list_drafts(self, folder: str) -> list[str]:
        """List the places below a folder of what killed processes left half written."""
        return [place for place, is_draft in self._list_files(folder) if is_draft]

    def list_folders(self, folder: str) -> list[str]:
        """List the names of the folders in a folder, in order."""
        with _explain_errors():
            inside = list_folder(self._home, self._root / folder)
            return [path.name for path, found in inside if is_folder(found)]

    def delete_folder(self, folder: str) -> None:
        """Delete a folder with all that is in it, as far as that is possible."""
        with suppress(UnusableFileError, OSError):
            refuse_links(self._home, self._root / folder)
            shutil.rmtree(self._home / self._root / folder, ignore_errors=True)

    def delete_empty_folders(self, folder: str) -> None:
        """Delete the empty folders in a folder, and the folder itself if it is empty."""
        root = self._home / self._root / folder
        for each in (*(root / name for name in self.list_folders(folder)), root):
            with suppress(OSError):
                each.rmdir()

    def list_set_aside(self) -> Mapping[str, "TenantFolder"]:
        """Map the folders of a tenant in a folder of its own that restores have set aside."""
        own = self._home / self._root
        if own == self._home:
            return {}  # all are in it
        return {
            folder.relative_to(self._home).as_posix(): TenantFolder(
                self._home, self._tenant, folder
            )
            for each in dict.fromkeys((own, former_folder(self._home, self._tenant)))
            for folder in self._home.glob(f"{_RESTORED_OVER}/{each.relative_to(self._home)}")
        }

    def _list_files(self, folder: str) -> list[tuple[str, bool]]:
        """List the places of all files below a folder; True marks those half written."""
        places = map(PurePosixPath, self.list_states(folder))
        return [(str(one), DRAFT.fullmatch(one.name) is not None) for one in places]


class HomeFolder:
    """The files of all tenants of a home, and the key that they share, as `HomeFiles` says."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def of(self, tenant: str) -> TenantFolder:
        """Return a tenant's files."""
        return TenantFolder(self._home, tenant)

    def tombstone_key(self) -> bytes:
        """Return the home's secret key for tombstones, made when it is first asked for.

        Raises:
            StoreUnavailableError: the key can't be read or made, or is damaged.
        """
        return tombstone_key(self._home)

    def list_tombstone_keys(self) -> tuple[bytes, ...]:
        """Return the keys, each by itself; none if the home has needed no key yet."""
        return list_tombstone_keys(self._home)

    def adopt_tombstone_keys(self, content: bytes) -> bool:
        """Add the keys of another home; return True if any key was new."""
        return adopt_tombstone_keys(self._home, content)


def _state_of(found: os.stat_result) -> _State:
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def _explain_errors() -> Iterator[None]:
    """Raise errors of the operating system as UnusableFileError, with what to do about them."""
    try:
        yield
    except EncryptionKeyError as error:
        raise UnusableFileError(str(error)) from error
    except OSError as error:
        raise UnusableFileError(str(StoreUnavailableError.from_system(error))) from error
