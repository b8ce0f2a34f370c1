"""Living through a labelled conversation, with nights, and looking at what is remembered of it.

Everything happens one after the other: a question is asked once all that was written before has its
vectors. So the same prompts come again in the next run, word for word.
"""

import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Literal

import anyio.to_thread

import memoria
from bench.chat_server import serve_requests
from bench.extraction.answers import Answers, Exchange
from bench.extraction.labels import Key, Labelled, SpokenSession
from bench.extraction.price import Clock
from memoria import Memoria, Memory, SearchResult, Settings
from memoria.app.engine import open_store
from memoria.app.nightly import run_nightly
from memoria.app.provenance import EntityQueries, ProvenanceQueries
from memoria.app.reading import build_chat_client, build_worker
from memoria.inference import LazyEmbedder, choose_embedder
from memoria.ingest.extraction import ExtractionWorker
from memoria.lifecycle.steps import BY_NAME
from memoria.model import LIBRARY, QueueEntry, from_millis, to_millis, use_clock
from memoria.model.base import use_ids
from memoria.model.listing import MOST_ON_PAGE
from memoria.model.provenance import EntityRecord, MemoryRecord
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.engine import Store, StoreLedger

Mode = Literal["live", "backlog"]
_PAUSES_S = (20, 60, 120, 200, 300, 600, 900, 1200, 1830)
"""Moments after a turn at which the queue is looked at, for as long as nobody says the next one."""
_TO_THE_END_S = 60
_IDLE_S = 300
_NIGHT = time(3, tzinfo=UTC)
_EVERY_DAY = timedelta(days=30)
"""For so long there is a night each day; then one a week, as nothing new is said."""
_EVERY = 100_000
_LONGEST_ANSWER_S = 3600
_WEEK = 7
_ALL_PROJECTS = "*"
_STEPS = tuple(name for name in BY_NAME if name != "skills")
"""Steps of a night; skills have a measure of their own, `bench.skills`."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory and the turns it rests on."""

    memory: Memory
    turns: frozenset[Key]
    is_contradicted: bool = False
    """Whether another memory is known to contradict it."""


@dataclass(frozen=True, slots=True)
class _Home:
    """An opened home, with a worker that reads when it is told to."""

    m: Memoria
    store: Store
    worker: ExtractionWorker


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its answer at the first level."""

    text: str
    result: SearchResult


@dataclass(slots=True)
class Life:
    """What came of a conversation."""

    labelled: Labelled
    mode: Mode
    exchanges: Sequence[Exchange] = ()
    seen: dict[str, Kept] = field(default_factory=dict)
    """Every memory that there ever was, by id, as it was seen last."""
    kept: dict[str, Kept] = field(default_factory=dict)
    """Those that are on record in the end."""
    entries: Sequence[QueueEntry] = ()
    answers: dict[str, Asked] = field(default_factory=dict)
    """By the words of the question."""
    entities: dict[str, str | None] = field(default_factory=dict)
    """The id of the one entity that goes by a name; None where there is none, or several."""


def live_through(
    labelled: Labelled, mode: Mode, answers: Answers, folder: Path, embedder: str = "bundled"
) -> Life:
    """Play a conversation, have it read and ask everything.

    Args:
        labelled: the conversation.
        mode: `live`, each turn when it was said; or `backlog`, recorded whole and read then.
        answers: whoever answers for the model.
        folder: an empty folder.
        embedder: as in the settings.

    Raises:
        UnansweredError: a question has no answer.
    """
    clock = Clock(to_millis(labelled.in_order[0].turns[0].at))
    life = Life(labelled, mode)
    with serve_requests(answers.answer) as url, use_clock(clock), use_ids(_number_ids(clock)):
        settings = Settings.from_values(
            home=folder / "home",
            embedder=embedder,
            time_zone="UTC",
            llm_base_url=url,
            llm_model="recorded",
            llm_timeout_s=_LONGEST_ANSWER_S,
            llm_attempts=1,
            llm_daily_tokens=10**12,
            nightly_minutes=1440,
        )
        player = _Player(settings, life, clock, answers)
        try:
            anyio.run(player.play)
        finally:
            if answers.other is not None:
                answers.other.stop()
    life.exchanges = answers.asked
    return life


class _Player:
    """Plays one conversation into one home."""

    def __init__(self, settings: Settings, life: Life, clock: Clock, answers: Answers) -> None:
        self._settings = settings
        self._life = life
        self._clock = clock
        self._answers = answers
        self._slept = from_millis(clock.now)
        """Up to when the nights have been."""

    async def play(self) -> None:
        await (self._tell_live() if self._life.mode == "live" else self._tell_as_backlog())
        await self._pass_nights(self._life.labelled.asked_at)
        async with self._open() as home:
            await self._ask(home)

    async def _tell_live(self) -> None:
        for session in self._life.labelled.in_order:
            await self._pass_nights(to_millis(session.turns[0].at))
            async with self._open() as home:
                await self._say_session(home, session)
                await self._look(home)

    async def _say_session(self, home: _Home, session: SpokenSession) -> None:
        turns = session.to_turns()
        starts = [to_millis(turn.at) for turn in session.turns]
        ends = starts[-1] + _TO_THE_END_S * 1000
        for turn, start, until in zip(turns, starts, [*starts[1:], ends], strict=True):
            self._clock.now = start
            await home.m.record_conversation([turn], workspace=session.workspace)
            await self._read(home)
            for pause_s in _PAUSES_S:
                if start + pause_s * 1000 >= until:
                    break
                self._clock.now = start + pause_s * 1000
                await self._read(home)
        self._clock.now = ends
        await home.m.record_conversation([], "session_end", session_id=session.id)
        await self._read(home)
        self._clock.now = ends + _PAUSES_S[-1] * 1000
        await self._read(home)

    async def _tell_as_backlog(self) -> None:
        without = {"llm_base_url": None, "llm_model": None}
        silent = Settings.from_values(**{**self._settings.model_dump(), **without})
        async with memoria.open(settings=silent) as m:
            for session in self._life.labelled.in_order:
                self._clock.now = to_millis(session.turns[-1].at)
                place = session.workspace
                await m.record_conversation(session.to_turns(), "session_end", workspace=place)
            await m.wait_until_idle(_IDLE_S)
        self._slept = from_millis(self._clock.now)
        async with self._open() as home:
            await home.m.queue.fill()
            await self._read(home)
            await self._look(home)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[_Home]:
        """The home, with everything embedded."""
        settings = self._settings
        async with memoria.open(settings=settings, reads_queue=False) as m:
            await m.wait_until_idle(_IDLE_S)
            with closing(open_store(settings)) as store:
                chat = build_chat_client(settings, StoreLedger(store))
                assert chat is not None  # noqa: S101  (the settings name a model)
                related = RelatedMemoryFinder(await _load_embedder(settings))
                worker = build_worker(settings, store, chat, related)
                with worker.run_in_calling_thread():
                    yield _Home(m, store, worker)

    async def _read(self, home: _Home) -> None:
        """Have everything read that is due, one request after the other."""
        await home.m.wait_until_idle(_IDLE_S)
        read_next = partial(home.worker.process_next, self._settings.tenant)
        while await anyio.to_thread.run_sync(read_next, abandon_on_cancel=True):
            self._answers.check()
            await home.m.wait_until_idle(_IDLE_S)

    async def _pass_nights(self, until: int) -> None:
        """Let there be the nights before a moment."""
        for night in _list_nights(self._slept, from_millis(until)):
            self._clock.now = to_millis(night)
            asked = len(self._answers.asked)
            await anyio.to_thread.run_sync(
                run_nightly, self._settings, _STEPS, abandon_on_cancel=True
            )
            self._answers.check()
            if len(self._answers.asked) > asked:
                async with self._open() as home:
                    await self._look(home)
        self._slept = max(self._slept, from_millis(until))
        self._clock.now = until

    async def _look(self, home: _Home) -> None:
        """See what is remembered now."""
        origins = ProvenanceQueries(home.store, self._settings.tenant, _ALL_PROJECTS)
        ids = await _list_ids(home.m)
        with home.store.read(self._settings.tenant) as tx:
            disputed = tx.memories.list_contradictions(ids)
        kept = [await _read_kept(origins, one, is_contradicted=one in disputed) for one in ids]
        self._life.kept = {one.memory.id: one for one in kept}
        self._life.seen.update(self._life.kept)

    async def _ask(self, home: _Home) -> None:
        await self._look(home)
        life, labelled = self._life, self._life.labelled
        life.entries = await home.m.queue.list_entries(limit=_EVERY)
        for text, place in list_questions(labelled):
            result = await home.m.search_memory(text, workspace=place)
            life.answers[text] = Asked(text, result)
        entities = EntityQueries(home.store, self._settings.tenant, _ALL_PROJECTS, LIBRARY)
        for name in {name for alias in labelled.aliases for name in alias.names}:
            life.entities[name] = await _find_entity(entities, name)


def list_questions(labelled: Labelled) -> Iterator[tuple[str, str | None]]:
    """What is asked, each from the project in which its fact was said.

    A change that no question asks about is asked for by the statement of the new fact.
    """
    for asked in labelled.questions:
        yield asked.ask, _place_of(labelled, asked.facts or asked.outdated)
    for change in labelled.changes:
        for fact in (change.old, change.new):
            if labelled.find_question(fact) is None:
                yield question_of(labelled, fact), _place_of(labelled, [fact])


def _place_of(labelled: Labelled, ids: Sequence[str]) -> str | None:
    """The project that a question is about: that of a fact of one project, else of the first."""
    facts = [labelled.fact(one) for one in ids]
    facts.sort(key=lambda fact: fact.scope != "project")
    return labelled.place_of(facts[0]) if facts else None


def question_of(labelled: Labelled, fact: str) -> str:
    """What is asked to see a fact: its question, else its statement."""
    return labelled.find_question(fact) or labelled.fact(fact).statement


def _list_nights(after: datetime, before: datetime) -> Iterator[datetime]:
    """The nights between two moments: each one at first, then one a week, and the last."""
    night = datetime.combine(after.date(), _NIGHT)
    nights = []
    while night < before:
        if night > after:
            nights.append(night)
        night += timedelta(days=1)
    for number, one in enumerate(nights):
        if one - after <= _EVERY_DAY or number % _WEEK == 0 or one is nights[-1]:
            yield one


def _number_ids(clock: Clock) -> Callable[[], str]:
    """Identifiers that grow as those of a server do, and are the same in every run."""
    numbers = count()
    return lambda: str(uuid.UUID(int=clock() << 80 | 0x7 << 76 | 0b10 << 62 | next(numbers)))


async def _load_embedder(settings: Settings) -> LazyEmbedder | None:
    embedder = choose_embedder(settings)
    if embedder is not None:
        await anyio.to_thread.run_sync(lambda: embedder.wait_for_embedder(wait_ms=None))
    return embedder


async def _list_ids(m: Memoria) -> list[str]:
    """The ids of all memories, whatever their state and project."""
    found: list[str] = []
    total, page = 1, 1
    while (page - 1) * MOST_ON_PAGE < total:  # what is told in confidence is counted, not listed
        read = await m.list_memories(
            state="any", workspace=_ALL_PROJECTS, limit=MOST_ON_PAGE, page=page
        )
        found += [one.id for one in read.memories]
        total, page = read.total, page + 1
    return found


async def _read_kept(origins: ProvenanceQueries, memory_id: str, *, is_contradicted: bool) -> Kept:
    record = await origins.get(memory_id)
    assert isinstance(record, MemoryRecord)  # noqa: S101  (the id is a memory's)
    named = [(one.session_id, one.message_id) for one in record.evidence]
    came = (one.provenance for one in record.memory.versions)
    named += [(one.session_id or "", one.message_id) for one in came]
    turns = frozenset((s, n) for s, n in named if s and n)
    return Kept(record.memory, turns, is_contradicted)


async def _find_entity(entities: EntityQueries, name: str) -> str | None:
    found = await entities.around(name)
    return (found.same_as or found.entity).id if isinstance(found, EntityRecord) else None
