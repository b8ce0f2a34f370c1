"""Intake of a session's spooled entries, once its client is gone.

A process of its own, started by the hook that hears of the end (`surface/hook/handover.py`): a
client kills its servers before that hook or right after it, and the next session's briefing is to
know of this one. Nobody waits for it, so it has a chat model read what was said, where one is
configured. Where a server of another window is there, it ends without having loaded anything.
"""

import os
import time

from memoria.bare.ask import list_addresses, remove_dead_sockets
from memoria.bare.spool import describe_error, list_waiting, note_failure

_OTHERS_FIRST_S = 1.2
"""Head start for servers, which look into the spool once a second."""
_BUILDING_S, _LOOK_S = 30.0, 0.05
_READING_S, _LOOK_AT_QUEUE_S = 600.0, 0.25
"""Longest wait for a model that reads, which may take a minute for an answer, and between looks."""
_BINDING_S = 60.0
_NICENESS = 10
_SLICE_BYTES = 8 << 20


def run(home: str, tenant: str, workspace: str) -> None:
    """Take in the spool, have a model read, bind memories, and keep the next session's briefing.

    Args:
        home: where the spool lies.
        tenant: whose it is.
        workspace: the project that the session was held in, or `none`.
    """
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    time.sleep(_OTHERS_FIRST_S)
    try:
        if list_waiting(home, tenant) or _is_left_unread(home, tenant, workspace):
            _take_in(home, tenant, workspace)
    except Exception as error:  # noqa: BLE001  (it is noted, and nobody else would hear of it)
        reason = f"what a session's hooks said was not taken in at its end: {describe_error(error)}"
        note_failure(home, tenant, "hook", reason)


def _is_left_unread(home: str, tenant: str, workspace: str) -> bool:
    """Check whether a chat model is configured and no server is left to ask the model.

    The session's own server may have taken in the end of it before it was killed.
    """
    remove_dead_sockets(home, tenant)
    if list_addresses(home, tenant):
        return False
    from memoria.config import Settings  # noqa: PLC0415  (only where it may matter)

    return Settings.load_here(home, tenant, workspace).has_chat_model


def _take_in(home: str, tenant: str, workspace: str) -> None:
    import anyio  # noqa: PLC0415  (only where anything waits)

    from memoria.config import Settings  # noqa: PLC0415
    from memoria.surface.mcp.asked import open_on_standby  # noqa: PLC0415

    settings = Settings.load_here(home, tenant, workspace)

    async def take_in_all() -> None:
        async with open_on_standby(settings) as memory:
            while await memory.take_in_spool(_SLICE_BYTES):
                pass
            # The first process on a machine that needs the model builds it, which no session of an
            # agent is to wait for. Nobody waits for this process.
            memory.warm_up()
            with anyio.move_on_after(_BUILDING_S):
                while memory.embedder_state == "loading":
                    await anyio.sleep(_LOOK_S)
            with anyio.move_on_after(_READING_S):
                while not await memory.queue.is_idle():
                    await anyio.sleep(_LOOK_AT_QUEUE_S)
            with anyio.move_on_after(_BINDING_S):
                await memory.bind_files()

    anyio.run(take_in_all)
