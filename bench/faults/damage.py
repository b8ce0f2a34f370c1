"""Damaged files: never a crash, never another text than was kept; and doctor names it.

The looking is done by a process of its own, for a crash would end it.
"""

import json
import logging
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio

from bench.faults.examine import Round, examine
from bench.faults.homes import copy_home
from bench.faults.server import ROOT
from bench.faults.verdict import Progress, Verdict, silent

_PAGE = 4096
_HEADER = 100


def damage(
    pattern: Path, folder: Path, rounds: int, *, seed: int = 1, progress: Progress = silent
) -> Verdict:
    """Damage a home so many times.

    Args:
        pattern: a filled home whose writer was killed, with its log.
        folder: where to work.
        rounds: how often.
        seed: of what is damaged, and where.
        progress: told after every round.
    """
    command = [sys.executable, "-m", "bench.faults.damage", str(pattern), str(folder / "home")]
    seen: Counter[str] = Counter()
    broken: list[str] = []
    with subprocess.Popen(  # noqa: S603  (our own module)
        [*command, str(rounds), str(seed)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        lines = iter(()) if process.stdout is None else process.stdout
        for number, line in enumerate(lines, 1):
            found = Round(**json.loads(line))
            seen[found.kind] += 1
            seen["refused something"] += bool(found.refused)
            seen["doctor found an error"] += bool(found.errors)
            broken += [f"{found.kind}, seed {found.seed}: {line}" for line in _broken(found)]
            progress(number, rounds)
    if process.returncode:
        broken.append(f"the process died with {process.returncode} in round {sum(seen.values())}")
    return Verdict("damaged files", dict(sorted(seen.items())), tuple(broken))


def _broken(found: Round) -> Iterator[str]:
    yield from found.unforeseen
    yield from (f"other words than were kept: {text}" for text in found.changed)
    yield from (f"doctor has no cure for {check}" for check in found.without_cure)
    lost = found.refused or (found.missing and not found.kind.startswith("log"))
    if lost and not found.errors:
        yield f"doctor finds nothing, but {[*found.refused, *found.missing][:3]}"


def _flip(file: Path, chance: random.Random) -> None:
    """Turn over a few bits anywhere."""
    content = bytearray(file.read_bytes())
    for _ in range(chance.choice((1, 5, 50))):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    file.write_bytes(content)


def _scramble(file: Path, chance: random.Random) -> None:
    """Random bytes in random pages, often at their heads."""
    content = bytearray(file.read_bytes())
    for _ in range(chance.choice((1, 3, 10))):
        at = chance.randrange(len(content) // _PAGE) * _PAGE
        at += chance.choice((0, chance.randrange(_PAGE)))
        content[at : at + 100] = chance.randbytes(100)
    file.write_bytes(content[: file.stat().st_size])


def _header(file: Path, chance: random.Random) -> None:
    """Random bytes in the first hundred."""
    content = bytearray(file.read_bytes())
    at = chance.randrange(_HEADER)
    content[at : at + 8] = chance.randbytes(8)
    file.write_bytes(content)


def _truncate(file: Path, chance: random.Random) -> None:
    """Cut off anywhere, at a page's end or not."""
    size = chance.randrange(file.stat().st_size)
    if chance.choice((True, False)):
        size -= size % _PAGE
    with file.open("r+b") as opened:
        opened.truncate(size)


def _garbage(file: Path, chance: random.Random) -> None:
    """Something else altogether."""
    file.write_bytes(chance.randbytes(chance.randrange(1, 100_000)))


_KINDS: dict[str, tuple[str, Callable[[Path, random.Random], None]]] = {
    "bits turned over": ("memoria.db", _flip),
    "pages scrambled": ("memoria.db", _scramble),
    "header scrambled": ("memoria.db", _header),
    "truncated": ("memoria.db", _truncate),
    "log truncated": ("memoria.db-wal", _truncate),
    "log with bits turned over": ("memoria.db-wal", _flip),
    "log of garbage": ("memoria.db-wal", _garbage),
    "log's index truncated": ("memoria.db-shm", _truncate),
    "log's index of garbage": ("memoria.db-shm", _garbage),
}


async def _rounds(pattern: Path, home: Path, count: int, seed: int) -> None:
    for number in range(seed, seed + count):
        chance = random.Random(number)  # noqa: S311  (chance, no secret)
        kind = list(_KINDS)[number % len(_KINDS)]
        name, harm = _KINDS[kind]
        copy_home(pattern, home)
        harm(home / name, chance)
        found = await examine(home, kind, number)
        sys.stdout.write(json.dumps(found.as_json()) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    logging.disable()  # a worker that can't reach its backlog says so every time
    _pattern, _home, _count, _seed = sys.argv[1:]
    anyio.run(_rounds, Path(_pattern), Path(_home), int(_count), int(_seed))
