"""What reading a conversation with a chat model costs, in tokens for 1,000 of the conversation.

A conversation is what people and assistant say to each other; what goes to tools and comes from
them is not counted as conversation, but all of it that a model is shown is counted as cost.
Requests are counted whole with OpenAI's o200k encoding, in the form in which commands and endpoints
elsewhere are asked: what form the answer has stands in the instructions. A server nearby is sent a
JSON schema instead, which is longer.

There are two prices. *Live*: turns arrive one by one at the moments they were said, the session
ends, and a night follows each day. *Backlog*: everything was recorded while no model was set, is
then put into the queue, and a night follows. Both include all that the conversation causes:
extraction, checks, comparisons, episodes and the diary. The clock is moved; nobody waits.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import anyio.to_thread

import memoria
from bench.chat_server import NotInThisForm, serve_requests
from bench.extraction.concluded import Concluded
from bench.extraction.script import answer_question, purpose_of
from bench.extraction.talk import Talk, concluded_of
from bench.tokens import count_tokens
from memoria import Memoria, Settings, Turn
from memoria.app.nightly import run_nightly
from memoria.model import from_millis, to_millis, use_clock

_BLOCK = re.compile(r"(?ms)^(`{3,})(\w+)\n(.*?)\n\1$")
_PARTS = {"form": "form", "known": "known", "before": "before", "conversation": "new text"}
"""Blocks of the prompt by what they hold; whatever else it has is instructions."""
PARTS = ("form", "instructions", "known", "before", "new text", "other calls")
_PAUSES_S = (20, 60, 120, 200, 300, 600, 900, 1200, 1830)
"""Moments after a turn at which the queue is looked at, for as long as nobody says the next one."""
_LEFT = "SELECT kind, state, last_error FROM extraction_queue WHERE state <> 'done'"
_NIGHT = time(3, tzinfo=UTC)
_TO_THE_END_S = 60
_IDLE_S = 120
_TALKERS = ("user", "assistant")

Play = Callable[[Settings, Settings, Talk, "Clock"], Any]


@dataclass
class Clock:
    """The present, as the conversation has it."""

    now: int = 0

    def __call__(self) -> int:
        """The present, in UTC epoch milliseconds."""
        return self.now


@dataclass(frozen=True, slots=True)
class Price:
    """What the requests of a conversation came to."""

    kind: str
    mode: str
    turns: int
    spoken: int
    """Tokens of what people and assistant said."""
    calls: dict[str, int]
    inputs: dict[str, int]
    """Input tokens by what was asked."""
    parts: dict[str, int]
    """Input tokens by part of the request."""
    output: int
    memories: int
    """What came of it, episodes included."""

    @property
    def per_thousand(self) -> float:
        """Input tokens for 1,000 tokens of conversation."""
        return 1000 * sum(self.parts.values()) / self.spoken

    @property
    def output_per_thousand(self) -> float:
        """Output tokens for 1,000 tokens of conversation."""
        return 1000 * self.output / self.spoken

    @property
    def calls_per_turn(self) -> float:
        """Calls for each turn that a person or an assistant says."""
        return sum(self.calls.values()) / self.turns


@dataclass
class _Account:
    """What has been asked so far."""

    concluded: Sequence[Concluded] = ()
    parts: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    inputs: Counter[str] = field(default_factory=Counter)
    output: int = 0

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer a request and enter what it costs; one with a schema is not taken."""
        if body.get("response_format", {}).get("type") == "json_schema":
            raise NotInThisForm
        instructions, text = (str(body["messages"][i]["content"]) for i in (0, -1))
        parts = _split_prompt(instructions, text)
        parts["form"] += count_tokens(_compact(body.get("response_format")))
        purpose = purpose_of(instructions)
        self.calls[purpose] += 1
        self.inputs[purpose] += parts.total()
        self.parts.update(parts if purpose == "extract" else {"other calls": parts.total()})
        answer = answer_question(instructions, text, self.concluded)
        self.output += count_tokens(_compact(answer))
        return answer


def measure_price(kind: str, talk: Talk, settings: Settings, folder: Path, mode: str) -> Price:
    """Play a conversation and count what is asked.

    Args:
        kind: what the conversation is called in the table, by which what is concluded from it is
            found, where somebody has written that down.
        talk: the conversation.
        settings: the embedder and all else but home and chat model.
        folder: an empty folder.
        mode: `live` or `backlog`.
    """
    account = _Account(concluded_of(kind))
    clock = Clock(_millis(talk[0][0]))
    play: Play = _play_live if mode == "live" else _play_backlog
    with serve_requests(account.answer) as url, use_clock(clock):
        bare = settings.model_dump() | {"home": folder / mode, "llm_base_url": None}
        silent = Settings.from_values(**{**bare, "llm_model": None})
        asking = Settings.from_values(
            **{**bare, "llm_base_url": url, "llm_model": "scripted", "llm_daily_tokens": 10**9}
        )
        anyio.run(play, silent, asking, talk, clock)
    turns = [turn for session in talk for turn in session if turn.role in _TALKERS]
    return Price(
        kind=kind,
        mode=mode,
        turns=len(turns),
        spoken=sum(count_tokens(turn.content) for turn in turns),
        calls=dict(account.calls),
        inputs=dict(account.inputs),
        parts={part: account.parts[part] for part in PARTS},
        output=account.output,
        memories=_count_memories(asking.home_path),
    )


def _count_memories(home: Path) -> int:
    """The memories of a home whose queue has come to its end.

    Raises:
        ValueError: something was given up, or still waits: the price of a part is no price.
    """
    with closing(sqlite3.connect(home / "memoria.db")) as connection:
        left = connection.execute(_LEFT).fetchall()
        (memories,) = connection.execute("SELECT count(*) FROM memories").fetchone()
    if left:
        raise ValueError(f"the queue has not come to its end: {left}")
    return int(memories)


async def _play_live(_: Settings, asking: Settings, talk: Talk, clock: Clock) -> None:
    """Say every turn when it was said, and let a night follow each day."""
    for day, sessions in groupby(talk, lambda session: _moment(session[0]).date()):
        async with memoria.open(settings=asking) as m:
            for session in sessions:
                await _play_session(m, session, clock)
        await _pass_night(asking, datetime.combine(day, _NIGHT) + timedelta(days=1), clock)


async def _play_session(m: Memoria, session: Sequence[Turn], clock: Clock) -> None:
    follows = [_millis(turn) for turn in session[1:]]
    ends = _millis(session[-1]) + _TO_THE_END_S * 1000
    for turn, until in zip(session, [*follows, ends], strict=True):
        clock.now = _millis(turn)
        await m.record_conversation([turn])
        await m.wait_until_idle(_IDLE_S)
        for pause_s in _PAUSES_S:
            if (at := _millis(turn) + pause_s * 1000) >= until:
                break
            clock.now = at
            await m.wait_until_idle(_IDLE_S)
    clock.now = ends
    await m.record_conversation([], "session_end", session_id=session[0].session_id)
    await m.wait_until_idle(_IDLE_S)
    clock.now = ends + _PAUSES_S[-1] * 1000
    await m.wait_until_idle(_IDLE_S)


async def _play_backlog(silent: Settings, asking: Settings, talk: Talk, clock: Clock) -> None:
    """Record everything without a model, then have one read it."""
    async with memoria.open(settings=silent) as m:
        for session in talk:
            clock.now = _millis(session[-1])
            await m.record_conversation(session, "session_end")
    async with memoria.open(settings=asking) as m:
        await m.queue.fill()
        await m.wait_until_idle(_IDLE_S)
    last = _moment(talk[-1][-1]).date()
    await _pass_night(asking, datetime.combine(last, _NIGHT) + timedelta(days=1), clock)


async def _pass_night(asking: Settings, at: datetime, clock: Clock) -> None:
    clock.now = to_millis(at)
    await anyio.to_thread.run_sync(lambda: run_nightly(asking))


def _split_prompt(instructions: str, text: str) -> Counter[str]:
    """Tokens of a request's words by what they are."""
    parts = Counter[str]()
    for words in (instructions, text):
        for match in _BLOCK.finditer(words):
            parts[_PARTS.get(match[2], "before")] += count_tokens(match[3])
        parts["instructions"] += count_tokens(_BLOCK.sub("", words))
    return parts


def _compact(value: object) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _moment(turn: Turn) -> datetime:
    return from_millis(_millis(turn))


def _millis(turn: Turn) -> int:
    if turn.at is None:
        raise ValueError("a turn of a measured conversation has no time")
    return turn.at
