"""The library without `async`: the same memory for a program that has no event loop.

One thread runs the loop (`app/loop_thread.py`). A call hands its work over and waits, so any thread
may call.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial, wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from memoria.app.compose import open_memoria
from memoria.app.loop_thread import LoopThread
from memoria.app.memory import Memoria
from memoria.app.private_times import PrivateSwitch
from memoria.app.provenance import EntityQueries, ProvenanceQueries
from memoria.app.queue import ExtractionQueue
from memoria.app.timeline import TimelineQueries
from memoria.config import Settings
from memoria.inference.base import Embedder
from memoria.inference.chat.base import ChatModel
from memoria.inference.reranker import Reranker
from memoria.model import LIBRARY, Channel
from memoria.policy.questions import Policy

if TYPE_CHECKING:
    from memoria.app.remote.sync import SyncRemoteMemoria

_P = ParamSpec("_P")
_T = TypeVar("_T")
_OriginalT = TypeVar("_OriginalT")
_OriginalT_co = TypeVar("_OriginalT_co", covariant=True)


class Twin(Generic[_OriginalT_co]):
    """An object whose methods wait for those of an asynchronous one."""

    def __init__(self, original: _OriginalT_co, loop: LoopThread[Any]) -> None:
        self._original = original
        self._loop = loop


def wait_for(
    method: Callable[Concatenate[_OriginalT, _P], Awaitable[_T]],
) -> Callable[Concatenate[Twin[_OriginalT], _P], _T]:
    """Wrap a method so that it returns when it is done. Its signature and its help stay."""

    @wraps(method)
    def call(self: Twin[_OriginalT], /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._loop.wait_for(partial(method, self._original, *args, **kwargs))

    return call


class SyncQueue(Twin[ExtractionQueue]):
    """Queue of conversations for a chat model, without `await`."""

    status = wait_for(ExtractionQueue.status)
    list_entries = wait_for(ExtractionQueue.list_entries)
    list_spending = wait_for(ExtractionQueue.list_spending)
    is_idle = wait_for(ExtractionQueue.is_idle)
    fill = wait_for(ExtractionQueue.fill)
    retry = wait_for(ExtractionQueue.retry)
    rouse = wait_for(ExtractionQueue.rouse)
    drop = wait_for(ExtractionQueue.drop)


class SyncPrivateSwitch(Twin[PrivateSwitch]):
    """Switches private time on and off in the configured workspace."""

    turn_on = wait_for(PrivateSwitch.turn_on)
    turn_off = wait_for(PrivateSwitch.turn_off)
    list_times = wait_for(PrivateSwitch.list_times)


class SyncProvenance(Twin[ProvenanceQueries]):
    """Queries for the origins of memories, without `await`."""

    get = wait_for(ProvenanceQueries.get)
    history = wait_for(ProvenanceQueries.history)
    list_pending = wait_for(ProvenanceQueries.list_pending)
    page_pending = wait_for(ProvenanceQueries.page_pending)
    page_contradicted = wait_for(ProvenanceQueries.page_contradicted)
    list_quotes = wait_for(ProvenanceQueries.list_quotes)
    list_actions = wait_for(ProvenanceQueries.list_actions)


class SyncTimeline(Twin[TimelineQueries]):
    """Days and sessions as they are looked back on, without `await`."""

    list_days = wait_for(TimelineQueries.list_days)
    list_happenings = wait_for(TimelineQueries.list_happenings)
    trace_session = wait_for(TimelineQueries.trace_session)


class SyncEntities(Twin[EntityQueries]):
    """The people, places and things that memories speak of."""

    around = wait_for(EntityQueries.around)
    join = wait_for(EntityQueries.join)
    part = wait_for(EntityQueries.part)
    list_proposals = wait_for(EntityQueries.list_proposals)
    list_names = wait_for(EntityQueries.list_names)
    find_kin = wait_for(EntityQueries.find_kin)
    read_neighbourhood = wait_for(EntityQueries.read_neighbourhood)


class OpenedTwin(Twin[_OriginalT_co]):
    """A memory that is closed at the end of a block, or by `close`."""

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


class SyncMemoria(OpenedTwin[Memoria]):
    """One tenant's memory, for a program without an event loop. Get one from `memoria.open_sync`.

    Its methods are those of `Memoria`, take the same arguments and raise the same errors. Any
    thread may call them. After `close`, or the end of its block, they raise `ClosedError`.
    """

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
    def timeline(self) -> SyncTimeline:
        """Days with their sessions, and sessions with what came of each turn."""
        return SyncTimeline(self._original.timeline, self._loop)

    @property
    def graph(self) -> SyncEntities:
        """The people, places and things that memories speak of."""
        return SyncEntities(self._original.graph, self._loop)

    record_conversation = wait_for(Memoria.record_conversation)
    keep_foreign = wait_for(Memoria.keep_foreign)
    note_import = wait_for(Memoria.note_import)
    search_memory = wait_for(Memoria.search_memory)
    search_conversation_traces = wait_for(Memoria.search_conversation_traces)
    build_context = wait_for(Memoria.build_context)
    recall_unasked = wait_for(Memoria.recall_unasked)
    remember = wait_for(Memoria.remember)
    revise_memory = wait_for(Memoria.revise_memory)
    update_scratchpad = wait_for(Memoria.update_scratchpad)
    scratchpads = wait_for(Memoria.scratchpads)
    list_tasks = wait_for(Memoria.list_tasks)
    complete = wait_for(Memoria.complete)

    get_memory = wait_for(Memoria.get_memory)
    get_record = wait_for(Memoria.get_record)
    get_session = wait_for(Memoria.get_session)
    get_turn = wait_for(Memoria.get_turn)
    get_attachment = wait_for(Memoria.get_attachment)
    find_message = wait_for(Memoria.find_message)
    list_memories = wait_for(Memoria.list_memories)
    walk_memories = wait_for(Memoria.walk_memories)
    list_sessions = wait_for(Memoria.list_sessions)
    list_contradicted = wait_for(Memoria.list_contradicted)
    list_moved = wait_for(Memoria.list_moved)
    list_pending = wait_for(Memoria.list_pending)
    list_unverified = wait_for(Memoria.list_unverified)
    wishes = wait_for(Memoria.wishes)
    set_contradiction = wait_for(Memoria.set_contradiction)
    set_quote_aside = wait_for(Memoria.set_quote_aside)
    tell_quote_again = wait_for(Memoria.tell_quote_again)
    read_core = wait_for(Memoria.read_core)
    look_at_core = wait_for(Memoria.look_at_core)
    statistics = wait_for(Memoria.statistics)
    note_call = wait_for(Memoria.note_call)
    note_action = wait_for(Memoria.note_action)

    count_unread = wait_for(Memoria.count_unread)
    read_unread = wait_for(Memoria.read_unread)
    hand_in = wait_for(Memoria.hand_in)

    preview_forget = wait_for(Memoria.preview_forget)
    forget_memory = wait_for(Memoria.forget_memory)
    list_changes = wait_for(Memoria.list_changes)
    list_latest_changes = wait_for(Memoria.list_latest_changes)
    find_change = wait_for(Memoria.find_change)
    undo_change = wait_for(Memoria.undo_change)
    undo_forget = wait_for(Memoria.undo_forget)
    get_forget_report = wait_for(Memoria.get_forget_report)
    list_forget_reports = wait_for(Memoria.list_forget_reports)

    catch_up = wait_for(Memoria.catch_up)
    take_in_spool = wait_for(Memoria.take_in_spool)
    bind_files = wait_for(Memoria.bind_files)
    close_past_conversations = wait_for(Memoria.close_past_conversations)
    wait_until_idle = wait_for(Memoria.wait_until_idle)
    health = wait_for(Memoria.health)
    quick_health = wait_for(Memoria.quick_health)
    is_alone = wait_for(Memoria.is_alone)
    run_nightly = wait_for(Memoria.run_nightly)
    rebuild_indexes = wait_for(Memoria.rebuild_indexes)


@overload
def open_sync(
    home: Path | str | None = None,
    tenant: str | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    chat: ChatModel | None = None,
    policy: Policy | None = None,
    channel: Channel = LIBRARY,
    reads_queue: bool = True,
) -> SyncMemoria: ...


@overload
def open_sync(*, url: str, token: str | None = None) -> "SyncRemoteMemoria": ...


def open_sync(
    home: Path | str | None = None,
    tenant: str | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    chat: ChatModel | None = None,
    policy: Policy | None = None,
    channel: Channel = LIBRARY,
    reads_queue: bool = True,
    url: str | None = None,
    token: str | None = None,
) -> "SyncMemoria | SyncRemoteMemoria":
    """Open a home for a program without an event loop, and make it if there is none.

    Use it as a block, or call `close` when you are done. The arguments are those of `memoria.open`.

    Args:
        home: the data folder; `MEMORIA_HOME` or `~/.memoria` by default.
        tenant: whose memory; `MEMORIA_TENANT` or `default` by default.
        settings: all settings at once, instead of the environment's. `home` and `tenant` still
            come first.
        embedder: an embedder of your own, instead of the configured one.
        reranker: a reranker of your own, instead of the configured one.
        chat: a chat model of your own, instead of the configured one. It stays open.
        policy: your own answers to what is kept, replaced and archived.
        channel: what provenance is stamped with.
        reads_queue: whether a configured chat model reads what waits, while it is open. Who closes
            the memory at once would begin requests and abandon them.
        url: where a server is, such as `https://memory.example.com`; goes with `token` alone.
        token: what `memoria token create` has printed; `MEMORIA_TOKEN` by default.

    Raises:
        InvalidInputError: a setting is out of bounds, or arguments don't go together.
        StoreError: the home can't be opened.
    """
    open_any: Callable[..., AbstractAsyncContextManager[Any]] = open_memoria
    opening = open_any(
        home,
        tenant,
        settings=settings,
        embedder=embedder,
        reranker=reranker,
        chat=chat,
        policy=policy,
        channel=channel,
        reads_queue=reads_queue,
        url=url,
        token=token,
    )
    if url is not None:
        from memoria.app.remote.sync import SyncRemoteMemoria  # noqa: PLC0415  (it brings an HTTP client)

        return SyncRemoteMemoria.open(opening)
    loop = LoopThread[Memoria](opening)
    return SyncMemoria(loop.start_loop(), loop)
