"""Taking in what hooks say while a server runs: whenever the spool has changed."""

import anyio
import anyio.lowlevel

from memoria.app import Memoria

_EVERY_S = 1.0
_SLICE_BYTES = 8 * 1024 * 1024
"""So much is taken in before others have their turn."""


async def follow_spool(memory: Memoria) -> None:
    """Take in what hooks say; until cancelled. While nothing comes it costs one look a second."""
    while True:
        while memory.spool.has_changed() and await memory.take_in_spool(_SLICE_BYTES):
            await anyio.lowlevel.checkpoint()
        await anyio.sleep(_EVERY_S)
