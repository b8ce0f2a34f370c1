"""Writers who say the same again until they are told that it is kept, and what they were told."""

import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio

import memoria
from bench.postgres import TOMBSTONE_KEY, PostgresCluster
from memoria import Memoria, Settings
from memoria.errors import StoreError

DATABASE = "memoria"
TURNS_A_CALL = 3
"""A call with some of its turns on record would be half a call."""
_WRITERS = 3
_REMEMBER_SHARE = 0.3
_AGAIN_S = 0.02
_WITHIN_S = 90.0
_POLL_S = 0.002


def postgres_settings(home: Path, url: str, tenant: str, **more: object) -> Settings:
    """Return settings of a tenant in a database, without vectors."""
    values = {"home": home, "tenant": tenant, "database_url": url, "embedder": "off", **more}
    return Settings.from_values(**values, tombstone_key=TOMBSTONE_KEY)


@dataclass(slots=True)
class InsistentWriter:
    """A client that writes, and what it was told is kept."""

    name: str
    memory: Memoria
    calls: list[str] = field(default_factory=list)
    """Names of the calls that recorded turns and were acknowledged."""
    statements: list[str] = field(default_factory=list)
    """Statements whose memory was acknowledged."""


@dataclass(slots=True)
class Crowd:
    """All writers, and what happened so far."""

    writers: list[InsistentWriter] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    """Errors that writers were answered, by their text."""
    broken: list[str] = field(default_factory=list)
    is_over: bool = False

    @property
    def acknowledged(self) -> int:
        """Number of calls that were acknowledged."""
        return sum(len(one.calls) + len(one.statements) for one in self.writers)

    def list_told(self) -> tuple[list[str], list[str]]:
        """List the calls and the statements that were acknowledged."""
        calls = [call for one in self.writers for call in one.calls]
        statements = [said for one in self.writers for said in one.statements]
        return calls, statements

    async def wait_for_writes(self, more: int) -> None:
        """Wait until so many further calls are acknowledged."""
        wanted = self.acknowledged + more
        with anyio.fail_after(_WITHIN_S):
            while self.acknowledged < wanted:
                await anyio.sleep(_POLL_S)


@asynccontextmanager
async def let_write(home: Path, url: str, seed: int) -> AsyncIterator[Crowd]:
    """Have three writers of two tenants write while the block runs, and finish what they began."""
    crowd = Crowd()
    chance = random.Random(seed)  # noqa: S311  (chance, no secret)
    async with AsyncExitStack() as stack:
        for number in range(_WRITERS):
            chosen = postgres_settings(home, url, f"tenant {number % 2}")
            opened = await stack.enter_async_context(memoria.open(settings=chosen))
            crowd.writers.append(InsistentWriter(f"writer{number}", opened))
        async with anyio.create_task_group() as tasks:
            for writer in crowd.writers:
                tasks.start_soon(_write_on, crowd, writer, chance)
            try:
                yield crowd
            finally:
                crowd.is_over = True


async def _write_on(crowd: Crowd, writer: InsistentWriter, chance: random.Random) -> None:
    number = 0
    while not crowd.is_over:
        number += 1
        name = f"{writer.name}.{number}"
        if chance.random() < _REMEMBER_SHARE:
            said = f"The locker {name} is opened with {chance.randrange(10**6)}."
            await _insist(crowd, writer, statement=said)
            writer.statements.append(said)
        else:
            await _insist(crowd, writer, call=name)
            writer.calls.append(name)


async def _insist(
    crowd: Crowd, writer: InsistentWriter, *, call: str = "", statement: str = ""
) -> None:
    """Make a call again until it is answered."""
    while True:
        try:
            if statement:
                await writer.memory.remember(statement)
            else:
                await writer.memory.record_conversation(turns_of(call), session_id=writer.name)
        except StoreError as error:
            crowd.seen["calls refused, and made again"] += 1
            crowd.refusals[str(error)] += 1
            await anyio.sleep(_AGAIN_S)
        else:
            return


def turns_of(call: str) -> list[dict[str, str]]:
    """Return the turns of a call, each with an id of its own."""
    return [
        {"role": "user", "message_id": f"{call}.{part}", "content": f"{call}.{part}: parcels 杭州"}
        for part in range(TURNS_A_CALL)
    ]


def find_wrong(
    cluster: PostgresCluster, told: tuple[Sequence[str], Sequence[str]], *, is_final: bool
) -> Iterator[str]:
    """Find what was acknowledged and is missing, what is there in part, and what is there twice.

    Args:
        cluster: the server whose rows are looked at.
        told: the calls and the statements that were acknowledged before the look.
        is_final: whether nothing may be there beyond what was acknowledged.
    """
    messages = Counter(_list_column(cluster, "SELECT message_id FROM turns"))
    contents = Counter(_list_column(cluster, "SELECT content FROM memory_versions"))
    calls = Counter(one.rpartition(".")[0] for one in messages)
    wanted, statements = told
    yield from (f"the turns of {one} are lost" for one in wanted if one not in calls)
    yield from (f"{one!r} is lost" for one in statements if one not in contents)
    whole = TURNS_A_CALL
    yield from (f"of {one} {n} turns are there" for one, n in calls.items() if n != whole)
    for text, count in (messages + contents).items():
        if count > 1:
            yield f"{text!r} is there {count} times"
    if is_final:
        yield from (f"{one} was never acknowledged" for one in calls.keys() - {*wanted})
        yield from (f"{one!r} was never acknowledged" for one in contents.keys() - {*statements})


def count_lost(cluster: PostgresCluster, told: tuple[Sequence[str], Sequence[str]]) -> int:
    """Count the acknowledged calls of which nothing is there."""
    return sum("lost" in line for line in find_wrong(cluster, told, is_final=False))


def _list_column(cluster: PostgresCluster, statement: str) -> list[str]:
    return [str(value) for (value,) in cluster.execute(statement, DATABASE)]
