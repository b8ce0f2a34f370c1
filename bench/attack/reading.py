"""A conversation that a scripted chat model has read."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio

from bench.attack.arena import Arena
from bench.attack.caller import Caller
from bench.attack.endpoint import Endpoint, Play, serve_model

SAID = "My sister Ann moved to Leeds last week, please keep that in mind."
_BUSY = 200


@asynccontextmanager
async def read_by(
    arena: Arena, play: Play, *said: str, tenant: str = "default", **more: object
) -> AsyncIterator[tuple[Caller, Endpoint]]:
    """Connect a client whose user has said this, as a model has read it."""
    turns = [{"role": "user", "content": text} for text in said or (SAID,)]
    async with read_turns_by(arena, play, turns, tenant=tenant, **more) as (caller, model):
        yield caller, model


@asynccontextmanager
async def read_turns_by(
    arena: Arena,
    play: Play,
    turns: Sequence[Mapping[str, object]],
    *,
    tenant: str = "default",
    **more: object,
) -> AsyncIterator[tuple[Caller, Endpoint]]:
    """Connect a client whose conversation a model has read.

    Args:
        arena: where.
        play: the model.
        turns: what was said, and by whom.
        tenant: whose memory.
        more: settings of the server.
    """
    with serve_model(play) as model:
        options: dict[str, Any] = {
            "llm_base_url": model.url,
            "llm_model": "hostile",
            "extraction_wait_minutes": 0,
            "llm_timeout_s": 3.0,
            "llm_attempts": 1,
            **more,
        }
        async with arena.connect(tenant, **options) as caller:
            await caller.call(
                "record_conversation", turns=turns, session_id="s", event="session_end"
            )
            await wait_for_reading(caller, model)
            yield caller, model


async def wait_for_reading(caller: Caller, model: Endpoint) -> None:
    """Wait until the model has been asked and nothing is being read any more."""
    seen, quiet = "", 0
    for _ in range(_BUSY):
        status = json.loads(await caller.read("memory://status"))
        state = json.dumps(status.get("queue", {})) + str(len(model.requests))
        quiet = quiet + 1 if state == seen and model.requests else 0
        if quiet > 4:  # noqa: PLR2004  (a moment)
            return
        seen = state
        await anyio.sleep(0.03)
