"""Memoria as one of the systems that are asked: its search of the transcript at its defaults."""

from collections.abc import Callable, Sequence
from pathlib import Path

import memoria
from bench.ask import LIMIT, Answer, Outcome, ask
from bench.data import Conversation
from bench.homes import provide_home
from memoria import Memoria


class Product:
    """Memoria as a ranker: its search of the transcript at its defaults, but for some stages."""

    def __init__(self, opened: Memoria, without: Sequence[str] = ()) -> None:
        self._memoria = opened
        self._without = without

    async def rank(self, question: str) -> Answer:
        """The turns found, in the order they are shown."""
        result = await self._memoria.search_conversation_traces(
            question, limit=LIMIT, without=self._without
        )
        ranking = ((hit.source.session_id, hit.source.message_id) for hit in result.hits)
        return Answer(tuple((str(s), str(m)) for s, m in ranking), result.tokens)


async def ask_memoria(
    conversations: Sequence[Conversation], done: Callable[[], None], keep: Path | None = None
) -> list[Outcome]:
    """Every question of every conversation, asked of Memoria: a tenant each, in one home.

    Args:
        conversations: what is recorded and asked.
        done: called after each question.
        keep: where filled homes are kept for later runs.
    """
    async with provide_home(conversations, keep) as home:
        return await ask_home(home, conversations, done)


async def ask_home(
    home: Path,
    conversations: Sequence[Conversation],
    done: Callable[[], None],
    without: Sequence[str] = (),
) -> list[Outcome]:
    """Every question of every conversation, asked of a home where they are recorded."""
    outcomes = []
    for conversation in conversations:
        async with memoria.open(home, conversation.name) as m:
            await m.wait_until_idle()
            outcomes += await ask(Product(m, without), conversation.questions, done)
    return outcomes
