"""A year in minutes: sessions are captured and read as they come, and nights keep the memory small.

Two homes live through the same year, day by day and on the same clock: one has nights, the other
has none. So what a question finds with nights is compared with what it would find without, at the
same moment, nights of the whole year included; a look before and after one night would show the
cost of that one alone.
"""

import shutil
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

import anyio

import memoria
import memoria.app.nightly as nights
from bench.chat_server import serve_script
from bench.night.lived import Lived, Month, Point, Slept, Year, verdict_of
from bench.night.measure import ask_everything, core_of, count_rows
from bench.night.script import Script
from bench.night.world import Session, World, moment
from memoria import Memoria, Settings
from memoria.inference.base import Embedder
from memoria.inference.embedder import BUNDLED, BundledEmbedder
from memoria.lifecycle.steps import BY_NAME
from memoria.model import Vector, from_millis, use_clock

TENANT = "default"
_SETTLE_S = 120
_BETWEEN_TURNS_S = 30
_HOUR = 3.3
"""When a night begins, in hours after midnight."""
_NO_CAP = 10**12
_MONTH = 30.5
_LATER = 10
_NO_BOUND = 10**6


REPEATABLE = tuple(name for name in BY_NAME if name not in ("process_queue", "backfill"))
"""Steps that do the same again with the same ids. Reading conversations is exact too, but what is
learnt has ids of its own: whoever comes first reads them."""


def home_without_nights(folder: Path, world: World, days: int) -> tuple[Path, int]:
    """A home that has lived so long without a night, but for one that archived, and a later moment.

    Args:
        folder: where it goes.
        world: what happens.
        days: how long it has lived.
    """
    year(folder, world, days, days, _NO_BOUND)
    home = folder / "none"
    with use_clock(lambda: moment(days + 1)):
        nights.run_nightly(
            Settings.from_values(home=home, tenant=TENANT, embedder="off"), ["archive_expired"]
        )
    return home, moment(days + _LATER)


@dataclass(slots=True)
class _Clock:
    """What time it is in the year."""

    now: int

    def __call__(self) -> int:
        return self.now


class _Remembering:
    """An embedder that makes each vector once: the same is said in two homes."""

    def __init__(self, inner: Embedder) -> None:
        self.name = inner.name
        self._inner = inner
        self._made: dict[str, Vector] = {}

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of documents, in order."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._made))
        if missing:
            made = self._inner.embed_documents(missing)
            self._made.update(zip(missing, made, strict=True))
        return [self._made[text] for text in texts]


def year(
    folder: Path,
    world: World,
    days: int,
    every: int,
    active: int,
    done: Callable[[], None] = lambda: None,
    embedder: Embedder | None = None,
) -> Year:
    """Live through a year twice, with nights and without.

    Args:
        folder: where the homes go.
        world: what happens.
        days: how long the year is.
        every: days between nights.
        active: how many active memories a night leaves at most.
        done: told after every session.
        embedder: the bundled model, where it is loaded already.
    """
    clock = _Clock(moment(0))
    with serve_script(Script(world).answer) as url, use_clock(clock):
        twin = _Twin(folder, world, url, active, clock, embedder)
        anyio.run(partial(twin.live, days, every, done))
        return verdict_of(twin.sum_up())


class _Twin:
    """Two homes, of which one has nights."""

    def __init__(
        self,
        folder: Path,
        world: World,
        url: str,
        active: int,
        clock: _Clock,
        embedder: Embedder | None,
    ) -> None:
        self._world = world
        self._active = active
        self._clock = clock
        self._embedder = _Remembering(embedder or BundledEmbedder(BUNDLED))
        self._with, self._without = (
            Settings.from_values(
                home=folder / name,
                tenant=TENANT,
                llm_base_url=url,
                llm_model="scripted",
                llm_concurrency=1,
                llm_daily_tokens=_NO_CAP,
                retention={"active": active},
            )
            for name in ("nights", "none")
        )
        for settings in (self._with, self._without):
            shutil.rmtree(settings.home_path, ignore_errors=True)
        self._nights: list[Slept] = []
        self._points: list[Point] = []
        self._months: list[Month] = []

    async def live(self, days: int, every: int, done: Callable[[], None]) -> None:
        """From the first day to the last."""
        async with AsyncExitStack() as stack:
            homes = [
                await stack.enter_async_context(memoria.open(settings=s, embedder=self._embedder))
                for s in (self._with, self._without)
            ]
            waiting = list(self._world.sessions)
            for day in range(days):
                while waiting and waiting[0].at < moment(day + 1):
                    await self._record_session(waiting.pop(0), homes)
                    done()
                last = day == days - 1
                new_month = int((day + 1) / _MONTH) > int(day / _MONTH)
                if (day + 1) % every == 0 or last or new_month:
                    await self._night(day + 1, homes[0])
                    if last or new_month:
                        self._months.append(await self._look(day + 1, homes))

    async def _record_session(self, session: Session, homes: Sequence[Memoria]) -> None:
        for m in homes:
            self._clock.now = session.at + len(session.turns) * _BETWEEN_TURNS_S * 1000
            turns = [
                {"role": role, "content": content, "at": _at(session, i)}
                for i, (role, content) in enumerate(session.turns)
            ]
            await m.record_conversation(turns, "session_end", session_id=session.id)
            await m.wait_until_idle(_SETTLE_S)
            for content, kind in session.stated:
                await m.remember(content, type=kind)
            await m.wait_until_idle(_SETTLE_S)

    async def _night(self, day: int, m: Memoria) -> None:
        self._clock.now = moment(day, _HOUR)
        before = count_rows(self._with.home_path)
        began = perf_counter()
        run = await anyio.to_thread.run_sync(nights.run_nightly, self._with)
        took = perf_counter() - began
        await m.wait_until_idle(_SETTLE_S)
        self._nights.append(Slept(run, took))
        after, without = count_rows(self._with.home_path), count_rows(self._without.home_path)
        self._points.append(Point(day, before, after, without))

    async def _look(self, day: int, homes: Sequence[Memoria]) -> Month:
        self._clock.now = at = moment(day, _HOUR + 1)
        core = core_of(self._with.home_path, self._world, at, self._with.core_file_tokens)
        found, without = [await ask_everything(m, self._world, at) for m in homes]
        return Month(day, core, found, without)

    def sum_up(self) -> Lived:
        """All that was seen."""
        sessions = self._world.sessions
        return Lived(
            sessions=len(sessions),
            turns=sum(len(session.turns) for session in sessions),
            facts=len(self._world.lives),
            active=self._active,
            nights=self._nights,
            points=self._points,
            months=self._months,
        )


def _at(session: Session, index: int) -> str:
    return from_millis(session.at + index * _BETWEEN_TURNS_S * 1000).isoformat()
