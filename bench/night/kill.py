"""kill -9 of a night: finished by the next, it ends as one that nobody disturbed, row by row.

One copy of a home has its night in peace. Others are killed once or several times, at any moment,
inside a transaction, as they plan or as a step ends, and then finished. All go by the same moment
and make the same ids, so that everything must be equal but the records of when they ran.
"""

import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import memoria.app.nightly as nights
from bench.faults.homes import unsound
from bench.faults.verdict import Verdict
from bench.faults.wal import is_writing
from bench.latency.fill import TENANT
from bench.night.dump import RECORDS, Dump, differences, dump
from bench.night.homes import Way, copy_home, settings, store_of
from bench.night.process import Child, night
from memoria.disk.home_files import DATABASE
from memoria.lifecycle.runner import LEASE, MOST_ROWS
from memoria.model import system_millis
from memoria.model.nightly import NightlyRun
from memoria.store.sqlite.driver import connect

_LEASE_MS = 1000
"""Of a run that is to be killed: whoever finishes it need not wait for long."""
_PATIENT_LEASE_MS = 120_000
"""Of a run that is left in peace: on a busy machine it may pause for long and loses nothing."""
_MOST_KILLS = 3
_MOST_HOMES_A_KILL = 3
"""Kills may come before the night has begun or after it was done, but not as often as that."""
_WAIT_S = 5.0
_BEGUN = "SELECT 1 FROM nightly_runs WHERE state = 'running'"
_PLANNING = """
    SELECT 1 FROM nightly_plan p JOIN nightly_steps s ON s.run_n = p.run_n AND s.ordinal = p.step
    WHERE s.state = 'waiting'
"""


@dataclass(slots=True)
class _Trial:
    """All kills so far, and the night that was left in peace."""

    at: int
    way: Way
    chance: random.Random
    expected: Dump
    took_s: float
    """How long it took."""
    seen: Counter[str] = field(default_factory=Counter)
    most_rows: int = 0


def kill(
    pattern: Path,
    folder: Path,
    kills: int,
    at: int,
    *,
    seed: int = 1,
    way: Way = Way(),  # noqa: B008  (a value)
    done: Callable[[], None] = lambda: None,
) -> Verdict:
    """Kill nights of a home so many times.

    Args:
        pattern: a filled home; it is copied and left as it is.
        folder: where the copies go.
        kills: how many are to meet a night that has begun and is not done.
        at: the moment the nights go by.
        seed: of when they die.
        way: how the nights are run.
        done: told after every one of them.
    """
    trial = _in_peace(copy_home(pattern, folder / "peace"), at, seed, way)
    broken: list[str] = []
    homes = 0
    while trial.seen["kills"] < kills and homes < _MOST_HOMES_A_KILL * kills:
        home = copy_home(pattern, folder / "killed")
        for _ in range(trial.chance.randint(1, _MOST_KILLS)):
            before = trial.seen["kills"]
            left = _kill(trial, home)
            if trial.seen["kills"] > before:
                done()
            if not left:
                break
        broken += [f"home {homes}: {line}" for line in _finish_run(trial, home)]
        homes += 1
    shutil.rmtree(folder / "killed", ignore_errors=True)
    if trial.most_rows > MOST_ROWS:
        broken.append(f"a transaction changed {trial.most_rows} rows")
    figures = {"homes": homes, "most rows": trial.most_rows, **dict(sorted(trial.seen.items()))}
    return Verdict("kill -9 of a night", figures, tuple(broken))


def _in_peace(home: Path, at: int, seed: int, way: Way) -> _Trial:
    """A night that nobody disturbs: what it comes to, and how long it takes."""
    with night(home, at, _PATIENT_LEASE_MS, way) as child:
        child.wait_until_ready()
        began = time.perf_counter()
        child.end()
        took = time.perf_counter() - began
    chance = random.Random(seed)  # noqa: S311  (chance, no secret)
    run = _last_run(home, way)
    rows = 0 if run is None else run.most_rows
    return _Trial(at, way, chance, dump(home, *RECORDS), took, most_rows=rows)


def _kill(trial: _Trial, home: Path) -> bool:
    """Start a night and kill it. Whether there is something left to finish."""
    late = trial.chance.uniform(0, trial.took_s)
    aims: tuple[Callable[[Child], None], ...] = (
        lambda _: time.sleep(late),
        lambda _: _until_it_writes(home, late),
        lambda child: _until_seen(home, child, _BEGUN),
        lambda child: _until_seen(home, child, _PLANNING),
        lambda child: _until_a_step_ends(child, trial.chance),
    )
    with night(home, trial.at, _LEASE_MS, trial.way) as child:
        child.wait_until_ready()
        trial.chance.choice(aims)(child)
        writing = is_writing(home / f"{DATABASE}-shm")
        child.process.kill()
        child.end()
    trial.seen[_where_killed(trial, home)] += 1
    run = _last_run(home, trial.way)
    if run is None or run.state != "running":
        return run is None
    trial.seen["kills"] += 1
    trial.seen["inside a write"] += writing
    return True


def _until_it_writes(home: Path, late: float) -> None:
    time.sleep(late)
    until = time.perf_counter() + _WAIT_S / 10
    while not is_writing(home / f"{DATABASE}-shm") and time.perf_counter() < until:
        pass


def _until_seen(home: Path, child: Child, what: str) -> None:
    """Until a query finds something, or the process has ended."""
    until = time.perf_counter() + _WAIT_S
    with closing(connect(home / DATABASE, 5000, read_only=True)) as connection:
        while connection.execute(what).fetchone() is None:
            if child.process.poll() is not None or time.perf_counter() > until:
                return


def _until_a_step_ends(child: Child, chance: random.Random) -> None:
    """Until one of the steps has done its last item; any of them."""
    for _, done, of in child.lines():
        if done == of and chance.random() < 1 / 2:
            return


def _where_killed(trial: _Trial, home: Path) -> str:
    """Where a kill met the night."""
    run = _last_run(home, trial.way)
    if run is None:
        return "before it began"
    if run.state != "running":
        return "after it was done"
    left = next((step for step in run.steps if step.state != "applied"), None)
    if left is None:
        return "after the last step"
    if left.state == "planned":
        return "while applying"
    with closing(connect(home / DATABASE, 5000, read_only=True)) as connection:
        planned = connection.execute("SELECT count(*) FROM nightly_plan").fetchone()[0]
    return "while planning" if planned else "between steps"


def _finish_run(trial: _Trial, home: Path) -> list[str]:
    """Let the night be finished; gives what is otherwise than after the one left in peace."""
    run = _last_run(home, trial.way)
    if run is None or run.state == "running":
        trial.seen["leases taken over"] += _is_leased(home)
        with night(home, trial.at, _PATIENT_LEASE_MS, trial.way) as child:
            try:
                child.end()
            except RuntimeError as error:
                return [f"it could not be finished: {error}"]
    run = _last_run(home, trial.way)
    if run is None or run.state != "finished":
        return [f"its run is {run and run.state}"]
    trial.most_rows = max(trial.most_rows, run.most_rows)
    return differences(trial.expected, dump(home, *RECORDS)) + unsound(home)


def _is_leased(home: Path) -> bool:
    """Whether a dead night's lease is still in the way."""
    with closing(store_of(home)) as store, store.read(TENANT) as tx:
        return tx.leases.owner(LEASE, system_millis()) is not None


def _last_run(home: Path, way: Way) -> NightlyRun | None:
    return next(iter(nights.list_runs(settings(home, way), 1)), None)
