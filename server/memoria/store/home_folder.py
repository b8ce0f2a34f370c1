"""The files of a home in its folder: the default tenant's at the top, others' in folders below."""

import os
import shutil
from pathlib import Path

from memoria.config import Settings
from memoria.errors import StoreUnavailableError
from memoria.store.base import HomeFiles
from memoria.store.files import replace_file, tombstone_key
from memoria.store.folders import (
    DRAFT,
    explain_system_errors,
    make_private,
    sync_folder,
    tenant_folder,
)


class FolderFiles:
    """A tenant's files in a folder."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read or made yet.

        Args:
            folder: the tenant's own.
        """
        self._folder = folder

    def read(self, place: str) -> bytes | None:
        """What a file says; None where there is none."""
        try:
            return (self._folder / place).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise StoreUnavailableError.from_system(error) from error

    def is_folder(self, place: str) -> bool:
        """Whether there is a folder where a file belongs."""
        return (self._folder / place).is_dir()

    def write(self, place: str, content: bytes) -> None:
        """Give a file other content, all or nothing.

        A file that is linked from elsewhere, such as a repository of the user's, is written there.
        """
        with explain_system_errors():
            file = Path(os.path.realpath(self._folder / place))
            make_private(file.parent)
            replace_file(file, content)
            sync_folder(file.parent)

    def delete(self, place: str) -> None:
        """Delete a file, if there is one."""
        with explain_system_errors():
            (self._folder / place).unlink(missing_ok=True)

    def list_places(self, folder: str) -> list[str]:
        """The places of all files below a folder, in order."""
        files = (file for file in (self._folder / folder).rglob("*") if file.is_file())
        return sorted(
            file.relative_to(self._folder).as_posix()
            for file in files
            if not DRAFT.fullmatch(file.name)
        )

    def list_folders(self, folder: str) -> list[str]:
        """The names of the folders in a folder, in order."""
        return sorted(each.name for each in (self._folder / folder).glob("*") if each.is_dir())

    def delete_folder(self, folder: str) -> None:
        """Delete a folder with all that is in it, as far as that is possible."""
        shutil.rmtree(self._folder / folder, ignore_errors=True)

    def delete_drafts(self, folder: str) -> None:
        """Delete what killed processes left half written below a folder."""
        with explain_system_errors():
            for file in (self._folder / folder).rglob(".*"):
                if DRAFT.fullmatch(file.name):
                    file.unlink(missing_ok=True)


class HomeFolder:
    """A home's folder."""

    def __init__(self, home: Path) -> None:
        """Nothing is read or made yet."""
        self._home = home

    def of(self, tenant: str) -> FolderFiles:
        """A tenant's files."""
        return FolderFiles(tenant_folder(self._home, tenant))

    def tombstone_key(self) -> bytes:
        """The home's secret key for tombstones, made when it is first asked for."""
        return tombstone_key(self._home)


def open_home_files(settings: Settings) -> HomeFiles:
    """The files of the home that the settings name."""
    return HomeFolder(settings.home_path)
