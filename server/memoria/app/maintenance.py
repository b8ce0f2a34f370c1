"""Maintenance of an opened memory: its examination, its indexes, and nights that a program runs."""

from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import SkipValidation

from memoria.app.arguments import check_arguments
from memoria.app.open_home import in_thread
from memoria.app.queue import Unread
from memoria.model import Health
from memoria.model.nightly import NightlyRun


class Maintenance(Unread):
    """One tenant's memory, and how it is kept in order."""

    @check_arguments
    async def health(self, *, deep: bool = True) -> Health:
        """Examine the home as `doctor` does."""
        from memoria.admin.doctor import examine  # noqa: PLC0415  (only doctor pays for it)

        def look() -> Health:
            backlog = None if self._home.worker is None else self._home.worker.status
            return examine(self._store, self.settings, self._embedder, backlog, deep=deep)

        return await in_thread(look)

    @check_arguments
    async def rebuild_indexes(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Build full text and vector indexes anew from the stored text and vectors."""
        await in_thread(lambda: self._store.rebuild(progress or (lambda _done, _total: None)))

    @check_arguments
    async def run_nightly(self, steps: Annotated[Sequence[str], SkipValidation] = ()) -> NightlyRun:
        """Run nightly maintenance, or finish the run that was begun, and return its report.

        This program's policy answers what is archived, and its own chat model what is asked.

        Args:
            steps: which; all of them by default.

        Raises:
            InvalidInputError: there is no such step, or an undo was not finished.
            LeaseLostError: another run is at work.
        """
        from memoria.app.nightly import run_nightly  # noqa: PLC0415  (only a night pays for it)

        return await in_thread(lambda: run_nightly(self.settings, steps, home=self._home))
