"""How long each page takes in a small memory and in a large one, and how many bytes it has."""

import shutil
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx2

import memoria
from bench.latency.fill import TENANT, fill
from bench.latency.speech import speech
from bench.viewer.home import settings_of
from bench.viewer.served import ServedViewer, serve_viewer
from bench.viewer.tour import PAGES, address_of
from memoria import Settings
from memoria.app.nightly import run_nightly
from memoria.model import COMMAND_LINE

_MS = 1000


@dataclass(frozen=True, slots=True)
class Loaded:
    """A page that was loaded some times; times in milliseconds."""

    name: str
    turns: int
    p50: float
    most: float
    kib: float


def measure_sizes(
    folder: Path, model_url: str, sizes: Sequence[int], loads: int
) -> Iterator[Loaded]:
    """Load every page of homes of some sizes, so many times each after a first that is not counted.

    Args:
        folder: where the homes are laid.
        model_url: where the scripted model is.
        sizes: numbers of turns; there is a memory for every ten.
        loads: number of times.
    """
    for turns in sizes:
        home = folder / f"made-{turns}"
        home.mkdir(parents=True)
        fill(home, turns, speech(None), lambda _: None)
        settings = settings_of(home, model_url, "bundled", TENANT)
        anyio.run(_forget_one, settings)
        run_nightly(settings, ["metrics"])
        with serve_viewer(home, folder / f"served-{turns}", model_url, TENANT) as viewer:
            yield from _load_all(viewer, turns, loads)
        shutil.rmtree(home)


def _load_all(viewer: ServedViewer, turns: int, loads: int) -> Iterator[Loaded]:
    with httpx2.Client(timeout=60) as http:
        http.get(viewer.make_link()).raise_for_status()
        for page in PAGES:
            address, took = address_of(page, viewer), list[float]()
            http.get(address).raise_for_status()
            size = 0
            for _ in range(loads):
                began = time.perf_counter()
                answer = http.get(address)
                took.append((time.perf_counter() - began) * _MS)
                size = len(answer.raise_for_status().content)
            yield Loaded(page.name, turns, statistics.median(took), max(took), size / 1024)


async def _forget_one(settings: Settings) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE, reads_queue=False) as m:
        kept = await m.remember("Nobody needs this sentence for long.")
        await m.forget_memory(ids=[kept.id])
