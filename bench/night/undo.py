"""Undoing nights after random histories: everything stands as before, or as people left it since.

A history is lived, one or two nights are run and the first is undone, some of them broken off on
the way and finished. Then every row, every file and what the text index holds must be as before.
Where people go on living between night and undoing, the home must be sound, what they forgot gone,
and what they pinned pinned.
"""

import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import memoria.app.nightly as nights
from bench.faults.homes import unsound
from bench.faults.verdict import Verdict
from bench.latency.speech import Speech
from bench.night.dump import differences, dump
from bench.night.history import Chance, days, live
from bench.night.homes import add_memories, in_both_languages, settings
from memoria.disk.home_files import DATABASE
from memoria.model import DAY_MS, use_clock
from memoria.model.nightly import NightlyRun, UndoResult
from memoria.store.sqlite.driver import connect

_MEMORIES = 60
_DUE = 0.4
_DAYS, _DEEDS = 3, 8


class _BrokenOff(BaseException):
    """The process is gone, as far as the night can tell."""


def undo(
    folder: Path,
    rounds: int,
    said: Speech,
    at: int,
    *,
    seed: int = 1,
    done: Callable[[], None] = lambda: None,
) -> Verdict:
    """Live, sleep and undo so many times.

    Args:
        folder: where the homes go.
        rounds: how many homes.
        said: what there is to say.
        at: the moment of the first night.
        seed: of everything that is left to chance.
        done: told after every home.
    """
    seen: Counter[str] = Counter()
    broken: list[str] = []
    said = in_both_languages(said)
    for number in range(rounds):
        home = folder / "home"
        shutil.rmtree(home, ignore_errors=True)
        chance = Chance(seed * 1_000_003 + number, said, home)
        add_memories(home, _MEMORIES, _DUE, said, at, seed + number)
        live(home, days(at - _DAYS * DAY_MS, _DAYS), _DEEDS, chance)
        kind = chance.random.choice((_exactly, _as_they_left_it))
        broken += [f"home {number}: {line}" for line in kind(home, at, chance, seen)]
        done()
    return Verdict("undoing nights", {"homes": rounds, **dict(sorted(seen.items()))}, tuple(broken))


def _exactly(home: Path, at: int, chance: Chance, seen: Counter[str]) -> list[str]:
    """Nobody does anything between night and undoing."""
    before = dump(home)
    first = _night(home, at, chance, seen)
    if chance.random.random() < 1 / 2:
        _night(home, at + 2 * DAY_MS, chance, seen)
    seen["nights that changed something"] += dump(home) != before
    undone = _undone(home, first, chance, seen)
    lost = [f"{undone.kept} kept, {undone.forgotten} forgotten"] if _lost(undone) else []
    return lost + differences(before, dump(home)) + unsound(home)


def _as_they_left_it(home: Path, at: int, chance: Chance, seen: Counter[str]) -> list[str]:
    """People go on between night and undoing."""
    first = _night(home, at, chance, seen)
    live(home, days(at + DAY_MS, 1), 3 * _DEEDS, chance)
    pinned, ids = _ids_and_pinned(home)
    undone = _undone(home, first, chance, seen)
    seen["rows left as people changed them"] += undone.kept
    seen["rows that were forgotten"] += undone.forgotten
    pinned_after, ids_after = _ids_and_pinned(home)
    wrong = [f"pins have changed: {pinned ^ pinned_after}"] if pinned != pinned_after else []
    wrong += [f"came back: {ids_after - ids}"] if ids_after - ids else []
    return wrong + unsound(home)


def _night(home: Path, at: int, chance: Chance, seen: Counter[str]) -> NightlyRun:
    """A night; every third is broken off and finished."""
    with use_clock(lambda: at):
        if chance.random.random() < 1 / 3:
            seen["nights broken off"] += 1
            _broken_off(
                lambda stop: nights.run_nightly(settings(home), progress=lambda *_: stop()), chance
            )
        last = nights.list_runs(settings(home), 1)
        if last and last[0].at == at and last[0].state == "finished":
            return last[0]
        return nights.run_nightly(settings(home))


def _undone(home: Path, run: NightlyRun, chance: Chance, seen: Counter[str]) -> UndoResult:
    """An undoing; every third is broken off and finished."""
    if chance.random.random() < 1 / 3:
        seen["undoings broken off"] += 1
        _broken_off(
            lambda stop: nights.undo_nightly(settings(home), run.id, lambda _: stop()), chance
        )
        if nights.list_runs(settings(home), 2)[-1].state == "undone":
            return UndoResult(run_ids=(run.id,), restored=0, kept=0, forgotten=0)
    return nights.undo_nightly(settings(home), run.id, lambda _: None)


def _broken_off(begin: Callable[[Callable[[], None]], object], chance: Chance) -> None:
    """Begin something, and stop it after a few of its transactions."""
    left = iter(range(chance.random.randrange(4)))

    def stop() -> None:
        if next(left, None) is None:
            raise _BrokenOff

    try:
        begin(stop)
    except _BrokenOff:
        return


def _lost(undone: UndoResult) -> bool:
    return bool(undone.kept or undone.forgotten)


def _ids_and_pinned(home: Path) -> tuple[set[str], set[str]]:
    """The ids of pinned memories, and of all."""
    with closing(connect(home / DATABASE, 5000, read_only=True)) as connection:
        rows = connection.execute("SELECT id, pinned FROM memories").fetchall()
    return {row["id"] for row in rows if row["pinned"]}, {row["id"] for row in rows}
