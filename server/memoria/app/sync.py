"""The library without `async`: the same memory for a program that has no event loop.

One thread runs the loop. A call hands its work over and waits, so any thread may call. The thread
is a daemon, and what was left open is closed as the interpreter exits: a script that forgets to
close neither hangs nor loses anything.
"""

import atexit
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial, wraps
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Concatenate, Generic, ParamSpec, Self, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from memoria.app.compose import open_memoria
from memoria.app.memory import Memoria
from memoria.app.private_times import PrivateSwitch
from memoria.app.provenance import EntityQueries, ProvenanceQueries
from memoria.app.queue import ExtractionQueue
from memoria.config import Settings
from memoria.errors import ClosedError
from memoria.inference.base import Embedder
from memoria.inference.reranker import Reranker
from memoria.model import LIBRARY, Channel

_P = ParamSpec("_P")
_T = TypeVar("_T")
_OriginalT = TypeVar("_OriginalT")
_OriginalT_co = TypeVar("_OriginalT_co", covariant=True)


class _Twin(Generic[_OriginalT_co]):
    """An object whose methods wait for those of an asynchronous one."""

    def __init__(self, original: _OriginalT_co, loop: "_LoopThread") -> None:
        self._original = original
        self._loop = loop


def _wait_for(
    method: Callable[Concatenate[_OriginalT, _P], Awaitable[_T]],
) -> Callable[Concatenate[_Twin[_OriginalT], _P], _T]:
    """Wrap a method so that it returns when it is done. Its signature and its help stay."""

    @wraps(method)
    def call(self: _Twin[_OriginalT], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._loop.wait_for(partial(method, self._original, *args, **kwargs))

    return call


class SyncQueue(_Twin[ExtractionQueue]):
    """Queue of conversations for a chat model, without `await`."""

    status = _wait_for(ExtractionQueue.status)
    list_entries = _wait_for(ExtractionQueue.list_entries)
    is_idle = _wait_for(ExtractionQueue.is_idle)
    fill = _wait_for(ExtractionQueue.fill)
    retry = _wait_for(ExtractionQueue.retry)
    rouse = _wait_for(ExtractionQueue.rouse)
    drop = _wait_for(ExtractionQueue.drop)


class SyncPrivateSwitch(_Twin[PrivateSwitch]):
    """Switches private time on and off in the configured workspace."""

    turn_on = _wait_for(PrivateSwitch.turn_on)
    turn_off = _wait_for(PrivateSwitch.turn_off)
    list_times = _wait_for(PrivateSwitch.list_times)


class SyncProvenance(_Twin[ProvenanceQueries]):
    """Queries for the origins of memories, without `await`."""

    get = _wait_for(ProvenanceQueries.get)
    history = _wait_for(ProvenanceQueries.history)
    list_pending = _wait_for(ProvenanceQueries.list_pending)
    list_actions = _wait_for(ProvenanceQueries.list_actions)


class SyncEntities(_Twin[EntityQueries]):
    """The people, places and things that memories speak of."""

    around = _wait_for(EntityQueries.around)
    join = _wait_for(EntityQueries.join)
    part = _wait_for(EntityQueries.part)
    list_proposals = _wait_for(EntityQueries.list_proposals)


class SyncMemoria(_Twin[Memoria]):
    """One tenant's memory, for a program without an event loop. Get one from `memoria.open_sync`.

    Its methods are those of `Memoria`, take the same arguments and raise the same errors. Any
    thread may call them. After `close`, or the end of its block, they raise `ClosedError`.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the memory. What is done is on disk already; a second call does nothing."""
        self._loop.stop_loop()

    def with_channel(self, channel: Channel) -> "SyncMemoria":
        """Return the same memory seen from another channel: provenance is stamped with it.

        The two are open as one: closing either closes both.
        """
        return SyncMemoria(self._original.with_channel(channel), self._loop)

    @property
    def asynchronous(self) -> Memoria:
        """The same memory for code that runs an event loop of its own, as a framework may do.

        Any loop may wait for it, one for each call as well. The two are open as one.

        Raises:
            ClosedError: the memory is closed.
        """
        self._loop.get_portal()
        return self._original

    @property
    def settings(self) -> Settings:
        """The settings it was opened with."""
        return self._original.settings

    @property
    def tenant(self) -> str:
        """Name of the tenant."""
        return self._original.tenant

    @property
    def queue(self) -> SyncQueue:
        """Conversations that a chat model has still to read."""
        return SyncQueue(self._original.queue, self._loop)

    @property
    def private(self) -> SyncPrivateSwitch:
        """Switches private time on and off in the configured workspace."""
        return SyncPrivateSwitch(self._original.private, self._loop)

    @property
    def provenance(self) -> SyncProvenance:
        """Queries for the origins of memories, and what became of them."""
        return SyncProvenance(self._original.provenance, self._loop)

    @property
    def graph(self) -> SyncEntities:
        """The people, places and things that memories speak of."""
        return SyncEntities(self._original.graph, self._loop)

    record_conversation = _wait_for(Memoria.record_conversation)
    keep_foreign = _wait_for(Memoria.keep_foreign)
    note_import = _wait_for(Memoria.note_import)
    search_memory = _wait_for(Memoria.search_memory)
    search_conversation_traces = _wait_for(Memoria.search_conversation_traces)
    build_context = _wait_for(Memoria.build_context)
    recall_unasked = _wait_for(Memoria.recall_unasked)
    remember = _wait_for(Memoria.remember)
    revise_memory = _wait_for(Memoria.revise_memory)
    update_scratchpad = _wait_for(Memoria.update_scratchpad)
    scratchpads = _wait_for(Memoria.scratchpads)
    list_tasks = _wait_for(Memoria.list_tasks)
    complete = _wait_for(Memoria.complete)

    get_memory = _wait_for(Memoria.get_memory)
    get_record = _wait_for(Memoria.get_record)
    get_session = _wait_for(Memoria.get_session)
    get_turn = _wait_for(Memoria.get_turn)
    find_message = _wait_for(Memoria.find_message)
    list_memories = _wait_for(Memoria.list_memories)
    list_sessions = _wait_for(Memoria.list_sessions)
    list_contradicted = _wait_for(Memoria.list_contradicted)
    list_pending = _wait_for(Memoria.list_pending)
    list_unverified = _wait_for(Memoria.list_unverified)
    wishes = _wait_for(Memoria.wishes)
    set_quote_aside = _wait_for(Memoria.set_quote_aside)
    read_core = _wait_for(Memoria.read_core)
    statistics = _wait_for(Memoria.statistics)
    note_call = _wait_for(Memoria.note_call)

    count_unread = _wait_for(Memoria.count_unread)
    read_unread = _wait_for(Memoria.read_unread)
    hand_in = _wait_for(Memoria.hand_in)

    preview_forget = _wait_for(Memoria.preview_forget)
    forget_memory = _wait_for(Memoria.forget_memory)
    list_changes = _wait_for(Memoria.list_changes)
    find_change = _wait_for(Memoria.find_change)
    undo_change = _wait_for(Memoria.undo_change)
    undo_forget = _wait_for(Memoria.undo_forget)
    get_forget_report = _wait_for(Memoria.get_forget_report)
    list_forget_reports = _wait_for(Memoria.list_forget_reports)

    catch_up = _wait_for(Memoria.catch_up)
    take_in_spool = _wait_for(Memoria.take_in_spool)
    close_past_conversations = _wait_for(Memoria.close_past_conversations)
    wait_until_idle = _wait_for(Memoria.wait_until_idle)
    health = _wait_for(Memoria.health)
    rebuild_indexes = _wait_for(Memoria.rebuild_indexes)


def open_sync(
    home: Path | str | None = None,
    tenant: str | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    channel: Channel = LIBRARY,
    reads_queue: bool = True,
) -> SyncMemoria:
    """Open a home for a program without an event loop, and make it if there is none.

    Use it as a block, or call `close` when you are done. The arguments are those of `memoria.open`.

    Args:
        home: the data folder; `MEMORIA_HOME` or `~/.memoria` by default.
        tenant: whose memory; `MEMORIA_TENANT` or `default` by default.
        settings: all settings at once, instead of the environment's. `home` and `tenant` still
            come first.
        embedder: an embedder of your own, instead of the configured one.
        reranker: a reranker of your own, instead of the configured one.
        channel: what provenance is stamped with.
        reads_queue: whether a configured chat model reads what waits, while it is open. Who closes
            the memory at once would begin requests and abandon them.

    Raises:
        InvalidInputError: a setting is out of bounds.
        StoreError: the home can't be opened.
    """
    opening = open_memoria(
        home,
        tenant,
        settings=settings,
        embedder=embedder,
        reranker=reranker,
        channel=channel,
        reads_queue=reads_queue,
    )
    loop = _LoopThread(opening)
    return SyncMemoria(loop.start_loop(), loop)


class _LoopThread:
    """The thread that runs the event loop for as long as the memory is open."""

    def __init__(self, opening: AbstractAsyncContextManager[Memoria]) -> None:
        self._opening = opening
        self._answer: SimpleQueue[tuple[Memoria, BlockingPortal] | None] = SimpleQueue()
        self._error: BaseException | None = None
        # The threads that it starts are daemons like itself.
        self._thread = Thread(target=self._run, name="memoria", daemon=True)
        self._portal: BlockingPortal | None = None

    def start_loop(self) -> Memoria:
        """Start the thread, and wait until the memory is open.

        Raises:
            MemoriaError: it can't be opened; the thread has ended.
        """
        self._thread.start()
        answer = self._answer.get()
        if answer is None:
            self._wait_for_end()
            raise RuntimeError("The event loop ended before the memory was open.")
        memory, self._portal = answer
        atexit.register(self.stop_loop)
        return memory

    def wait_for(self, work: Callable[[], Awaitable[_T]]) -> _T:
        """Run the work on the loop, and wait for its result.

        Raises:
            ClosedError: the memory is closed.
        """
        return self.get_portal().call(work)

    def get_portal(self) -> BlockingPortal:
        """Return the way into the loop.

        Raises:
            ClosedError: the memory is closed.
        """
        portal = self._portal
        if portal is None:
            raise ClosedError("This memory is closed. Open it again with memoria.open_sync.")
        return portal

    def stop_loop(self) -> None:
        """Close the memory and end the thread, once. Calls that are under way end first."""
        portal, self._portal = self._portal, None
        if portal is not None:
            atexit.unregister(self.stop_loop)
            portal.call(portal.stop)
            self._wait_for_end()

    def _wait_for_end(self) -> None:
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            anyio.run(self._serve)
        except BaseException as error:  # noqa: BLE001  (raised where the memory is opened or closed)
            self._error = error
        finally:
            self._answer.put(None)

    async def _serve(self) -> None:
        async with self._opening as memory, BlockingPortal() as portal:
            self._answer.put((memory, portal))
            await portal.sleep_until_stopped()
