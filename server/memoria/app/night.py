"""Nights of a home: run, look at, undo. All of it blocks, so that Ctrl-C is heard."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from memoria.app.compose import open_store
from memoria.config import Settings
from memoria.errors import InvalidInputError, NotFoundError, quoted
from memoria.lifecycle.face import Night
from memoria.lifecycle.files.shelf import Shelf, shelf
from memoria.lifecycle.lease import LEASE, LEASE_MS, held
from memoria.lifecycle.runner import Progress, run_night
from memoria.lifecycle.steps import BY_NAME
from memoria.lifecycle.undo import undo as undo_run
from memoria.model import derived_id, new_id, now_millis
from memoria.model.night import Change, Run, RunOptions, StepReport, Undone
from memoria.store.base import NightStore
from memoria.store.files import DATABASE
from memoria.store.folders import tenant_folder
from memoria.store.sqlite import JournaledStore

_S_PER_MINUTE = 60


def run(
    settings: Settings,
    steps: Sequence[str] = (),
    since: int | None = None,
    progress: Progress = lambda *_: None,
) -> Run:
    """Run a night, or finish the one that was begun.

    Args:
        settings: whose home and tenant.
        steps: which; all of them by default. One that was begun keeps the steps it has.
        since: only what was changed from then on, UTC epoch ms.
        progress: told (step, items done, of how many).

    Raises:
        InvalidInputError: there is no such step, or an undoing was not finished.
        LeaseLostError: a night is running.
    """
    options = RunOptions(steps=_known(steps), since=since)
    deadline = time.monotonic() + settings.night_minutes * _S_PER_MINUTE
    with _holding(settings) as store:
        with store.write(settings.tenant) as tx:
            begun = tx.night.open_run() or tx.night.begin(new_id(), now_millis(), options)
        if begun.state == "undoing":
            raise InvalidInputError(
                f"The undoing of night {begun.id} was not finished. Finish it with: "
                f"memoria nightly undo {begun.id}"
            )
        night = Night(begun, settings.tenant, store, settings)
        shelf(night).sweep(begun.at)
        return run_night(night, store, BY_NAME, progress, lambda: deadline - time.monotonic())


def dry_run(settings: Settings, steps: Sequence[str] = (), since: int | None = None) -> Run:
    """What a night would do now, without a change: each step sees things as they are.

    Raises:
        InvalidInputError: there is no such step.
    """
    options = RunOptions(steps=_known(steps), since=since)
    at = now_millis()
    with closing(open_store(settings)) as store:
        imagined = Run(n=0, id=derived_id(at, "dry"), at=at, options=options, state="running")
        night = Night(imagined, settings.tenant, store, settings)
        reports = [
            StepReport(
                name=name,
                planned=sum(1 for _ in BY_NAME[name].plan(night)),
                reduced=BY_NAME[name].reduced(night),
            )
            for name in options.steps
        ]
    return imagined.model_copy(update={"steps": tuple(reports)})


def runs(settings: Settings, limit: int) -> list[Run]:
    """The latest nights, newest first."""
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        return tx.night.runs(limit)


def changes(settings: Settings, run_id: str, limit: int) -> tuple[Run, list[Change]]:
    """A night and what it changed, in order.

    Raises:
        NotFoundError: there is no such night.
    """
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        found = tx.night.run(run_id)
        if found is None:
            raise NotFoundError(
                f"There is no night {quoted(run_id)}. `memoria nightly runs` has them."
            )
        return found, tx.night.changes(found, limit)


def undo(settings: Settings, run_id: str, progress: Callable[[int], None]) -> Undone:
    """Undo a night and every later one; see `lifecycle.undo`."""
    with _holding(settings) as store:
        files = Shelf(tenant_folder(settings.home_path, settings.tenant))
        return undo_run(store, settings.tenant, run_id, progress, files)


@contextmanager
def _holding(settings: Settings, lease_ms: int = LEASE_MS) -> Iterator[NightStore]:
    """The night's own store, while the lease is held."""
    owner = f"night:{new_id()}"
    with closing(open_store(settings)) as shared, held(shared, owner, lease_ms):
        own = JournaledStore(
            settings.home_path / DATABASE,
            busy_timeout_ms=settings.busy_timeout_ms,
            attempts=settings.embedding_attempts,
            lease=LEASE,
            owner=owner,
        )
        with closing(own):
            yield own


def _known(steps: Sequence[str]) -> tuple[str, ...]:
    """The steps named, in the order in which they run; all where none is."""
    for name in steps:
        if name not in BY_NAME:
            raise InvalidInputError(
                f"There is no step {quoted(name)}. Steps are: {', '.join(BY_NAME)}."
            )
    return tuple(name for name in BY_NAME if not steps or name in steps)
