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
from rich.table import Table

import memoria
import memoria.app.night as nights
from bench.faults.verdict import Verdict
from bench.night.measure import Core, Counts, Found, asked, core_of, counted
from bench.night.model import served
from bench.night.script import Script
from bench.night.world import Session, World, moment
from bench.output import table
from memoria import Memoria, Settings
from memoria.inference.base import Embedder
from memoria.inference.bundled import BundledEmbedder
from memoria.inference.choose import BUNDLED
from memoria.lifecycle.runner import MOST_ROWS
from memoria.model import Vector, clock_at, from_millis, iso
from memoria.model.night import Run

TENANT = "default"
_SETTLE_S = 120
_BETWEEN_TURNS_S = 30
_HOUR = 3.3
"""When a night begins, in hours after midnight."""
_NO_CAP = 10**12
_MONTH = 30.5
_A_POINT = 0.01


@dataclass(frozen=True, slots=True)
class Point:
    """What was held around a night."""

    day: int
    before: Counts
    after: Counts
    without: Counts
    """By the home that has no nights."""


@dataclass(frozen=True, slots=True)
class Month:
    """What was seen at the end of a month, after its last night."""

    day: int
    core: Core
    found: Found
    without: Found
    """What the home finds that has no nights."""


@dataclass(frozen=True, slots=True)
class Year(Verdict):
    """The year, night by night and month by month."""

    points: tuple[Point, ...] = ()
    months: tuple[Month, ...] = ()


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
    with served(Script(world).answer) as url, clock_at(clock):
        twin = _Twin(folder, world, url, active, clock, embedder)
        anyio.run(partial(twin.live, days, every, done))
        return twin.verdict()


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
            Settings.checked(
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
        self._nights: list[tuple[Run, float]] = []
        """Each with the seconds it took."""
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
                    await self._said(waiting.pop(0), homes)
                    done()
                last = day == days - 1
                new_month = int((day + 1) / _MONTH) > int(day / _MONTH)
                if (day + 1) % every == 0 or last or new_month:
                    await self._night(day + 1, homes[0])
                    if last or new_month:
                        self._months.append(await self._look(day + 1, homes))

    async def _said(self, session: Session, homes: Sequence[Memoria]) -> None:
        for m in homes:
            self._clock.now = session.at + len(session.turns) * _BETWEEN_TURNS_S * 1000
            turns = [
                {"role": role, "content": content, "at": _at(session, i)}
                for i, (role, content) in enumerate(session.turns)
            ]
            await m.record_conversation(turns, "session_end", session_id=session.id)
            await m.settle(_SETTLE_S)
            for content, kind in session.stated:
                await m.remember(content, type=kind)
            await m.settle(_SETTLE_S)

    async def _night(self, day: int, m: Memoria) -> None:
        self._clock.now = moment(day, _HOUR)
        before = counted(self._with.home_path)
        began = perf_counter()
        run = await anyio.to_thread.run_sync(nights.run, self._with)
        took = perf_counter() - began
        await m.settle(_SETTLE_S)
        self._nights.append((run, took))
        after, without = counted(self._with.home_path), counted(self._without.home_path)
        self._points.append(Point(day, before, after, without))

    async def _look(self, day: int, homes: Sequence[Memoria]) -> Month:
        self._clock.now = at = moment(day, _HOUR + 1)
        core = core_of(self._with.home_path, self._world, at, self._with.core_tokens)
        found, without = [await asked(m, self._world, at) for m in homes]
        return Month(day, core, found, without)

    # What it came to

    def verdict(self) -> Year:
        """The figures of the year, and which bars it missed."""
        figures = {**self._lived(), **_held(self._points), **_found(self._months)}
        figures |= {f"{file}, tokens": n for file, n in self._months[-1].core.tokens.items()}
        broken = [*self._unfinished(), *(line for month in self._months for line in _broken(month))]
        if figures["active, most after a night"] > self._active:
            broken.append(f"more than {self._active} memories were active after a night")
        for when in ("over the year", "at the end"):
            fall = figures[f"recall@10 {when}, no nights"] - figures[f"recall@10 {when}"]
            broken += [f"recall@10 falls by {fall:.3f} {when}"] if fall > _A_POINT else []
        return Year(
            "a year of nights",
            figures,
            tuple(broken),
            None,
            tuple(self._points),
            tuple(self._months),
        )

    def _lived(self) -> dict[str, int | float]:
        took = [seconds for _, seconds in self._nights]
        return {
            "sessions": len(self._world.sessions),
            "turns": sum(len(session.turns) for session in self._world.sessions),
            "facts": len(self._world.lives),
            "nights": len(took),
            "night, mean s": sum(took) / len(took),
            "night, longest s": max(took),
            "most rows": max(run.most_rows for run, _ in self._nights),
            "active may be": self._active,
        }

    def _unfinished(self) -> list[str]:
        most = max(run.most_rows for run, _ in self._nights)
        rows = [f"a transaction changed {most} rows"] if most > MOST_ROWS else []
        runs = [run for run, _ in self._nights if run.state != "finished"]
        return rows + [f"the night of {iso(run.at)} is {run.state}" for run in runs]


def _held(points: Sequence[Point]) -> dict[str, int | float]:
    last = points[-1]
    return {
        "active, most after a night": max(point.after.active for point in points),
        "active at the end": last.after.active,
        "active at the end, no nights": last.without.active,
        "archived at the end": last.after.archived,
        "merged at the end": last.after.superseded,
        "former wordings at the end": last.after.former,
        "evidence at the end": last.after.evidence,
        "evidence at the end, no nights": last.without.evidence,
    }


def _found(months: Sequence[Month]) -> dict[str, int | float]:
    figures: dict[str, int | float] = {}
    for name, seen in (
        ("", [month.found for month in months]),
        (", no nights", [month.without for month in months]),
    ):
        figures |= {
            f"recall@10 over the year{name}": recall(seen),
            f"recall@10 at the end{name}": recall(seen[-1:]),
            f"first place at the end{name}": seen[-1].first / max(1, seen[-1].asked),
            f"outdated first{name}": sum(len(one.outdated) for one in seen),
            f"over and first all the same{name}": sum(len(one.over) for one in seen),
        }
    asked_of = [month.found for month in months]
    return {
        "questions": sum(one.asked for one in asked_of),
        "questions at the end": asked_of[-1].asked,
        "questions on what has changed": sum(one.changed for one in asked_of),
        "questions on what is over": sum(one.ended for one in asked_of),
        **figures,
    }


def _broken(month: Month) -> list[str]:
    lines = [f"outdated comes first: {line}" for line in month.found.outdated]
    return [f"day {month.day}: {line}" for line in (*lines, *month.core.wrong)]


def recall(found: Sequence[Found]) -> float:
    """The share of questions whose answer is among ten."""
    return sum(one.found for one in found) / max(1, sum(one.asked for one in found))


def _at(session: Session, index: int) -> str:
    return from_millis(session.at + index * _BETWEEN_TURNS_S * 1000).isoformat()


def months_table(lived: Year) -> Table:
    """What was seen month by month."""
    words = "day active none archived merged former evidence questions R@10 none first outdated"
    made = table("month by month; none: without nights", 0, *words.split(), "core tokens")
    points = {point.day: point for point in lived.points}
    for month in lived.months:
        held, found = points[month.day], month.found
        made.add_row(
            str(month.day),
            *(str(many) for many in (held.after.active, held.without.active)),
            *(str(many) for many in (held.after.archived, held.after.superseded)),
            str(held.after.former),
            str(held.after.evidence),
            str(found.asked),
            *(f"{recall([one]):.3f}" for one in (found, month.without)),
            f"{found.first / max(1, found.asked):.3f}",
            str(len(found.outdated)),
            " + ".join(map(str, month.core.tokens.values())),
        )
    return made
