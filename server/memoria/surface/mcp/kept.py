"""Laying ready what others need at once: instructions for the next server, a briefing for hooks."""

import anyio
import anyio.to_thread

from memoria.app import Memoria
from memoria.app.briefing import compose_briefing
from memoria.app.core_excerpt import CoreReader
from memoria.app.engine import open_store
from memoria.app.kept import AnswerKeeper, Composer
from memoria.bare.kept import BRIEFING, INSTRUCTIONS
from memoria.config import Settings
from memoria.errors import MemoriaError
from memoria.store.base import Transaction
from memoria.surface.mcp.instructions import compose_instructions, load_text, static_instructions

_LOOK_S = 2.0
"""How often a server looks whether anything has changed: at six files, and no further."""
_AGAIN_S = 0.1
_CLOSING_TRIES = 3


def composers_for(settings: Settings) -> dict[str, Composer]:
    """What writes each answer that is kept, by its name."""

    def write_instructions(tx: Transaction, reader: CoreReader, project: str | None) -> str:
        if not settings.instructions_core:
            return static_instructions()
        return compose_instructions(tx, reader, project)

    return {INSTRUCTIONS: write_instructions, BRIEFING: write_briefing}


def write_briefing(tx: Transaction, reader: CoreReader, project: str | None) -> str:
    """The briefing that a hook puts before a model."""
    return compose_briefing(tx, reader, project, load_text("session_start.md"))


async def keep_answers(memory: Memoria) -> None:
    """Keep what the next session needs at once, and keep it current; until cancelled.

    After a change it waits until nothing has changed for a moment, so that a conversation that is
    being recorded is not answered with a briefing for each turn. Other projects come when all has
    been quiet since the last look.
    """
    keeper = memory.open_keeper(composers_for(memory.settings))
    are_others_kept = False
    while True:
        pause = _LOOK_S
        if keeper.has_changed():
            are_others_kept = False
            if not await anyio.to_thread.run_sync(keeper.keep):
                pause = _AGAIN_S
        elif not are_others_kept:
            are_others_kept = await anyio.to_thread.run_sync(keeper.keep_for_others)
        await anyio.sleep(pause)


async def keep_after_closing(settings: Settings) -> None:
    """Keep the answers once more where closing the store has changed its files.

    Who closes a database last moves its log into it. That is a change like any other.
    """
    for _ in range(_CLOSING_TRIES):
        await anyio.sleep(_AGAIN_S / 2)
        if await anyio.to_thread.run_sync(_keep_closed, settings):
            return


def _keep_closed(settings: Settings) -> bool:
    try:
        store = open_store(settings)
    except MemoriaError:
        return True  # whoever opens it next says why
    try:
        return AnswerKeeper(settings, store, composers_for(settings)).keep()
    finally:
        store.close()
