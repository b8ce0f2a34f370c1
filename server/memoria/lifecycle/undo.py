"""Undo of nightly runs: the rows and files that a run changed are put back as they were.

The newest run is undone first, and in a run the newest change. What somebody has changed since
stays changed, and what was forgotten since stays forgotten. An undo that was killed goes on where
it was when it is asked for again.
"""

from collections.abc import Callable, Iterator

from memoria.errors import ConflictError, NotFoundError, quote_value
from memoria.lifecycle.core.restore import CoreRestoration
from memoria.lifecycle.generated_files import GeneratedFiles
from memoria.model import DAY_MS, system_millis
from memoria.model.nightly import UNDO_MS, NightlyRun, UndoResult
from memoria.store.engine import JournalingStore
from memoria.store.rows.transaction import Transaction

_PAGE = 20
"""Number of changes reverted in one transaction: each may touch a dozen rows of the indexes."""
_MANY = 1000

Progress = Callable[[int], None]
"""Called with the number of changes looked at so far."""


def undo_run(
    store: JournalingStore, tenant: str, run_id: str, progress: Progress, files: GeneratedFiles
) -> UndoResult:
    """Undo a run of nightly maintenance, and every later run of the tenant.

    Args:
        store: what it writes to.
        tenant: whose runs they are.
        run_id: the run's id, or the end of it.
        progress: called with the number of rows that were looked at.
        files: the tenant's.

    Raises:
        NotFoundError: there is no such run.
        InvalidInputError: it is running, undone already, or too long ago.
    """
    with store.read(tenant) as tx:
        runs = list_runs_to_undo(tx, run_id)
    totals = [0, 0, 0]
    back = left = 0
    for run in runs:
        some, others = _restore_files(store, tenant, run, files)
        back, left = back + some, left + others
        for counts in _revert_pages(store, tenant, run):
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
            progress(sum(totals))
        files.drop_images(run)
    return UndoResult(
        run_ids=tuple(run.id for run in runs),
        restored=totals[0],
        kept=totals[1],
        forgotten=totals[2],
        files=back,
        files_kept=left,
    )


def find_run(tx: Transaction, run_id: str) -> NightlyRun:
    """Find a run by its id or the end of it.

    Raises:
        NotFoundError: there is no such run.
    """
    run = tx.nightly_runs.find_run(run_id)
    if run is None:
        raise NotFoundError(
            f"There is no run {quote_value(run_id)}. `memoria nightly runs` has them."
        )
    return run


def list_runs_to_undo(tx: Transaction, run_id: str) -> list[NightlyRun]:
    """List a run and every later one that is not undone, newest first.

    Raises:
        NotFoundError: there is no such run.
        InvalidInputError: it is running, undone already, or too long ago.
    """
    run = find_run(tx, run_id)
    if run.state == "undone":
        raise ConflictError(f"Run {run.id} is undone already.")
    if not run.undoable:
        raise ConflictError(
            f"Run {run.id} can't be undone any more: what a run changed is kept for "
            f"{UNDO_MS // DAY_MS} days."
        )
    later = [
        each
        for each in tx.nightly_runs.list_runs(_MANY)
        if each.n >= run.n and each.state != "undone"
    ]
    running = [each.id for each in later if each.state == "running"]
    if running:
        raise ConflictError(
            f"Run {running[0]} was begun and is not done. Let it finish with `memoria nightly`, "
            "then undo it."
        )
    return later


def _restore_files(
    store: JournalingStore, tenant: str, run: NightlyRun, files: GeneratedFiles
) -> tuple[int, int]:
    """Restore the files of a run, before its rows: these say which files the run wrote.

    Files are restored in one transaction, so that no forget comes in between.
    """
    with store.write(tenant) as tx:
        tx.nightly_runs.set_state(run, "undoing", system_millis())
    with store.write(tenant) as tx:
        core, kept = CoreRestoration(tx, files.files, run).restore()
        back, left = files.restore(tx, run)
    return core + back, kept + left


def _revert_pages(
    store: JournalingStore, tenant: str, run: NightlyRun
) -> Iterator[tuple[int, int, int]]:
    while True:
        with store.write(tenant) as tx:
            counts = tx.nightly_runs.revert(run, _PAGE)
            if not any(counts):
                tx.nightly_runs.set_state(run, "undone", system_millis())
                return
        yield counts
