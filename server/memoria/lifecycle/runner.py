"""Runner of the steps of a run, in their order, from where they were left; one run at a time.

However often a run is killed, it ends as one that was not: each transaction does some items,
strikes them off the plan and writes the report, or does nothing at all. The lease of a killed run
expires, so that it blocks no other run for long.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from math import isfinite
from typing import Any

from memoria.errors import LeaseLostError, StoreError, UnusableFileError
from memoria.lifecycle.interface import (
    AnyStep,
    Item,
    ItemResult,
    PiecewiseStep,
    PlannedStep,
    StepContext,
)
from memoria.model import derive_ids, system_millis, use_clock
from memoria.model.nightly import NightlyRun, RunState, StepOutcome, StepReport
from memoria.store.engine import JournalingStore, Store
from memoria.store.rows.transaction import Transaction

_REST = 4.0
"""Rest of a run after a transaction, in lengths of that transaction."""
_SHORTEST_REST_S = 0.005


def rest(worked_s: float) -> None:
    """Leave the database to other processes for a while.

    Args:
        worked_s: how long the transaction kept them from writing.
    """
    time.sleep(max(_SHORTEST_REST_S, _REST * worked_s))


LEASE = "nightly"
LEASE_MS = 30_000
_POLL_S = 0.25
_LOG = logging.getLogger(__name__)


@contextmanager
def hold_lease(store: Store, tenant: str, owner: str, lease_ms: int = LEASE_MS) -> Iterator[None]:
    """Hold the tenant's lease while the block runs.

    Waits for one lease's length, which a dead owner's does not outlast.

    Raises:
        LeaseLostError: a run holds the lease.
    """
    _wait_for_lease(store, tenant, owner, lease_ms)
    done = threading.Event()
    beat = threading.Thread(
        target=_renew_until,
        args=(store, tenant, owner, lease_ms, done),
        name="memoria-nightly",
        daemon=True,
    )
    beat.start()
    try:
        yield
    finally:
        done.set()
        beat.join()
        with store.write(tenant) as tx:
            tx.leases.release(LEASE, owner)


def _wait_for_lease(store: Store, tenant: str, owner: str, lease_ms: int) -> None:
    patient_until = time.monotonic() + 1.2 * lease_ms / 1000
    while not _try_lease(store, tenant, owner, lease_ms):
        if time.monotonic() > patient_until:
            raise LeaseLostError(
                f"Nightly maintenance is running for {tenant} already. Wait until it is done; "
                "`memoria nightly runs` shows how far it is."
            )
        time.sleep(_POLL_S)


def _try_lease(store: Store, tenant: str, owner: str, lease_ms: int) -> bool:
    with store.write(tenant) as tx:
        return tx.leases.take(LEASE, owner, system_millis(), lease_ms)


def _renew_until(
    store: Store, tenant: str, owner: str, lease_ms: int, done: threading.Event
) -> None:
    while not done.wait(lease_ms / 3000):
        try:
            _try_lease(store, tenant, owner, lease_ms)
        except StoreError as error:
            _LOG.warning("The lease of nightly maintenance could not be renewed: %s", error)


MOST_ROWS = 500
"""Number of rows that a transaction may touch, so that other writers do not wait long for it."""
_PAGE = 100
_REASONS = 50
_TARGET_ROWS = MOST_ROWS // 3
"""Number of rows that a transaction plans to touch: the text index may add some of its own."""
_Numbered = tuple[int, str]
"""An item of a plan, as it is written there."""
Steps = Mapping[str, AnyStep]
Progress = Callable[[str, int, int], None]
"""Called with (step, items done, of how many)."""


def run_steps(
    context: StepContext,
    store: JournalingStore,
    steps: Steps,
    progress: Progress,
) -> NightlyRun:
    """Do the steps of a run that are not done yet.

    Args:
        context: the run, begun or resumed.
        store: what it writes to.
        steps: by name, every step the run has.
        progress: called after every transaction.
    """
    reports = list(context.run.steps)
    for ordinal, report in enumerate(reports):
        if report.state == "applied":
            continue
        if context.budget is not None:
            context.budget.step = ordinal
        step, desk = steps[report.name], _StepPlace(context, store, ordinal, progress)
        reports[ordinal] = (
            _run_piecewise(desk, step, report)
            if isinstance(step, PiecewiseStep)
            else _PlannedRun(desk, step).run(report)
        )
    whole = all(report.state == "applied" for report in reports)
    state: RunState = "finished" if whole else "stopped"
    for ordinal in range(len(reports)):
        _clear_plan(context, store, ordinal)
    with store.write(context.tenant) as tx:
        tx.nightly_runs.note_rows(context.run, store.most_rows)
        tx.nightly_runs.set_state(context.run, state, system_millis())
        done = tx.nightly_runs.find_run(context.run.id)
    assert done is not None  # noqa: S101  (it was written just now)
    return done


@dataclass(frozen=True, slots=True)
class _StepPlace:
    """A step's place in the run."""

    context: StepContext
    store: JournalingStore
    ordinal: int
    progress: Progress

    def note(self, report: StepReport) -> StepReport:
        """Write down how far the step has come."""
        with self.store.write(self.context.tenant) as tx:
            tx.nightly_runs.set_step(self.context.run, self.ordinal, report)
        return report


def _run_piecewise(desk: _StepPlace, step: PiecewiseStep, report: StepReport) -> StepReport:
    """Work piece by piece; the rest waits for the next run.

    This takes half of the time there is at most: however much there is to read, the steps that keep
    the memory small have time as well.
    """
    context = desk.context
    time_left = context.time_left()
    spared = time_left / 2 if isfinite(time_left) else 0
    if report.state == "waiting" and context.time_left() > 0:
        report = desk.note(
            report.model_copy(update={"state": "planned", "planned": step.count_work(context)})
        )
    while report.state == "planned" and context.time_left() > spared:
        done = step.do_piece(context)
        report = _add_results(report, done, done=not done)
        desk.note(report)
        desk.progress(step.name, sum(report.outcomes.values()), report.planned)
        rest(0)
    return desk.note(report.model_copy(update={"reduced": step.describe_limits(context)}))


class _PlannedRun:
    """A step with a plan. Items that there is no time for wait for the next run."""

    def __init__(self, desk: _StepPlace, step: PlannedStep[Any]) -> None:
        self._desk = desk
        self._context = desk.context
        self._store = desk.store
        self._step = step
        self._ordinal = desk.ordinal
        self._progress = desk.progress

    def run(self, report: StepReport) -> StepReport:
        if report.state == "waiting" and self._context.time_left() > 0:
            report = self._plan(report)
        while report.state == "planned" and self._context.time_left() > 0:
            began = time.perf_counter()
            report = self._apply_some(report)
            self._progress(self._step.name, sum(report.outcomes.values()), report.planned)
            rest(time.perf_counter() - began)
        return report

    def _plan(self, report: StepReport) -> StepReport:
        """Write the plan down; a half-written one is replaced."""
        context = self._context
        _clear_plan(context, self._store, self._ordinal)
        planned = 0
        for page in _pages(self._step.plan(context), _PAGE):
            with self._store.write(context.tenant) as tx:
                tx.nightly_runs.add_plan(
                    context.run, self._ordinal, [item.model_dump_json() for item in page]
                )
            planned += len(page)
        reduced = self._step.describe_limits(context)
        return self._desk.note(
            report.model_copy(update={"state": "planned", "planned": planned, "reduced": reduced})
        )

    def _apply_some(self, report: StepReport) -> StepReport:
        """Apply as many items at once as may go together; if one fails, apply them one by one."""
        items = self._todo(max(1, _TARGET_ROWS // self._step.rows))
        try:
            return self._apply_all(report, items)
        except StoreError:
            raise  # nothing else could be done either
        except Exception:  # noqa: BLE001  (it is looked at below)
            for item in items:
                report = self._apply_one(report, item)
            return report

    def _apply_one(self, report: StepReport, item: _Numbered) -> StepReport:
        """Apply an item, or report that it failed: one must not keep a run from all the others."""
        try:
            return self._apply_all(report, [item])
        except StoreError:
            raise
        except UnusableFileError as error:
            why = f"{error} Mend that, and the next run writes it."
        except Exception as error:  # noqa: BLE001  (whatever it is, it is logged and reported)
            _LOG.exception("An item of the step %s failed and is left out.", self._step.name)
            why = f"it failed: {type(error).__name__}"
        key = self._step.item.model_validate_json(item[1]).key
        failed = ItemResult(StepOutcome.FAILED, key, why)
        with self._store.write(self._context.tenant) as tx:
            return self._strike(tx, report, [item], [failed])

    def _apply_all(self, report: StepReport, items: Sequence[_Numbered]) -> StepReport:
        context = self._context
        journal = self._store.journaling(context.run, self._ordinal)
        with journal, self._store.write(context.tenant) as tx:
            applied = [self._apply(tx, self._step.item.model_validate_json(i)) for _, i in items]
            return self._strike(tx, report, items, applied)

    def _strike(
        self,
        tx: Transaction,
        report: StepReport,
        items: Sequence[_Numbered],
        applied: Sequence[ItemResult],
    ) -> StepReport:
        """Remove done items from the plan, in the transaction that did them."""
        run = self._context.run
        tx.nightly_runs.remove_items(run, self._ordinal, [number for number, _ in items])
        report = _add_results(report, applied, done=not items)
        tx.nightly_runs.set_step(run, self._ordinal, report)
        tx.nightly_runs.note_rows(run, self._store.most_rows)
        return report

    def _apply(self, tx: Transaction, item: Item) -> ItemResult:
        context = self._context
        with use_clock(lambda: context.at), derive_ids(
            context.at, context.run.id, self._step.name, item.key
        ):  # fmt: skip
            return self._step.apply(tx, item, context)

    def _todo(self, most: int) -> list[_Numbered]:
        with self._context.store.read(self._context.tenant) as tx:
            return tx.nightly_runs.next_items(self._context.run, self._ordinal, most)


def clear_leftover_plans(store: JournalingStore, tenant: str) -> None:
    """Delete the plans of runs that nobody will finish: a chat model's words may be in them."""
    left = 1
    while left:
        with store.write(tenant) as tx:
            left = tx.nightly_runs.drop_leftovers()


def _clear_plan(context: StepContext, store: JournalingStore, ordinal: int) -> None:
    """Delete a plan, some of it at a time."""
    while True:
        with store.write(context.tenant) as tx:
            if not tx.nightly_runs.next_items(context.run, ordinal, 1):
                return
            tx.nightly_runs.clear_plan(context.run, ordinal)


def _add_results(report: StepReport, applied: Sequence[ItemResult], *, done: bool) -> StepReport:
    outcomes = Counter(report.outcomes)
    outcomes.update(each.outcome.value for each in applied)
    reasons = dict(report.reasons)
    for each in applied:
        if each.memory_id and each.reason and len(reasons) < _REASONS:
            reasons[each.memory_id] = each.reason
    state = "applied" if done else report.state
    return report.model_copy(
        update={"state": state, "outcomes": dict(sorted(outcomes.items())), "reasons": reasons}
    )


def _pages(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    left = iter(items)
    while page := list(islice(left, size)):
        yield page
