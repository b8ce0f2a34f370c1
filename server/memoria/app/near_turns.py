"""Near turns: what says nearly the same as what is to be forgotten, in other words.

A forget erases the turns in which a memory stands word for word. A correction says it in other
words, and no rule can tell which of them are meant: they are offered beside what goes.
"""

from collections.abc import Iterator, Sequence

from memoria.language.words.document import full_text
from memoria.model import Explanation, Memory, MemoryVersion, Role, StoredTurn, Validity
from memoria.model.forgetting import ForgetItem
from memoria.store.rows.transaction import Transaction
from memoria.store.values import ErasureFilter, Filters

MOST_COMPARED = 5
"""Number of memories looked for in other words; of more, nobody reads the list."""
MOST_WORDINGS = 3
"""Number of the newest wordings of each."""
MOST_FOUND = 20
_SHOWN_CHARS = 300
_NEAR, _NEAR_IN_WORDS = 1.1, 0.6
"""The share of a memory's words that a turn holds and its cosine, together; without a vector the
words alone. Six corrections and answers to them had 1.37 or more, 14 other turns 0.98 or less."""
_BEFORE_MS = 600_000
"""An agent corrects a memory within this time of what it was told."""


def list_near(explanation: Explanation) -> list[str]:
    """List ids of turns that a search for a memory's words has found to say nearly the same."""
    return [
        one.id
        for one in explanation.candidates
        if one.coverage + one.cosine >= (_NEAR if one.cosine else _NEAR_IN_WORDS)
    ]


def read_offered(
    tx: Transaction, memories: Sequence[Memory], near: Sequence[str], seen: Filters | None
) -> tuple[ForgetItem, ...]:
    """List the turns to be offered: those of corrections, and those that say nearly the same.

    Args:
        tx: where they are read.
        memories: what is to be forgotten.
        near: ids of the turns that say nearly the same.
        seen: what the caller sees, where that is not everything.
    """
    turns = [*_list_made_under(tx, memories, seen), *filter(None, map(tx.conversations.turn, near))]
    return tuple(
        ForgetItem(kind="turn", id=turn_id, text=text[:_SHOWN_CHARS])
        for turn_id, text in {turn.id: full_text(turn) for turn in turns}.items()
    )


def _list_made_under(
    tx: Transaction, memories: Sequence[Memory], seen: Filters | None
) -> Iterator[StoredTurn]:
    """Yield the user's last turn before each correction by an agent that named no turn."""
    for version in (v for memory in memories for v in _list_corrections(memory)[:MOST_WORDINGS]):
        origin = version.provenance
        if origin.turn_id is not None or not origin.channel.startswith("mcp"):
            continue
        since, until = version.ingested_at - _BEFORE_MS, version.ingested_at + 1
        ns = tx.erasures.list_turns(ErasureFilter(since=since, until=until, seen=seen))
        said = [one for one in tx.conversations.turns(ns).values() if one.role is Role.USER]
        yield from sorted(said, key=lambda one: one.at)[-1:]


def _list_corrections(memory: Memory) -> Sequence[MemoryVersion]:
    """List the wordings of a memory, newest first, that corrected one or would if confirmed."""
    waits = memory.validity is Validity.PENDING_CONFIRMATION
    return memory.versions if waits else memory.versions[:-1]
