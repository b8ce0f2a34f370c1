"""What encryption at rest costs: the same work in an encrypted home and in a plain one.

Each round does the work in both, one right after the other and the first in turn, each in a process
of its own, so that a busy moment of the machine strikes both. Figures are the encrypted home's time
over the plain one's within a round: the median and the worst round.

    python -m bench.encryption
    python -m bench.encryption --rounds 9 --turns 2000
"""

import argparse
import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import memoria
from bench.data import beam_turns, data_folder
from bench.output import report_console, table
from memoria.bare.sealing import VARIABLE
from memoria.model import Turn

_CHAT = "beam1"
_QUESTIONS = 40
_WORK = ("open", "capture", "search", "hook")
_HOOK = Path(memoria.__file__).parent / "surface" / "hook" / "__main__.py"
_SAID = {"sessionId": "s-1", "cwd": "", "hookEventName": "UserPromptSubmit", "prompt": "feed it"}


async def _work(home: Path, turns: Sequence[Turn]) -> dict[str, float]:
    """Seconds of each kind of work."""
    spent = dict.fromkeys(_WORK, 0.0)
    begun = time.perf_counter()
    async with memoria.open(home=home) as memory:
        spent["open"] = time.perf_counter() - begun
        for n, turn in enumerate(turns):
            begun = time.perf_counter()
            await memory.record_conversation([turn], session_id=f"s-{n // 40}")
            spent["capture"] += time.perf_counter() - begun
        await memory.wait_until_idle()
        for turn in turns[:: max(1, len(turns) // _QUESTIONS)]:
            begun = time.perf_counter()
            await memory.search_conversation_traces(turn.content[:80])
            spent["search"] += time.perf_counter() - begun
    return spent


def _run_hooks(home: Path) -> float:
    """Seconds that ten hooks take to end."""
    begun = time.perf_counter()
    for _ in range(10):
        subprocess.run(  # noqa: S603  (our own program)
            [sys.executable, "-I", "-S", str(_HOOK), "vscode", "--home", str(home)],
            input=json.dumps(_SAID).encode(),
            check=True,
            capture_output=True,
        )
    return time.perf_counter() - begun


def _measure(key: str, turns: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="memoria-encryption-") as folder:
        done = subprocess.run(  # noqa: S603  (this very file)
            [sys.executable, "-m", "bench.encryption", "--turns", str(turns), "--home", folder],
            env={**os.environ, VARIABLE: key},
            check=True,
            stdout=subprocess.PIPE,
        )
    spent: dict[str, float] = json.loads(done.stdout)
    return spent


def _report(rounds: Sequence[tuple[Mapping[str, float], Mapping[str, float]]]) -> None:
    shown = table("Encrypted home, times the plain one", 1, "work", "median", "worst", "plain, s")
    for work in _WORK:
        ratios = [encrypted[work] / plain[work] for encrypted, plain in rounds]
        seconds = median(plain[work] for _, plain in rounds)
        shown.add_row(work, f"{median(ratios):.2f}", f"{max(ratios):.2f}", f"{seconds:.2f}")
    report_console().print(shown)


def main() -> None:
    """Do the work in rounds, or in one home."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--turns", type=int, default=800)
    parser.add_argument("--home", type=Path, help="do the work there, and print its seconds")
    options = parser.parse_args()
    data = data_folder()
    if data is None:
        sys.exit("The conversations are not here: set MEMORIA_DATA.")
    if options.home is not None:
        turns = beam_turns(data, _CHAT)[: options.turns]
        spent = asyncio.run(_work(options.home, turns))
        spent["hook"] = _run_hooks(options.home)
        sys.stdout.write(json.dumps(spent))
        return
    key, rounds = secrets.token_hex(32), list[tuple[dict[str, float], dict[str, float]]]()
    for n in range(options.rounds):
        first = _measure(key if n % 2 else "", options.turns)
        second = _measure("" if n % 2 else key, options.turns)
        rounds.append((first, second) if n % 2 else (second, first))
    _report(rounds)


if __name__ == "__main__":
    main()
