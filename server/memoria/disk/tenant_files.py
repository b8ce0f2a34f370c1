"""The files of tenants, wherever an engine keeps them: on disk in the home, or as rows."""

from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from memoria.disk.folders import PROJECTS
from memoria.model.core import CORE_FILES, PROJECT_FILE


class TenantFiles(Protocol):
    """A tenant's files by their places, such as `USER.md`.

    Every method raises `UnusableFileError` if a file can't be read or written, is too large, or
    its place leads elsewhere.
    """

    @property
    def are_on_disk(self) -> bool:
        """True if the files have paths on this machine."""
        ...

    @property
    def are_readable(self) -> bool:
        """True if people and other programs can read the files by their paths."""
        ...

    def reading(self) -> AbstractContextManager[object]:
        """Begin a block that reads many files, as they are together where that can be."""
        ...

    def read(self, place: str, most: int | None = None) -> bytes | None:
        """Return a file's content; None if there is no file.

        Args:
            place: the file's place.
            most: the largest size, in bytes, that is read; by default that of the place.
        """
        ...

    def exists(self, place: str) -> bool:
        """Check that a file exists and can be used."""
        ...

    def find_obstacle(self, place: str) -> str | None:
        """Return why a file can't be used and what to do; None if it can be used or is missing."""
        ...

    def find_state(self, place: str) -> Hashable:
        """Return a value that changes with a file; None if there is no file."""
        ...

    def name(self, place: str) -> str:
        """Return the name by which a user knows a file: its path, or its place among the rows."""
        ...

    def write(
        self, place: str, content: bytes, is_current: Callable[[], bool] = lambda: True
    ) -> bool:
        """Replace a file's content, all or nothing; it lasts when this returns.

        What is written in a transaction of the tenant may last only when that one has ended.

        Args:
            place: the file's place.
            content: the new content.
            is_current: asked at the last moment whether the file is still to be replaced.

        Returns:
            True if the file was replaced, False if `is_current` said no.
        """
        ...

    def delete(self, place: str) -> None:
        """Delete a file, if there is one."""
        ...

    def list_places(self, folder: str) -> list[str]:
        """List the places of all files below a folder, in order; all there are for an empty one."""
        ...

    def list_states(self, folder: str) -> Mapping[str, Hashable]:
        """Map the places of all files below a folder, in order, to values that change with them.

        Those half written are among them.
        """
        ...

    def list_drafts(self, folder: str) -> list[str]:
        """List the places below a folder of what killed processes left half written."""
        ...

    def list_folders(self, folder: str) -> list[str]:
        """List the names of the folders in a folder, in order."""
        ...

    def delete_folder(self, folder: str) -> None:
        """Delete a folder with all that is in it, as far as that is possible."""
        ...

    def delete_empty_folders(self, folder: str) -> None:
        """Delete the empty folders in a folder, and the folder itself if it is empty."""
        ...

    def list_set_aside(self) -> Mapping[str, "TenantFiles"]:
        """Map the names of folders that restores have set aside to the tenant's files in them."""
        ...


def list_core_places(files: TenantFiles) -> list[str]:
    """List the places of a tenant's core files, those that may not be there included."""
    projects = files.list_folders(PROJECTS)
    return [*CORE_FILES, *(f"{PROJECTS}/{name}/{PROJECT_FILE}" for name in projects)]


class HomeFiles(Protocol):
    """The files of all tenants, and the keys that they share."""

    def of(self, tenant: str) -> TenantFiles:
        """Return a tenant's files."""
        ...

    def tombstone_key(self) -> bytes:
        """Return the keys for tombstones: the home's own 32 bytes come first.

        Keys of other homes follow, whose lists of what was forgotten were taken in.

        Raises:
            StoreUnavailableError: the key can't be read or made, is damaged, or is another one.
        """
        ...

    def list_tombstone_keys(self) -> tuple[bytes, ...]:
        """Return the keys, each by itself; none if the home has needed no key yet."""
        ...

    def adopt_tombstone_keys(self, content: bytes) -> bool:
        """Add the keys of another home; return True if any key was new.

        To be called inside of a write transaction, so that nobody else does the same meanwhile.
        """
        ...
