"""The files of a home beside its database: the default tenant's at the top, others' in folders."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from memoria.bare.home import DEFAULT_TENANT, name_owner
from memoria.config import Settings
from memoria.disk.folders import DRAFT, make_private, sync_folder, tenant_folder
from memoria.disk.home_files import most_bytes, replace_file, tombstone_key
from memoria.disk.regular_files import (
    check_place,
    find_obstacle,
    is_folder,
    list_files,
    list_folder,
    read_file,
    refuse_links,
)
from memoria.errors import StoreUnavailableError, UnusableFileError


class TenantFiles:
    """A tenant's files in a home by their places, such as `USER.md`; regular files only.

    Every method raises `UnusableFileError` if a file can't be read or written, is too large, or is
    a link, a pipe or a folder.
    """

    def __init__(self, home: Path, tenant: str = DEFAULT_TENANT) -> None:
        self._home = home
        self._tenant = tenant
        self._root = PurePosixPath(tenant_folder(home, tenant).relative_to(home).as_posix())

    def read(self, place: str) -> bytes | None:
        """Return a file's content; None if there is no file."""
        return read_file(self._home, self._root / place, most_bytes(place))

    def exists(self, place: str) -> bool:
        """Check that a file exists and can be used."""
        there = os.path.lexists(self._home / self._root / place)
        return there and self.find_obstacle(place) is None

    def find_obstacle(self, place: str) -> str | None:
        """Return why a file can't be used and what to do; None if it can be used or is missing."""
        return find_obstacle(self._home, self._root / place, most_bytes(place))

    def write(
        self, place: str, content: bytes, is_current: Callable[[], bool] = lambda: True
    ) -> bool:
        """Replace a file's content, all or nothing; it is on disk when this returns.

        Args:
            place: the file's place.
            content: the new content.
            is_current: asked at the last moment whether the file is still to be replaced.

        Returns:
            True if the file was replaced, False if `is_current` said no.
        """
        file = self._home / self._root / place
        if len(content) > most_bytes(place):
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
        root = self._home / self._root
        with _explain_errors():
            return sorted(
                file.relative_to(root).as_posix()
                for file in list_files(self._home, self._root / folder)
                if not DRAFT.fullmatch(file.name)
            )

    def list_folders(self, folder: str) -> list[str]:
        """List the names of the folders in a folder, in order."""
        with _explain_errors():
            inside = list_folder(self._home, self._root / folder)
            return [path.name for path, found in inside if is_folder(found)]

    def delete_folder(self, folder: str) -> None:
        """Delete a folder with all that is in it, as far as that is possible."""
        with suppress(UnusableFileError):
            refuse_links(self._home, self._root / folder)
            shutil.rmtree(self._home / self._root / folder, ignore_errors=True)

    def delete_drafts(self, folder: str) -> None:
        """Delete what killed processes left half written below a folder."""
        with _explain_errors():
            for file in list_files(self._home, self._root / folder):
                if DRAFT.fullmatch(file.name):
                    file.unlink(missing_ok=True)


class HomeFiles:
    """The files of all tenants, and the key that they share."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def of(self, tenant: str) -> TenantFiles:
        """Return a tenant's files."""
        return TenantFiles(self._home, tenant)

    def tombstone_key(self) -> bytes:
        """Return the home's secret key for tombstones, made when it is first asked for.

        Raises:
            StoreUnavailableError: the key can't be read or made, or is damaged.
        """
        return tombstone_key(self._home)


def open_home_files(settings: Settings) -> HomeFiles:
    """Return the files of the home that the settings name."""
    return HomeFiles(settings.home_path)


@contextmanager
def _explain_errors() -> Iterator[None]:
    """Raise errors of the operating system as UnusableFileError, with what to do about them."""
    try:
        yield
    except OSError as error:
        raise UnusableFileError(str(StoreUnavailableError.from_system(error))) from error
