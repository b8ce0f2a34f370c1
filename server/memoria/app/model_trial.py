"""Trying a chat model: it reads a short conversation of ours, in a home that is thrown away."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio

from memoria.app.compose import open_memoria
from memoria.app.engine import choose_engine, open_store
from memoria.app.memory import Memoria
from memoria.config import Settings
from memoria.language.budget import estimate_tokens
from memoria.model import (
    DAY_MS,
    LIBRARY,
    InferredBy,
    MemoryType,
    QueueEntry,
    QueueState,
    Role,
    TokenSpending,
    Turn,
    now_millis,
    start_of_utc_day,
)
from memoria.model.status import USUAL_PRICE
from memoria.store.rows.transaction import Transaction

_TALK = (
    (Role.USER, "I've moved from Bergen to Trondheim, to a flat near the river."),
    (Role.ASSISTANT, "How nice. Shall I look for a gym near the river as well?"),
    (Role.USER, "No need, I swim. From now on please answer me in short sentences."),
    (Role.ASSISTANT, "Understood."),
    (Role.USER, "请记住：我对花生过敏，推荐餐厅的时候要注意。"),
    (Role.ASSISTANT, "好的，推荐时会避开花生。"),
)
_POLL_S = 0.1
_MOST_HELD = 100
_NOT_FOUND = "quote not in the turn"
_WEEK_DAYS = 7
_MOST_SESSIONS = 10_000
_USUAL_SHARE = 0.2
"""Tokens of an answer for each token of a request, while nobody has counted them."""


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """Outcome of a trial."""

    is_valid: bool
    """True if the answer could be read."""
    concluded: int
    """Memories that it gave."""
    unfounded: int
    """Proposals whose quote stands in no turn."""
    seconds: float
    tokens: int
    problem: str | None = None
    """Error that ended the trial, if one did."""


@dataclass(frozen=True, slots=True)
class WeekPrice:
    """Price that reading the last seven days would have had."""

    conversation_tokens: int
    tokens_a_day: int
    """Tokens of requests, a day."""
    answered_a_day: int
    """Tokens of answers, a day."""


async def try_model(settings: Settings) -> ModelTrial:
    """Let a model read the sample conversation.

    Args:
        settings: with the model; of the home and the database nothing is read or written.
    """
    with TemporaryDirectory(prefix="memoria-trial-", ignore_cleanup_errors=True) as folder:
        own = Settings.from_values(
            **{
                **settings.model_dump(),
                "home": Path(folder) / "home",
                "database_url": None,
                "embedder": "off",
                "workspace": None,
                "llm_attempts": 1,
            }
        )
        began = time.monotonic()
        async with open_memoria(settings=own, channel=LIBRARY) as memory:
            entries = await _read(memory, own.llm_timeout_s)
            held = [
                one
                for one in (
                    *await memory.list_unverified(_MOST_HELD),
                    *await memory.list_pending(_MOST_HELD),
                )
                if one.current.inferred_by is InferredBy.MODEL
                and one.type is not MemoryType.EPISODE
            ]
        seconds = time.monotonic() - began
        with closing(open_store(own)) as store, store.read(own.tenant) as tx:
            tokens = tx.ledger.spending(0, now_millis() + DAY_MS).tokens
    return _judge(entries, len(held), seconds, tokens)


async def _read(memory: Memoria, most_s: float) -> list[QueueEntry]:
    """Record the conversation and wait until its segment is read, or given up."""
    turns = [Turn(role=role, content=content) for role, content in _TALK]
    await memory.record_conversation(turns, "session_end")
    with anyio.move_on_after(most_s):
        while (status := await memory.queue.status()).waiting and not status.last_error:
            await anyio.sleep(_POLL_S)
    return await memory.queue.list_entries()


def _judge(entries: list[QueueEntry], held: int, seconds: float, tokens: int) -> ModelTrial:
    outcomes = "; ".join(entry.outcome or "" for entry in entries)
    undone = [entry for entry in entries if entry.state is not QueueState.DONE]
    problem = next((one.last_error for one in undone if one.last_error), None)
    if undone and problem is None:
        problem = "It has not answered in time."
    return ModelTrial(
        is_valid=not undone,
        concluded=held,
        unfounded=sum(
            int(part.rpartition(" ")[2])
            for part in outcomes.replace(";", ",").split(",")
            if _NOT_FOUND in part and part.rpartition(" ")[2].isdecimal()
        ),
        seconds=seconds,
        tokens=tokens,
        problem=problem,
    )


def read_spending(settings: Settings) -> TokenSpending:
    """Return what the tenant's questions to chat models took today (UTC)."""
    if not choose_engine(settings).exists(settings):
        return TokenSpending(calls=0, input_tokens=0, output_tokens=0)
    today = start_of_utc_day(now_millis())
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        return tx.ledger.spending(today, today + DAY_MS)


def price_last_week(settings: Settings) -> WeekPrice | None:
    """Return the price of reading the tenant's last week; None if nothing was said in it."""
    since = now_millis() - _WEEK_DAYS * DAY_MS
    if not choose_engine(settings).exists(settings):
        return None
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        price = tx.ledger.reading_price(0)
        said = sum(_count_tokens(tx, since))
    if not said:
        return None
    asked = said * (price.per_thousand or USUAL_PRICE) // 1000 // _WEEK_DAYS
    share = price.output_tokens / price.input_tokens if price.input_tokens else _USUAL_SHARE
    return WeekPrice(said, asked, round(asked * share))


def _count_tokens(tx: Transaction, since: int) -> Iterator[int]:
    """Yield the number of tokens of each message of people and assistants since a moment."""
    for session in tx.days.list_closed_sessions(since, 0, _MOST_SESSIONS):
        for turn in tx.conversations.list_span(session.n, 0, session.last_index):
            if turn.at >= since and turn.role is not Role.TOOL:
                yield estimate_tokens(turn.content)
