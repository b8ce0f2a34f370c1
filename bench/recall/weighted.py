"""What each boost buys: of two memories that match alike, is the favoured one shown first?

python -m bench.recall.weighted          # --json
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
from rich.console import Console

import memoria
from bench.metrics import mean
from bench.output import rounded, table
from bench.recall.favours import Pair, pairs
from memoria import Memoria
from memoria.language.reading.statement import fingerprint
from memoria.model import Provenance, SourceKind, Trust, new_id, now_millis
from memoria.store.values import NewMemory, NewVersion

SYSTEMS: Mapping[str, Sequence[str]] = {"memoria": (), "without boosts": ("boosts",)}
_NOW = datetime.now(UTC)
_LATELY = _NOW - timedelta(days=3)
_LONG_AGO = _NOW - timedelta(days=300)
_USES = 12
_VOTES = 3
_IMPORTANT = 0.9
_EVERYTHING = ("pinned", "confirmed", "upvoted", "used", "important", "newer")


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the wanted memory stood."""

    first: float
    """1 where it came first."""
    reciprocal: float


async def measure(systems: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], Placed]:
    """Means by factor and system."""
    got: dict[tuple[str, str], list[Placed]] = {}
    asked = tuple(pairs())
    for favoured in (0, 1):
        with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
            async with memoria.open(Path(home), "weighted") as m:
                ids = {each.id: _write_pair(m, each, favoured) for each in asked}
                await m.wait_until_idle()
                for system, without in systems.items():
                    for each in _in_play(asked, favoured):
                        place = await _find_place(m, each, ids[each.id], favoured, without)
                        got.setdefault((each.factor, system), []).append(place)
    return {key: _mean(places) for key, places in got.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Ask everything and print it."""
    options = argparse.ArgumentParser(prog="python -m bench.recall.weighted")
    options.add_argument("--json", action="store_true", help="one JSON document on stdout")
    arguments = options.parse_args(argv)
    means = anyio.run(measure, SYSTEMS)
    if arguments.json:
        found = {" / ".join(key): [each.first, each.reciprocal] for key, each in means.items()}
        print(json.dumps({key: [rounded(value) for value in two] for key, two in found.items()}))
        return 0
    rows = table("The wanted one of two", 2, "wanted is", "system", "R@1", "MRR")
    for key, each in means.items():
        rows.add_row(*key, f"{each.first:.3f}", f"{each.reciprocal:.3f}")
    Console().print(rows)
    return 0


def _in_play(asked: Sequence[Pair], favoured: int) -> list[Pair]:
    """Controls are asked once: which of two answers can't be turned about."""
    return [each for each in asked if each.factor != "answer" or favoured]


async def _find_place(
    m: Memoria, pair: Pair, ids: tuple[str, str], favoured: int, without: Sequence[str]
) -> Placed:
    wanted = ids[0 if pair.factor == "answer" else favoured]
    task = pair.tasks[favoured] if pair.tasks else None
    found = await m.search_memory(pair.question, task=task, without=without)
    ranking = [hit.id for hit in found.hits]
    rank = ranking.index(wanted) + 1 if wanted in ranking else 0
    return Placed(float(rank == 1), 1 / rank if rank else 0.0)


def _write_pair(m: Memoria, pair: Pair, favoured: int) -> tuple[str, str]:
    one, other = (_write_memory(m, pair, place, favoured=place == favoured) for place in (0, 1))
    return one, other


def _write_memory(m: Memoria, pair: Pair, place: int, *, favoured: bool) -> str:
    """Write a memory of the pair with what is in its favour."""
    had = _EVERYTHING if pair.factor == "answer" else (pair.factor,)
    has = had if favoured else ()
    at = _at(pair, lately="newer" in has, favoured=favoured)
    memory = NewMemory(
        id=new_id(),
        type=pair.type,
        importance=_IMPORTANT if "important" in has else 0.5,
        confidence=0.8,
        task=pair.tasks[place] if pair.tasks else None,
    )
    origin = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel="library")
    content = pair.memories[place]
    version = NewVersion(content, fingerprint(content), at, at, origin, None)
    with m._store.write(m.tenant) as tx:  # noqa: SLF001  (no channel sets all of these)
        tx.memories.add(memory, version)
        now = now_millis()
        tx.memories.set_flags(memory.id, now, pinned="pinned" in has, verified="confirmed" in has)
        for _ in range(_VOTES if "upvoted" in has else 0):
            tx.memories.set_flags(memory.id, now, upvotes=1)
        for _ in range(_USES if "used" in has else 0):
            tx.memories.add_use(memory.id, 0.0, now)  # its importance is another factor
    return memory.id


def _at(pair: Pair, *, lately: bool, favoured: bool) -> int:
    if pair.times is not None:
        moment = datetime.fromisoformat(pair.times[0 if favoured else 1]).replace(tzinfo=UTC)
    else:
        moment = _LATELY if lately else _LONG_AGO
    return int(moment.timestamp() * 1000)


def _mean(places: Sequence[Placed]) -> Placed:
    return Placed(mean([each.first for each in places]), mean([each.reciprocal for each in places]))


if __name__ == "__main__":
    sys.exit(main())
