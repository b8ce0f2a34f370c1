"""Memoria as one of the systems that are asked: the second level with its default settings."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import memoria
from bench.ask import LIMIT, Answer, Outcome, ask
from bench.data import Conversation
from memoria import Memoria


class Product:
    """Memoria as a ranker: the second level with its default settings."""

    def __init__(self, opened: Memoria) -> None:
        self._memoria = opened

    async def rank(self, question: str) -> Answer:
        """The turns found, in the order they are shown."""
        result = await self._memoria.search_conversation_traces(question, limit=LIMIT)
        ranking = ((hit.source.session_id, hit.source.message_id) for hit in result.hits)
        return Answer(tuple((str(s), str(m)) for s, m in ranking), result.tokens)


async def ask_memoria(
    conversations: Sequence[Conversation], done: Callable[[], None]
) -> list[Outcome]:
    """Every question of every conversation, asked of Memoria: a tenant each, in one home.

    All conversations are recorded before the first question, as in a home in use. Each is one
    call, so that documents are embedded in the same batches in every run: the last bit of a
    vector may depend on the company it was computed in.
    """
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
        for conversation in conversations:
            async with memoria.open(Path(home), conversation.name) as m:
                await m.record_conversation(conversation.turns)
                await m.settle()
        outcomes = []
        for conversation in conversations:
            async with memoria.open(Path(home), conversation.name) as m:
                await m.settle()
                outcomes += await ask(Product(m), conversation.questions, done)
        return outcomes
