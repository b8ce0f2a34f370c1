"""Memoria's first level as a system that is asked: conclusions are remembered, not conversations.

A conclusion is given as a turn that holds nothing else, so that the floor can rank the same texts.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import memoria
from bench.ask import LIMIT, Answer, Outcome, ask
from bench.command import Asker
from bench.data import Conversation, Key
from memoria import Memoria, Turn
from memoria.app.open_home import in_thread
from memoria.memories.links import replace_interpretation
from memoria.memories.wordings import Interpretation
from memoria.model import MemoryType, Part, now_millis, to_iso
from memoria.model.query import MemoryQuery
from memoria.retrieval import SearchOptions, plan_memories
from memoria.retrieval.query.options import ALL_STAGES, DEFAULT_OPTIONS, Stages

_MAX_TOKENS = 4000
"""Enough for `LIMIT` lines: what is measured is the order, not what a caller can afford."""


@dataclass(frozen=True, slots=True)
class ConclusionNotes:
    """What is known of a conclusion beside its words."""

    type: MemoryType = MemoryType.FACT
    interpretation: Interpretation | None = None
    """What a model read in it; without one, the rules read."""


Notes = Mapping[Key, ConclusionNotes]


@dataclass(frozen=True, slots=True)
class FirstLevel:
    """Memoria as a ranker of conclusions."""

    memoria: Memoria
    keys: Mapping[str, Key]
    """By memory id."""
    options: SearchOptions = DEFAULT_OPTIONS

    async def rank(self, question: str) -> Answer:
        """The conclusions found, in the order they are shown."""
        plan = plan_memories(
            MemoryQuery(query=question, limit=LIMIT, max_tokens=_MAX_TOKENS), self.options
        )
        search = self.memoria._search  # noqa: SLF001  (no interface switches off every stage)
        found = await in_thread(lambda: search.run(plan))
        return Answer(tuple(self.keys[hit.id] for hit in found.hits), found.tokens)


def first_level(*without: Part, stages: Stages = ALL_STAGES, notes: Notes | None = None) -> Asker:
    """A system: Memoria's first level without some of its parts.

    Args:
        *without: the sources it does without.
        stages: which parts of the ranking are on.
        notes: what is known of the conclusions; by default that they are facts.
    """

    async def run(conversations: Sequence[Conversation], done: Callable[[], None]) -> list[Outcome]:
        outcomes = []
        options = SearchOptions(frozenset(without), stages=stages)
        with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
            for each in conversations:
                async with memoria.open(Path(home), each.name) as m:
                    ranker = FirstLevel(m, await keep(m, each.turns, notes or {}), options)
                    await m.wait_until_idle()
                    outcomes += await ask(ranker, each.questions, done)
        return outcomes

    return run


async def keep(m: Memoria, conclusions: Sequence[Turn], notes: Notes) -> dict[str, Key]:
    """Remember every conclusion.

    Returns:
        Their keys, by the memories they have become.
    """
    keys = {}
    for turn in conclusions:
        key = str(turn.session_id), str(turn.message_id)
        known = notes.get(key, ConclusionNotes())
        since = None if turn.at is None else to_iso(turn.at)
        memory = await m.remember(turn.content, valid_from=since, type=known.type)
        keys[memory.id] = key
        if known.interpretation is not None:
            _replace_links(m, memory.id, known.interpretation)
    return keys


def _replace_links(m: Memoria, memory_id: str, interpretation: Interpretation) -> None:
    """Put a model's interpretation in the place of the rules', as extraction does."""
    with m._store.write(m.tenant) as tx:  # noqa: SLF001  (no interface takes an interpretation by itself)
        memory = tx.memories.get(memory_id)
        if memory is not None:
            replace_interpretation(tx, memory, interpretation, now=now_millis())
