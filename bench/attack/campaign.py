"""All attacks, one after the other, and what came of each."""

import importlib
import pkgutil
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path

import anyio

import bench.attack
from bench.attack.arena import Arena, SkippedError
from bench.attack.attack import ATTACKS, Attack
from bench.faults import Verdict

LIMIT_S = 300.0
"""An attack that goes on for longer has made something hang."""
_THEMES = (
    "forgetting returning guessing trust echoes confidences injection models secrets files restore "
    "databases archives notes folders transcripts tenants clients wiring cost wire processes "
    "disclosure"
).split()


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an attack."""

    attack: Attack
    verdict: Verdict
    seconds: float

    @property
    def state(self) -> str:
        """In a word."""
        if self.verdict.skipped is not None:
            return "skipped"
        return "BROKEN" if self.verdict.broken else "held"


def list_attacks() -> list[Attack]:
    """Every attack there is, theme by theme."""
    present = {module.name for module in pkgutil.iter_modules(bench.attack.__path__)}
    for theme in _THEMES:
        if theme in present:
            importlib.import_module(f"bench.attack.{theme}")
    return list(ATTACKS.values())


async def run_campaign(attacks: Iterable[Attack]) -> AsyncIterator[Result]:
    """Try them one after the other, each in a folder of its own."""
    for attack in attacks:
        began = time.perf_counter()
        verdict = await try_attack(attack)
        yield Result(attack, verdict, time.perf_counter() - began)


async def try_attack(attack: Attack) -> Verdict:
    """Try one attack, and see besides that nothing unforeseen was raised meanwhile."""
    with tempfile.TemporaryDirectory(prefix="memoria-attack-", ignore_cleanup_errors=True) as name:
        arena = Arena(Path(name))
        skipped = None
        try:
            with arena.listen(), anyio.fail_after(LIMIT_S):
                await attack.attempt(arena)
        except TimeoutError:
            arena.check(False, f"it did not end within {LIMIT_S:.0f} s")
        except Exception as error:  # noqa: BLE001  (whatever it is, it is what we look for)
            cause = _innermost(error)
            if isinstance(cause, SkippedError):
                skipped = str(cause)
            else:
                arena.check(False, f"the attack itself was interrupted: {_describe(cause)}")
        for crash in arena.crashes:
            arena.check(False, f"an exception that nobody foresaw: {crash}")
        if not arena.checks and skipped is None:
            arena.check(False, "it looked at nothing")
        figures = {"checks": arena.checks, **arena.notes}
        return Verdict(attack.name, figures, tuple(arena.broken), skipped)


def _innermost(error: BaseException) -> BaseException:
    return _innermost(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _describe(error: BaseException) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(where.filename).name}:{where.lineno}: {error}"
