"""Undoing a night: what it changed stands again as it stood before.

Newest run first, and in a run the newest change first. What somebody has changed since stays as
they left it, and what was forgotten since stays forgotten. An undoing that was killed goes on
where it was when it is asked for again.
"""

from collections.abc import Callable, Iterator

from memoria.errors import InvalidInputError, NotFoundError, quoted
from memoria.lifecycle.core.before import Before
from memoria.lifecycle.files.shelf import Shelf
from memoria.model import system_millis
from memoria.model.night import Run, Undone
from memoria.store.base import NightStore, Transaction

_PAGE = 20
"""Changes in one transaction: a document takes a dozen rows of the indexes along."""
_MANY = 1000

Progress = Callable[[int], None]
"""Told how many changes were looked at."""


def undo(store: NightStore, tenant: str, run_id: str, progress: Progress, files: Shelf) -> Undone:
    """Undo a run and every later one of the tenant.

    Args:
        store: what it writes to.
        tenant: whose runs they are.
        run_id: which run.
        progress: told how many rows were looked at.
        files: the tenant's.

    Raises:
        NotFoundError: there is no such run.
        InvalidInputError: it is running, or undone already.
    """
    with store.read(tenant) as tx:
        runs = _to_undo(tx, run_id)
    totals = [0, 0, 0]
    back = left = 0
    for run in runs:
        some, others = _put_files_back(store, tenant, run, files)
        back, left = back + some, left + others
        for counts in _pages(store, tenant, run):
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
            progress(sum(totals))
        files.forget_before(run)
    return Undone(
        run_ids=tuple(run.id for run in runs),
        restored=totals[0],
        kept=totals[1],
        forgotten=totals[2],
        files=back,
        files_kept=left,
    )


def known_run(tx: Transaction, run_id: str) -> Run:
    """A run by its id or the end of it.

    Raises:
        NotFoundError: there is no such run.
    """
    run = tx.night.run(run_id)
    if run is None:
        raise NotFoundError(f"There is no night {quoted(run_id)}. `memoria nightly runs` has them.")
    return run


def _to_undo(tx: Transaction, run_id: str) -> list[Run]:
    run = known_run(tx, run_id)
    if run.state == "undone":
        raise InvalidInputError(f"Night {run.id} is undone already.")
    later = [each for each in tx.night.runs(_MANY) if each.n >= run.n and each.state != "undone"]
    running = [each.id for each in later if each.state == "running"]
    if running:
        raise InvalidInputError(
            f"Night {running[0]} was begun and is not done. Let it finish with `memoria nightly`, "
            "then undo it."
        )
    return later


def _put_files_back(store: NightStore, tenant: str, run: Run, files: Shelf) -> tuple[int, int]:
    """Files go first: the rows still tell which of them the night wrote, however often it is asked.

    Nobody forgets meanwhile what is put back.
    """
    with store.write(tenant) as tx:
        tx.night.set_state(run, "undoing", system_millis())
    with store.write(tenant) as tx:
        core, kept = Before(files.folder, run.id).put_back(tx)
        back, left = files.put_back(tx, run)
    return core + back, kept + left


def _pages(store: NightStore, tenant: str, run: Run) -> Iterator[tuple[int, int, int]]:
    while True:
        with store.write(tenant) as tx:
            counts = tx.night.revert(run, _PAGE)
            if not any(counts):
                tx.night.set_state(run, "undone", system_millis())
                return
        yield counts
