"""Stand-ins: memories and the turns that they were made of, in one answer.

A memory that says what its turn says to the question answers for it: it is one sentence, and
somebody thought it worth keeping. It then stands where its turn would, if that is higher, for the
turn is found with the help of the conversation around it, and the memory is a sentence by itself. A
far longer turn that holds more of the question's words has more to say: rules make a memory of one
sentence of a long message, and the question may be about another. Both are then shown.
"""

from collections.abc import Collection, Sequence

from memoria.model import MemoryVersion
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.score import ScoredCandidate

_FAR_LONGER = 2
"""Factor beyond a memory's words. "I live in Dali" says no more than "the user lives in Dali"."""


def stand_for_turns(
    found: Sequence[ScoredCandidate], spared: Collection[int] = ()
) -> tuple[list[ScoredCandidate], set[int]]:
    """Place each memory where it belongs, and return the turns that memories answer for.

    Args:
        found: what passes the threshold, best first.
        spared: turns that are known to say what no memory says.
    """
    memories = _list_memories_by_turn(found)
    raised: dict[int, ScoredCandidate] = {}
    answered: set[int] = set()
    for turn in found:
        memory = memories.get(turn.id) if turn.kind == "turn" else None
        if memory is None or turn.candidate.n in spared or _says_more(turn, memory):
            continue
        answered.add(turn.candidate.n)
        known = raised.get(memory.candidate.n, memory)
        raised[memory.candidate.n] = known._replace(score=max(known.score, turn.score))
    placed = (raised.get(each.candidate.n, each) for each in found)
    return sorted(placed, key=lambda each: -each.score), answered


def _says_more(turn: ScoredCandidate, memory: ScoredCandidate) -> bool:
    """Return whether a turn says more to the question than the memory that was made of it."""
    is_longer = len(turn.words) > _FAR_LONGER * len(memory.words)
    return is_longer and turn.signals.coverage > memory.signals.coverage


def _list_memories_by_turn(found: Sequence[ScoredCandidate]) -> dict[str, ScoredCandidate]:
    """Map each turn to the best memory that was made of it.

    A memory that says how it is now answers for the turns of its former wordings, too.
    """
    memories: dict[str, ScoredCandidate] = {}
    for each in found:
        if isinstance(each.document, MemoryWording):
            for version in _list_versions_answered_for(each.document):
                if version.provenance.turn_id is not None:
                    memories.setdefault(version.provenance.turn_id, each)
    return memories


def _list_versions_answered_for(document: MemoryWording) -> tuple[MemoryVersion, ...]:
    """Return the wordings whose turns a hit stands for: for a present wording, all of them."""
    is_present = document.version.n == document.memory.current.n
    return document.memory.versions if is_present else (document.version,)
