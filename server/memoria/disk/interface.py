"""The files of a home beside its database, wherever an engine keeps them."""

from collections.abc import Callable, Sequence
from typing import Protocol


class TenantFiles(Protocol):
    """A tenant's files by their places, such as `USER.md` or `daily_summaries/2026-11-22.md`.

    Every method raises `UnusableFileError` where a file can't be read or written, or is none: a
    link, a pipe, a folder, or too large.
    """

    def read(self, place: str) -> bytes | None:
        """What a file says; None where there is none."""
        ...

    def exists(self, place: str) -> bool:
        """Whether there is a file, and it can be used."""
        ...

    def find_obstacle(self, place: str) -> str | None:
        """Why a file can't be used, and what to do; None where it can or there is none."""
        ...

    def write(
        self, place: str, content: bytes, is_current: Callable[[], bool] = lambda: True
    ) -> bool:
        """Give a file other content, all or nothing; it is on disk when this returns.

        Args:
            place: the file's.
            content: what it shall say.
            is_current: asked at the last moment whether it is still to be done.

        Returns:
            Whether it was done.
        """
        ...

    def delete(self, place: str) -> None:
        """Delete a file, if there is one."""
        ...

    def list_places(self, folder: str) -> Sequence[str]:
        """The places of all files below a folder, in order."""
        ...

    def list_folders(self, folder: str) -> Sequence[str]:
        """The names of the folders in a folder, in order."""
        ...

    def delete_folder(self, folder: str) -> None:
        """Delete a folder with all that is in it, as far as that is possible."""
        ...

    def delete_drafts(self, folder: str) -> None:
        """Delete what killed processes left half written below a folder."""
        ...


class HomeFiles(Protocol):
    """The files of all tenants, and what all of them share."""

    def of(self, tenant: str) -> TenantFiles:
        """A tenant's files."""
        ...

    def tombstone_key(self) -> bytes:
        """The home's secret key for tombstones, made when it is first asked for.

        Behind it stand the keys of homes whose lists of what was forgotten were taken in.

        Raises:
            StoreUnavailableError: it can't be read or made, or is not a key.
        """
        ...
