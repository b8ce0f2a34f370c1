"""Homes in which conversations are on record, filled for one run or kept for later ones.

A kept home is named by what went into it: the turns, the schema, the embedder. So one that no
longer fits is never opened, and a new one is filled in its place; only a change of what recording
makes of the same turns, under the same schema, is not seen: delete the folder then. Every run works
on a copy, so that no question changes what a later run, or one at the same time, is answered from.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from hashlib import blake2b
from pathlib import Path

import memoria
from bench.data import Conversation
from memoria import Settings
from memoria.store.sqlite.schema import migrations

_NAME_BYTES = 6


@asynccontextmanager
async def provide_home(
    conversations: Sequence[Conversation], keep: Path | None
) -> AsyncIterator[Path]:
    """A home of one's own with every conversation on record, gone in the end.

    Args:
        conversations: what is recorded, a tenant each.
        keep: where filled homes are kept for later runs; None fills one for this run alone.
    """
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as folder:
        home = Path(folder) / "home"
        if keep is None:
            await record(home, conversations)
        else:
            shutil.copytree(await _find_or_fill(keep, conversations), home)
        yield home


async def record(home: Path, conversations: Sequence[Conversation]) -> None:
    """Record every conversation, a tenant each, and wait until all is embedded.

    All are recorded before the first question, as in a home in use. Each is one call, so that
    documents are embedded in the same batches in every run: the last bit of a vector may depend
    on the company it was computed in.
    """
    for conversation in conversations:
        async with memoria.open(home, conversation.name) as m:
            await m.record_conversation(conversation.turns)
            await m.wait_until_idle()


async def _find_or_fill(keep: Path, conversations: Sequence[Conversation]) -> Path:
    home = keep / f"{conversations[0].name}-{_identify(conversations)}"
    if home.is_dir():
        _say(f"Using {home}, filled by an earlier run.")
        return home
    _say(f"Filling {home}: nothing is kept of these turns under this schema.")
    begun = home.with_name(f"{home.name}.{os.getpid()}")
    try:
        await record(begun, conversations)
        if not home.is_dir():  # another run may have been faster
            begun.rename(home)
    finally:
        shutil.rmtree(begun, ignore_errors=True)
    return home


@cache
def _say(what: str) -> None:
    """Say it once: a run that asks several systems opens the same home for each."""
    sys.stderr.write(f"{what}\n")


def _identify(conversations: Sequence[Conversation]) -> str:
    """What sets a home apart from one that would be filled otherwise."""
    content = blake2b(digest_size=_NAME_BYTES)
    embedder = Settings.read_environment().get("embedder", Settings().embedder)
    content.update(f"{migrations()[-1][0]} {embedder}".encode())
    for conversation in conversations:
        content.update(f"\n{conversation.name}\n".encode())
        for turn in conversation.turns:
            content.update(turn.model_dump_json().encode())
    return content.hexdigest()
