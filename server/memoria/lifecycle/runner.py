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
"""Pause after a transaction, as a multiple of its duration."""
_SHORTEST_REST_S = 0.005
LEASE = "nightly"
LEASE_MS = 30_000
_POLL_S = 0.25
_LOG = logging.getLogger(__name__)
MOST_ROWS = 500
"""Most rows that a transaction may touch, so that other writers do not wait for long."""
_PAGE = 100
_REASONS = 50
_TARGET_ROWS = MOST_ROWS // 3
"""Number of rows that a transaction plans to touch: the text index may add some of its own."""
_Numbered = tuple[int, str]
"""Number and JSON of an item in a stored plan."""
Steps = Mapping[str, AnyStep]
Progress = Callable[[str, int, int], None]
"""Called with (step, items done, of how many)."""


def rest(worked_s: float) -> None:
    """Pause, so that other processes can write.

    Args:
        worked_s: how long the transaction kept them from writing.
    """
    time.sleep(max(_SHORTEST_REST_S, _REST * worked_s))


@contextmanager
def hold_lease(store: Store, tenant: str, owner: str, lease_ms: int = LEASE_MS) -> Iterator[None]:
    """Hold the tenant's lease while the block runs.

    Waits as long as one lease lasts: after that the lease of a dead owner has expired.

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


def run_steps(
    context: StepContext, store: JournalingStore, steps: Steps, progress: Progress
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
        step, place = steps[report.name], _StepPlace(context, store, ordinal, progress)
        reports[ordinal] = (
            _run_piecewise(place, step, report)
            if isinstance(step, PiecewiseStep)
            else _PlannedRun(place, step).run(report)
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
        """Store how far the step has come."""
        with self.store.write(self.context.tenant) as tx:
            tx.nightly_runs.set_step(self.context.run, self.ordinal, report)
        return report


def _run_piecewise(place: _StepPlace, step: PiecewiseStep, report: StepReport) -> StepReport:
    """Do a step piece by piece; the rest waits for the next run.

    It takes at most half of the time that is left, so that the steps that keep the memory small
    have time as well.
    """
    context = place.context
    time_left = context.time_left()
    spared = time_left / 2 if isfinite(time_left) else 0
    if report.state == "waiting" and context.time_left() > 0:
        report = place.note(
            report.model_copy(update={"state": "planned", "planned": step.count_work(context)})
        )
    while report.state == "planned" and context.time_left() > spared:
        done = step.do_piece(context)
        report = _add_results(report, done, done=not done)
        place.note(report)
        place.progress(step.name, sum(report.outcomes.values()), report.planned)
        rest(0)
    return place.note(report.model_copy(update={"reduced": step.describe_limits(context)}))


@dataclass(frozen=True, slots=True)
class _PlannedRun:
    """Does a step with a plan; items for which there is no time wait for the next run."""

    place: _StepPlace
    step: PlannedStep[Any]

    def run(self, report: StepReport) -> StepReport:
        if report.state == "waiting" and self.place.context.time_left() > 0:
            report = self._plan(report)
        while report.state == "planned" and self.place.context.time_left() > 0:
            began = time.perf_counter()
            report = self._apply_some(report)
            self.place.progress(self.step.name, sum(report.outcomes.values()), report.planned)
            rest(time.perf_counter() - began)
        return report

    def _plan(self, report: StepReport) -> StepReport:
        """Store the plan in place of a half-written one."""
        context = self.place.context
        _clear_plan(context, self.place.store, self.place.ordinal)
        planned = 0
        for page in _pages(self.step.plan(context), _PAGE):
            with self.place.store.write(context.tenant) as tx:
                tx.nightly_runs.add_plan(
                    context.run, self.place.ordinal, [item.model_dump_json() for item in page]
                )
            planned += len(page)
        reduced = self.step.describe_limits(context)
        return self.place.note(
            report.model_copy(update={"state": "planned", "planned": planned, "reduced": reduced})
        )

    def _apply_some(self, report: StepReport) -> StepReport:
        """Apply several items in one transaction; if one fails, apply each alone."""
        items = self._todo(max(1, _TARGET_ROWS // self.step.rows))
        try:
            return self._apply_all(report, items)
        except StoreError:
            raise  # nothing else could be done either
        except Exception:  # noqa: BLE001  (it is looked at below)
            for item in items:
                report = self._apply_one(report, item)
            return report

    def _apply_one(self, report: StepReport, item: _Numbered) -> StepReport:
        """Apply an item, or report its failure: one bad item must not stop a run."""
        try:
            return self._apply_all(report, [item])
        except StoreError:
            raise
        except UnusableFileError as error:
            why = f"{error} Mend that, and the next run writes it."
        except Exception as error:  # noqa: BLE001  (whatever it is, it is logged and reported)
            _LOG.exception("An item of the step %s failed and is left out.", self.step.name)
            why = f"it failed: {type(error).__name__}"
        key = self.step.item.model_validate_json(item[1]).key
        failed = ItemResult(StepOutcome.FAILED, key, why)
        with self.place.store.write(self.place.context.tenant) as tx:
            return self._strike(tx, report, [item], [failed])

    def _apply_all(self, report: StepReport, items: Sequence[_Numbered]) -> StepReport:
        context = self.place.context
        journal = self.place.store.journaling(context.run, self.place.ordinal)
        with journal, self.place.store.write(context.tenant) as tx:
            applied = [self._apply(tx, self.step.item.model_validate_json(i)) for _, i in items]
            return self._strike(tx, report, items, applied)

    def _strike(
        self,
        tx: Transaction,
        report: StepReport,
        items: Sequence[_Numbered],
        applied: Sequence[ItemResult],
    ) -> StepReport:
        """Remove done items from the plan, in the transaction that did them."""
        run = self.place.context.run
        tx.nightly_runs.remove_items(run, self.place.ordinal, [number for number, _ in items])
        report = _add_results(report, applied, done=not items)
        tx.nightly_runs.set_step(run, self.place.ordinal, report)
        tx.nightly_runs.note_rows(run, self.place.store.most_rows)
        return report

    def _apply(self, tx: Transaction, item: Item) -> ItemResult:
        context = self.place.context
        with use_clock(lambda: context.at), derive_ids(
            context.at, context.run.id, self.step.name, item.key
        ):  # fmt: skip
            return self.step.apply(tx, item, context)

    def _todo(self, most: int) -> list[_Numbered]:
        with self.place.context.store.read(self.place.context.tenant) as tx:
            return tx.nightly_runs.next_items(self.place.context.run, self.place.ordinal, most)


def clear_leftover_plans(store: JournalingStore, tenant: str) -> None:
    """Delete the plans of runs that nobody will finish: they may quote a chat model."""
    left = 1
    while left:
        with store.write(tenant) as tx:
            left = tx.nightly_runs.drop_leftovers()


def _clear_plan(context: StepContext, store: JournalingStore, ordinal: int) -> None:
    """Delete a plan, a part per transaction."""
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
