"""A client of the large tenant: searches and writes without a pause until it is told to end."""

import random
import signal
import sys
from itertools import count
from pathlib import Path

import anyio

import memoria
from bench.data import data_folder
from bench.latency.speech import speech, turn_text
from bench.neighbours.run import LARGE, SEARCHES, settings_of

_WRITE_EVERY = 5


async def work(home: Path, url: str) -> int:
    """Call until SIGTERM comes; return the number of calls."""
    said, rng = speech(data_folder()), random.Random()  # noqa: S311  (nothing here is secret)
    ended = anyio.Event()
    async with memoria.open(settings=settings_of(home, LARGE, url)) as m:
        await m.search_memory(rng.choice(said.questions))
        print("ready", flush=True)
        signal.signal(signal.SIGTERM, lambda *_: ended.set())
        for number in count():
            if ended.is_set():
                return number
            if number % _WRITE_EVERY == 0:
                await m.record_conversation([{"role": "user", "content": turn_text(said, rng)}])
            else:
                search = getattr(m, SEARCHES[number % len(SEARCHES)])
                await search(rng.choice(said.questions))
    return 0


if __name__ == "__main__":
    print(anyio.run(work, Path(sys.argv[1]), sys.argv[2]), flush=True)
