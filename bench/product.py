"""Memoria as one of the systems that are asked: its search of the transcript at its defaults."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import memoria
from bench.ask import LIMIT, Answer, Outcome, ask
from bench.data import Conversation
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
    conversations: Sequence[Conversation], done: Callable[[], None]
) -> list[Outcome]:
    """Every question of every conversation, asked of Memoria: a tenant each, in one home."""
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
        await record(Path(home), conversations)
        return await ask_home(Path(home), conversations, done)


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
