"""Memoria as one of the systems that are asked: its search of the transcript at its defaults."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import memoria
from bench.ask import LIMIT, Answer, Outcome, Ranker, ask
from bench.data import Conversation, Key
from bench.homes import provide_home
from memoria import Memoria, SearchResult
from memoria.model import Hit

FIRST_LEVEL_LIMIT = 10
"""Lines asked of the first level."""

_ORDER = (None, "nearest", "later")
"""Hits count before what is nearest, and that before what was said later, wherever they stand."""

Wordings = Mapping[str, Sequence[str]]
"""Other wordings of a question that are given with it."""


class _Level:
    """One level of search, at its defaults but for some stages."""

    def __init__(
        self, opened: Memoria, without: Sequence[str] = (), wordings: Wordings | None = None
    ) -> None:
        self._memoria = opened
        self._without = without
        self._wordings = wordings or {}


class Product(_Level):
    """Memoria as a ranker: its search of the transcript at its defaults, but for some stages."""

    async def rank(self, question: str) -> Answer:
        """The turns found, in the order they are shown."""
        found = await self._memoria.search_conversation_traces(
            question, queries=self._wordings.get(question, ()), limit=LIMIT, without=self._without
        )
        return _read_answer(found)


class RawFirstLevel(_Level):
    """Memoria's first level on talk that no model has read, as a ranker of turns.

    A memory that was made by rules counts for the turn it was made of.
    """

    async def rank(self, question: str) -> Answer:
        """The turns that the lines of the answer cite, in their order."""
        found = await self._memoria.search_memory(
            question,
            queries=self._wordings.get(question, ()),
            limit=FIRST_LEVEL_LIMIT,
            without=self._without,
        )
        return _read_answer(found)


def key_of(hit: Hit) -> Key:
    """The turn that a hit is, or was made of."""
    return str(hit.source.session_id), str(hit.source.message_id)


def _read_answer(found: SearchResult) -> Answer:
    hits = sorted(found.hits, key=lambda hit: _ORDER.index(hit.shown_as))
    keys = {hit.id: key_of(hit) for hit in hits}
    pairs = (
        frozenset((keys[hit.id], keys[other]))
        for hit in found.hits
        for other in (*hit.contradicts, hit.restated_by)
        if other in keys
    )
    return Answer(tuple(dict.fromkeys(keys.values())), found.tokens, frozenset(pairs))


Level = Callable[[Memoria, Sequence[str]], Ranker]
"""Makes a ranker of what is opened, without some stages."""


async def ask_memoria(
    conversations: Sequence[Conversation],
    done: Callable[[], None],
    *,
    keep: Path | None = None,
    without: Sequence[str] = (),
    level: Level = Product,
) -> list[Outcome]:
    """Every question of every conversation, asked of Memoria: a tenant each, in one home.

    Args:
        conversations: what is recorded and asked.
        done: called after each question.
        keep: where filled homes are kept for later runs.
        without: the stages that are switched off.
        level: which search is asked.
    """
    outcomes = []
    async with provide_home(conversations, keep) as home:
        for conversation in conversations:
            async with memoria.open(home, conversation.name) as m:
                await m.wait_until_idle()
                outcomes += await ask(level(m, without), conversation.questions, done)
    return outcomes
