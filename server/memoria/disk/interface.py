"""The files of a home beside its database, wherever an engine keeps them."""

from collections.abc import Callable, Sequence
from typing import Protocol


class TenantFiles(Protocol):
    """A tenant's files by their places, such as `USER.md` or `daily_summaries/2026-11-22.md`.

    Every method raises `UnusableFileError` if a file can't be read or written, is too large, or is
    a link, a pipe or a folder.
    """

    def read(self, place: str) -> bytes | None:
        """Return a file's content; None if there is no file."""
        ...

    def exists(self, place: str) -> bool:
        """Check that there is a file, and that it can be used."""
        ...

    def find_obstacle(self, place: str) -> str | None:
        """Say why a file can't be used, and what to do; None if it can be, or there is none."""
        ...

    def write(
        self, place: str, content: bytes, is_current: Callable[[], bool] = lambda: True
    ) -> bool:
        """Replace a file's content, all or nothing; it is on disk when this returns.

        Args:
            place: the file's.
            content: its new content.
            is_current: asked at the last moment whether it is still to be done.

        Returns:
            True if the file was replaced, False if `is_current` said no.
        """
        ...

    def delete(self, place: str) -> None:
        """Delete a file, if there is one."""
        ...

    def list_places(self, folder: str) -> Sequence[str]:
        """List the places of all files below a folder, in order."""
        ...

    def list_folders(self, folder: str) -> Sequence[str]:
        """List the names of the folders in a folder, in order."""
        ...

    def delete_folder(self, folder: str) -> None:
        """Delete a folder with all that is in it, as far as that is possible."""
        ...

    def delete_drafts(self, folder: str) -> None:
        """Delete what killed processes left half written below a folder."""
        ...


class HomeFiles(Protocol):
    """The files of all tenants, and the key that they share."""

    def of(self, tenant: str) -> TenantFiles:
        """Return a tenant's files."""
        ...

    def tombstone_key(self) -> bytes:
        """Return the home's secret key for tombstones, made when it is first asked for.

        Behind it stand the keys of homes whose lists of what was forgotten were taken in.

        Raises:
            StoreUnavailableError: it can't be read or made, or is not a key.
        """
        ...
