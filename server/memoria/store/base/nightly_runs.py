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
        """Note a new run and its steps, none of them begun."""
        ...

    def open_run(self) -> NightlyRun | None:
        """The run that was begun and neither finished nor undone."""
        ...

    def list_runs(self, limit: int) -> list[NightlyRun]:
        """The latest runs, newest first."""
        ...

    def find_run(self, run_id: str) -> NightlyRun | None:
        """A run by its id or the end of it, where that is enough to tell."""
        ...

    def set_state(self, run: NightlyRun, state: RunState, now: int) -> None:
        """Note what became of a run."""
        ...

    def note_rows(self, run: NightlyRun, rows: int) -> None:
        """Note how many rows a transaction changed, where none changed more."""
        ...

    def set_step(self, run: NightlyRun, ordinal: int, report: StepReport) -> None:
        """Note how far a step has come."""
        ...

    def count_tokens(self, run: NightlyRun) -> int:
        """What the questions of a run have cost, those under way at their most."""
        ...

    def note_tokens(self, run: NightlyRun, ordinal: int, tokens: int) -> None:
        """Note that a step has spent so many tokens more; or less, where they are negative."""
        ...

    def add_plan(self, run: NightlyRun, ordinal: int, items: Sequence[str]) -> None:
        """Write down what a step is going to do, after what is written down already."""
        ...

    def clear_plan(self, run: NightlyRun, ordinal: int) -> None:
        """Take a plan back that was never finished."""
        ...

    def next_items(self, run: NightlyRun, ordinal: int, limit: int) -> list[tuple[int, str]]:
        """(number, item) of what is still to do, in order."""
        ...

    def remove_items(self, run: NightlyRun, ordinal: int, numbers: Sequence[int]) -> None:
        """Take what was done off the plan."""
        ...

    def drop_items(self, ids: Sequence[str]) -> int:
        """Take everything off all plans that names or says one of these. Gives how much."""
        ...

    def drop_leftovers(self) -> int:
        """Take some of what is left off plans that nobody will finish. Gives how much."""
        ...

    def list_changes(self, run: NightlyRun, limit: int) -> list[RowChange]:
        """What a run changed, in order."""
        ...

    def list_made(self, run: NightlyRun) -> MadeByRun:
        """What a run has made, but for memories that somebody has changed since."""
        ...

    def revert_core_file(self, run: NightlyRun, file: CoreFile) -> None:
        """Put back what was noted of a core file and its lines, and take it off the journal."""
        ...

    def revert(self, run: NightlyRun, limit: int) -> tuple[int, int, int]:
        """Put back what the run changed last, and take it off the journal.

        Gives how many rows were (restored, kept because of a later change, taken by a forget);
        (0, 0, 0) where nothing is left.
        """
        ...
