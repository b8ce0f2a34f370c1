"""Hidden records: rows and files that a forget took away and that can be put back for a while."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class HiddenFile(NamedTuple):
    """A file from which a forget took lines."""

    place: str
    content: bytes
    """Its content before."""
    left_as: str | None
    """SHA-256 of what was left of it; None where that is nothing."""


class HiddenRecords(Protocol):
    """A tenant's hidden rows. No question and no answer reads them."""

    def hide_changes(self, report_id: str) -> AbstractContextManager[None]:
        """Record every row that is changed in this block, so that it can be put back."""
        ...

    def hide_texts(self, report_id: str, turn_ns: Sequence[int]) -> None:
        """Record the texts of turns that are about to be erased."""
        ...

    def hide_file(self, report_id: str, file: HiddenFile) -> None:
        """Record a file as it was."""
        ...

    def list_files(self, report_id: str) -> list[HiddenFile]:
        """List the files from which a forget took lines."""
        ...

    def put_back(self, report_id: str, places: Collection[str]) -> int:
        """Put back every row that a forget changed, and its texts; return the number of rows.

        Rows changed since stay as they are. The report says that it was restored.

        Args:
            report_id: of the forget.
            places: of the files that were put back; core lines of other files are left out.
        """
        ...

    def list_due(self, now: int) -> list[str]:
        """List ids of the reports whose hidden rows are due to be erased."""
        ...

    def purge(self, report_id: str, now: int) -> None:
        """Erase the hidden rows of a forget, and note that in its report."""
        ...
