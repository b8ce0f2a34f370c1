"""A writer: one process that writes to a home as fast as it can for some seconds, and nothing else.

It is run as a script, by its path, and imports nothing of the benchmark: so it can be run with an
older checkout's `memoria`, which is found through PYTHONPATH.
"""

import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import memoria
from memoria import Memoria, Settings
from memoria.errors import MemoriaError

TENANT = "post-office"
COMMON_SESSION = "counter"
_COMMON_EVERY = 10
_AGAIN_EVERY = 4
_REMEMBER_EVERY = 20
_SUBJECTS = (
    "the parcel for Ms Okafor is behind the green door, she will fetch it on Thursday",
    "周三上午有一批挂号信要寄到成都，记得贴好回执",
    "the scale in the back room shows four grams too many since it was moved",
    "王先生说他的包裹还没有收到，请明天再打电话问一下仓库",
)


@dataclass(slots=True)
class Deeds:
    """What a writer did, for the parent. Moments are of the monotonic clock, in seconds."""

    turns: dict[str, str] = field(default_factory=dict)
    """The text of every turn that was acknowledged, by its id."""
    memories: dict[str, str] = field(default_factory=dict)
    took_ms: list[float] = field(default_factory=list)
    """Of every call that wrote something."""
    errors: list[str] = field(default_factory=list)
    began: float = 0.0
    ended: float = 0.0
    cpu_s: float = 0.0
    """What it took of the processor between these moments."""


async def write(number: int, home: Path, seconds: float) -> Deeds:
    """Open the home and write until the time is up."""
    deeds = Deeds()
    settings = Settings.load(home=home, embedder="off")
    async with memoria.open(home, TENANT, settings=settings) as m:
        await _warm_up(m, number, deeds)
        deeds.began, worked = time.monotonic(), time.process_time()
        i = 0
        while time.monotonic() - deeds.began < seconds:
            try:
                await _write_one(m, number, i, deeds)
            except MemoriaError as error:
                deeds.errors.append(f"writer {number}, call {i}: {error}")
            i += 1
        deeds.ended, deeds.cpu_s = time.monotonic(), time.process_time() - worked
    return deeds


async def _warm_up(m: Memoria, number: int, deeds: Deeds) -> None:
    """Have everything loaded that a process loads once; all do so at the same moment."""
    try:
        for i in range(-_REMEMBER_EVERY, 0):
            await _write_one(m, number, i, deeds)
    except MemoriaError as error:
        deeds.errors.append(f"writer {number}, at the start: {error}")
    deeds.took_ms.clear()


async def _write_one(m: Memoria, number: int, i: int, deeds: Deeds) -> None:
    began = time.perf_counter()
    if i % _REMEMBER_EVERY == _REMEMBER_EVERY - 1:
        text = f"The locker w{number}n{i} is opened with {i * 7919 + number}"
        deeds.memories[(await m.remember(text)).id] = text
        deeds.took_ms.append((time.perf_counter() - began) * 1000)
        return
    session = COMMON_SESSION if i % _COMMON_EVERY == 0 else f"writer-{number}"
    text = f"w{number}n{i}: {_SUBJECTS[i % len(_SUBJECTS)]}"
    turn = {
        "role": "assistant",
        "content": text,
        "session_id": session,
        "message_id": f"{number}.{i}",
    }
    receipt = (await m.record_conversation([turn])).turns[0]
    deeds.took_ms.append((time.perf_counter() - began) * 1000)
    deeds.turns[receipt.id or ""] = text
    if i % _AGAIN_EVERY == 0:
        again = (await m.record_conversation([turn])).turns[0]
        if again.status != "already_recorded":
            deeds.errors.append(f"writer {number}, call {i}: repeated, and {again.status}")


def _main() -> None:
    number, home, seconds, account = sys.argv[1:]
    print("ready", flush=True)
    sys.stdin.readline()
    deeds = asyncio.run(write(int(number), Path(home), float(seconds)))
    Path(account).write_text(json.dumps(asdict(deeds)), "utf-8")


if __name__ == "__main__":
    _main()
