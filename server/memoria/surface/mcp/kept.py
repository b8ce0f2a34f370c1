"""Laying ready what others need at once: instructions for the next server, a briefing for hooks."""

import logging
import time
from contextlib import closing

import anyio
import anyio.to_thread

from memoria.app import Memoria
from memoria.app.briefing import compose_briefing
from memoria.app.core_excerpt import CoreReader
from memoria.app.engine import open_store
from memoria.app.kept import AnswerKeeper, Composer
from memoria.app.new_home import describe_new_home
from memoria.app.unread import count_for_agent
from memoria.bare.kept import BRIEFING, INSTRUCTIONS
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.store.rows.transaction import Transaction
from memoria.surface.mcp.instructions import compose_instructions, load_text, static_instructions
from memoria.surface.unread_text import unread_note

_LOOK_S = 2.0
"""Seconds between a server's looks for changes: at six files, and no further."""
_AGAIN_S = 0.1
_QUIET_LOOKS = 5
_AFTER_FAILURE_S = 60.0
_CLOSING_TRIES = 4
_LOG = logging.getLogger(__name__)


def composers_for(settings: Settings) -> dict[str, Composer]:
    """Map each answer that is kept to its writer, by name."""

    def write_instructions(tx: Transaction, reader: CoreReader, project: str | None) -> str:
        if not settings.instructions_core:
            return static_instructions()
        return compose_instructions(tx, reader, project, count_for_agent(settings, tx, project))

    return {INSTRUCTIONS: write_instructions, BRIEFING: briefing_writer(settings)}


def briefing_writer(settings: Settings) -> Composer:
    """Return the writer of the briefing that a hook puts before a model."""

    def write_briefing(tx: Transaction, reader: CoreReader, project: str | None) -> str:
        unread = unread_note(count_for_agent(settings, tx, project))
        guide = load_text("session_start.md") + unread + describe_new_home(tx, settings, project)
        return compose_briefing(tx, reader, project, guide)

    return write_briefing


async def keep_answers(memory: Memoria) -> None:
    """Keep what the next session needs at once, and keep it current; until cancelled.

    After a change it waits until nothing has changed for a moment, so that a conversation that is
    being recorded is not answered with a briefing for each turn. Other projects come when all has
    been quiet for some looks.
    """
    keeper = memory.open_keeper(composers_for(memory.settings))
    quiet_looks, are_others_kept = 0, False
    while True:
        pause = _LOOK_S
        try:
            if keeper.has_changed():
                quiet_looks, are_others_kept = 0, False
                if not await anyio.to_thread.run_sync(keeper.keep):
                    pause = _AGAIN_S
            elif quiet_looks < _QUIET_LOOKS:
                quiet_looks += 1
            elif not are_others_kept:
                are_others_kept = await anyio.to_thread.run_sync(keeper.keep_for_others)
        except Exception:  # noqa: BLE001  (it is logged; the server serves without)
            _LOG.exception("Nothing was laid ready for the next session")
            pause = _AFTER_FAILURE_S
        await anyio.sleep(pause)


def keep_once_closed(settings: Settings) -> None:
    """Keep the answers of a home that this process has done with, and delete what holds no longer.

    Who closes a database last moves its log into it, which is a change to its files like any other.
    """
    try:
        with closing(open_store(settings)) as store:
            keeper = AnswerKeeper(settings, store, composers_for(settings))
            for keep in (keeper.keep, keeper.keep_for_others):
                for _ in range(_CLOSING_TRIES):
                    if keep():
                        break
                    time.sleep(_AGAIN_S / 2)  # until the files have settled
    except (MemoriaError, OSError) as error:
        _LOG.warning("Nothing was laid ready for the next session: %s", error)
