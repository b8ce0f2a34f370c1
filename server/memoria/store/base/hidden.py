"""Hidden: what a forget has taken out of every table, and can still be put back for a while."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class HiddenFile(NamedTuple):
    """A file from which a forget took lines."""

    place: str
    content: bytes
    """As it was before."""
    left_as: str | None
    """The SHA-256 of what was left of it; None where that is nothing."""


class HiddenRecords(Protocol):
    """What a tenant has hidden. No question and no answer reads it."""

    def hide_changes(self, report_id: str) -> AbstractContextManager[None]:
        """Note every row that is changed in this block, so that it can be put back."""
        ...

    def hide_texts(self, report_id: str, turn_ns: Sequence[int]) -> None:
        """Note the texts of turns that are about to be erased."""
        ...

    def hide_file(self, report_id: str, file: HiddenFile) -> None:
        """Note a file as it was."""
        ...

    def list_files(self, report_id: str) -> list[HiddenFile]:
        """The files from which a forget took lines."""
        ...

    def put_back(self, report_id: str, places: Collection[str]) -> int:
        """Put back every row that a forget changed, and its texts. Gives how many rows.

        What was changed since stays as it is. The report says that it was restored.

        Args:
            report_id: of the forget.
            places: of the files that were put back; lines of others are none any more.
        """
        ...

    def list_due(self, now: int) -> list[str]:
        """Ids of the reports of what is to be erased by now."""
        ...

    def purge(self, report_id: str, now: int) -> None:
        """Erase what a forget has hidden. The report says so."""
        ...
