"""Random histories: what people and clients do to a home between nights."""

import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import anyio

import memoria
from bench.latency.speech import Speech, turn_text
from bench.night.homes import settings
from memoria import Memoria
from memoria.disk.home_files import DATABASE
from memoria.errors import MemoriaError
from memoria.model import DAY_MS, use_clock
from memoria.model.memory import Revision
from memoria.store.sqlite.driver import connect

_SESSIONS = 5
_REVISIONS: tuple[Revision, ...] = (
    "pin",
    "unpin",
    "archive",
    "restore",
    "confirm",
    "upvote",
    "downvote",
)
_Deed = Callable[[Memoria, "Chance"], Awaitable[object]]


class Chance:
    """What is left to chance: words, and whom they hit."""

    def __init__(self, seed: int, said: Speech, home: Path) -> None:
        self.random = random.Random(seed)  # noqa: S311  (chance, no secret)
        self._said = said
        self._home = home

    def text(self) -> str:
        """A sentence or more."""
        return turn_text(self._said, self.random)

    def memory(self) -> str:
        """Any memory's id; one that does not exist where there is none."""
        return self.random.choice(memory_ids(self._home) or ["nobody"])


def live(home: Path, days: Sequence[int], deeds: int, chance: Chance) -> None:
    """Do so many things a day, on each of the days, which are moments in UTC epoch ms."""
    for day in days:
        with use_clock(partial(int, day)):
            anyio.run(_a_day, home, deeds, chance)


def memory_ids(home: Path) -> list[str]:
    """Of every memory there is, in the order of their numbers."""
    with closing(connect(home / DATABASE, 5000, read_only=True)) as connection:
        return [row["id"] for row in connection.execute("SELECT id FROM memories ORDER BY n")]


def days(first: int, many: int) -> list[int]:
    """Moments a day apart."""
    return [first + i * DAY_MS for i in range(many)]


async def _a_day(home: Path, deeds: int, chance: Chance) -> None:
    async with memoria.open(settings=settings(home)) as m:
        for deed in chance.random.choices(list(_DEEDS), list(_DEEDS.values()), k=deeds):
            try:
                await deed(m, chance)
            except MemoriaError:
                continue  # such as what can't be restored because it holds


async def _record(m: Memoria, chance: Chance) -> object:
    session = f"s{chance.random.randrange(_SESSIONS)}"
    turns = [{"role": role, "content": chance.text()} for role in ("user", "assistant")]
    return await m.record_conversation(turns, session_id=session)


async def _remember(m: Memoria, chance: Chance) -> object:
    return await m.remember(chance.text())


async def _correct(m: Memoria, chance: Chance) -> object:
    return await m.revise_memory(chance.memory(), "correct", chance.text())


async def _revise(m: Memoria, chance: Chance) -> object:
    return await m.revise_memory(chance.memory(), chance.random.choice(_REVISIONS))


async def _forget(m: Memoria, chance: Chance) -> object:
    return await m.forget_memory([chance.memory()])


async def _focus(m: Memoria, chance: Chance) -> object:
    return await m.update_scratchpad(current_focus=chance.text()[:100], session_id="s0")


_DEEDS: dict[_Deed, int] = {
    _record: 4, _remember: 4, _correct: 3, _revise: 5, _forget: 1, _focus: 1,
}  # fmt: skip
