"""Taking in what hooks say while a server runs: whenever the spool has changed."""

import anyio
import anyio.lowlevel

from memoria.app import Memoria
from memoria.app.spool import WAITING_BYTES

_EVERY_S = 1.0


async def follow_spool(memory: Memoria) -> None:
    """Take in what hooks say; until cancelled. While nothing comes it costs one look a second."""
    while True:
        while memory.spool.has_changed() and await memory.take_in_spool(WAITING_BYTES):
            await anyio.lowlevel.checkpoint()
        await anyio.sleep(_EVERY_S)
