"""Runs of nightly maintenance: their steps, plans and journals."""

from collections.abc import Sequence
from typing import Protocol

from memoria.model.core import CoreFile
from memoria.model.nightly import (
    MadeByRun,
    NightlyRun,
    RowChange,
    RunOptions,
    RunState,
    StepReport,
)


class NightlyRuns(Protocol):
    """A tenant's runs of nightly maintenance."""

    def begin_run(self, run_id: str, at: int, options: RunOptions) -> NightlyRun:
        """Record a new run and its steps, none of them begun."""
        ...

    def open_run(self) -> NightlyRun | None:
        """Return the run that was begun and neither finished nor undone; None if there is none."""
        ...

    def list_runs(self, limit: int) -> list[NightlyRun]:
        """List the latest runs, newest first."""
        ...

    def find_run(self, run_id: str) -> NightlyRun | None:
        """Return a run by its id or the end of it; None if there is none.

        Raises:
            InvalidInputError: several ids end so.
        """
        ...

    def set_state(self, run: NightlyRun, state: RunState, now: int) -> None:
        """Set the state of a run."""
        ...

    def note_rows(self, run: NightlyRun, rows: int) -> None:
        """Record how many rows a transaction changed, if none of the run changed more."""
        ...

    def set_step(self, run: NightlyRun, ordinal: int, report: StepReport) -> None:
        """Record how far a step has come."""
        ...

    def count_tokens(self, run: NightlyRun) -> int:
        """Add up the tokens that a run's questions cost, those under way at their most."""
        ...

    def note_tokens(self, run: NightlyRun, ordinal: int, tokens: int) -> None:
        """Add to the tokens that a step has spent; a negative number takes some back."""
        ...

    def add_plan(self, run: NightlyRun, ordinal: int, items: Sequence[str]) -> None:
        """Add items to the plan of a step."""
        ...

    def clear_plan(self, run: NightlyRun, ordinal: int) -> None:
        """Drop the first items of a step's plan; to be repeated until none is left."""
        ...

    def next_items(self, run: NightlyRun, ordinal: int, limit: int) -> list[tuple[int, str]]:
        """List (number, item) of a plan's unfinished items, in order."""
        ...

    def remove_items(self, run: NightlyRun, ordinal: int, numbers: Sequence[int]) -> None:
        """Remove finished items from a plan."""
        ...

    def drop_items(self, ids: Sequence[str]) -> int:
        """Remove items that name or say one of these from all plans; return their number."""
        ...

    def drop_leftovers(self) -> int:
        """Remove some leftovers from plans that nobody will finish, and return their number."""
        ...

    def list_changes(self, run: NightlyRun, limit: int) -> list[RowChange]:
        """List the changes of a run, in order."""
        ...

    def list_made(self, run: NightlyRun) -> MadeByRun:
        """List what a run has made, except memories that somebody has changed since."""
        ...

    def revert_core_file(self, run: NightlyRun, file: CoreFile) -> None:
        """Restore what was noted of a core file and its lines, and take it off the journal."""
        ...

    def revert(self, run: NightlyRun, limit: int) -> tuple[int, int, int]:
        """Restore the rows that the run changed last, and take them off the journal.

        Returns the numbers of rows (restored, kept because of a later change, taken by a forget);
        (0, 0, 0) if nothing is left.
        """
        ...
