"""The library over HTTP without `async`."""

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from memoria.app.loop_thread import LoopThread
from memoria.app.remote.memory import RemoteMemoria, describe_missing, open_remote
from memoria.app.sync import OpenedTwin, wait_for


class SyncRemoteMemoria(OpenedTwin[RemoteMemoria]):
    """One tenant's memory on a server, for a program without an event loop.

    Get one from `memoria.open_sync(url=…, token=…)`. Its methods are those of `RemoteMemoria`.
    """

    @classmethod
    def open(cls, opening: AbstractAsyncContextManager[RemoteMemoria]) -> "SyncRemoteMemoria":
        """Open it; its connections are closed by `close`."""
        loop = LoopThread(opening)
        return cls(loop.start_loop(), loop)

    def __repr__(self) -> str:
        return f"SyncRemoteMemoria({self.url!r})"

    if not TYPE_CHECKING:  # or no type checker would find a misspelt method

        def __getattr__(self, name):  # noqa: ANN001, ANN204  (nobody reads them)
            raise AttributeError(describe_missing(name))

    @property
    def url(self) -> str:
        """Address of the server."""
        return self._original.url

    @property
    def session_id(self) -> str:
        """Session of what is recorded and asked here, where a call names none."""
        return self._original.session_id

    call = wait_for(RemoteMemoria.call)
    record_conversation = wait_for(RemoteMemoria.record_conversation)
    search_memory = wait_for(RemoteMemoria.search_memory)
    search_conversation_traces = wait_for(RemoteMemoria.search_conversation_traces)
    build_context = wait_for(RemoteMemoria.build_context)
    remember = wait_for(RemoteMemoria.remember)
    revise_memory = wait_for(RemoteMemoria.revise_memory)
    update_scratchpad = wait_for(RemoteMemoria.update_scratchpad)
    scratchpads = wait_for(RemoteMemoria.scratchpads)
    get_memory = wait_for(RemoteMemoria.get_memory)
    get_record = wait_for(RemoteMemoria.get_record)
    get_turn = wait_for(RemoteMemoria.get_turn)
    get_attachment = wait_for(RemoteMemoria.get_attachment)
    get_session = wait_for(RemoteMemoria.get_session)
    list_memories = wait_for(RemoteMemoria.list_memories)
    list_sessions = wait_for(RemoteMemoria.list_sessions)
    read_core = wait_for(RemoteMemoria.read_core)
    statistics = wait_for(RemoteMemoria.statistics)
    preview_forget = wait_for(RemoteMemoria.preview_forget)
    forget_memory = wait_for(RemoteMemoria.forget_memory)
    list_forget_reports = wait_for(RemoteMemoria.list_forget_reports)
    get_forget_report = wait_for(RemoteMemoria.get_forget_report)


def open_remote_sync(url: str | None = None, token: str | None = None) -> SyncRemoteMemoria:
    """Reach a memory on a server over HTTP, for a program without an event loop.

    Use it as a block, or call `close` when you are done. The arguments are those of
    `memoria.open_remote`.
    """
    return SyncRemoteMemoria.open(open_remote(url, token))
