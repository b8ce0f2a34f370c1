"""Asking each question of memories and of the record."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.kin.cases import KinCase
from bench.tenants import Embedding, TenantHome

_WAIT_S = 120


@dataclass(frozen=True, slots=True)
class KinAnswer:
    """Whose facts were found for a question, best first."""

    case: KinCase
    memories: tuple[str, ...]
    """At the first level."""
    turns: tuple[str, ...]
    """At the second level."""

    @property
    def levels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What each level found."""
        return self.memories, self.turns

    @property
    def is_right(self) -> bool:
        """Whether both levels put the right fact first, or are silent where there is none."""
        wanted = self.case.right
        return all(found[:1] == (() if wanted is None else (wanted,)) for found in self.levels)

    @property
    def is_somebody_else(self) -> bool:
        """Whether somebody else's fact comes first while the right one is on record."""
        wanted = self.case.right
        return wanted is not None and any(found and found[0] != wanted for found in self.levels)


async def ask_kin(
    cases: Sequence[KinCase], embedding: Embedding, done: Callable[[], None] = lambda: None
) -> list[KinAnswer]:
    """Ask every question at both levels, each with two tenants of its own.

    Args:
        cases: the questions.
        embedding: the product's own, or none.
        done: called whenever one more was asked.
    """
    answers = []
    with tempfile.TemporaryDirectory(prefix="memoria-kin-") as folder:
        home = TenantHome(Path(folder), embedding)
        for case in cases:
            answers.append(
                KinAnswer(case, await _ask_memories(home, case), await _ask_record(home, case))
            )
            done()
    return answers


async def _ask_memories(home: TenantHome, case: KinCase) -> tuple[str, ...]:
    async with home.open(f"{case.id}-memories") as m:
        facts = {(await m.remember(fact.memory)).id: fact.id for fact in case.facts}
        await m.wait_until_idle(_WAIT_S)
        found = await m.search_memory(case.question)
    return tuple(facts[hit.id] for hit in found.hits)


async def _ask_record(home: TenantHome, case: KinCase) -> tuple[str, ...]:
    """The turns stand in sessions of their own, so that none is found for its neighbours' sake."""
    async with home.open(f"{case.id}-turns") as m:
        for fact in case.facts:
            turn = {"role": "user", "content": fact.turn, "message_id": fact.id}
            await m.record_conversation([turn], session_id=fact.id)
        await m.wait_until_idle(_WAIT_S)
        found = await m.search_conversation_traces(case.question)
    return tuple(str(hit.source.message_id) for hit in found.hits)
