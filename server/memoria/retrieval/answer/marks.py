"""Marks on hits and memories that no longer hold, or of which nobody has said whether they hold.

Of two memories that are alike nobody has said which holds, so both are shown: the newer first, the
older marked. Where two statements of which one is later are of one day, both have their time.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from memoria.model import Hit, Memory, RelatedStatement, Validity
from memoria.model.memory_types import DERIVED_TYPES
from memoria.model.moments import TO_THE_DAY, TO_THE_MINUTE
from memoria.retrieval.answer.lines import AnswerLine
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import MemoryWording, ScoredCandidate
from memoria.retrieval.ranking.successors import Successors
from memoria.retrieval.snapshot import ScoredSearch
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters


def mark_superseded(
    hits: Sequence[Hit], shown: Sequence[ScoredCandidate], superseded: Mapping[int, str | None]
) -> tuple[Hit, ...]:
    """Mark the hits that a memory has replaced.

    Args:
        hits: what is shown.
        shown: the candidates of the hits, in the same order.
        superseded: the documents that no longer hold, with the sentence that does not, or None.
    """

    def mark(hit: Hit, n: int) -> Hit:
        if n not in superseded:
            return hit
        part = superseded[n]
        if part is None:
            return hit.model_copy(update={"validity": Validity.SUPERSEDED})
        return hit.model_copy(update={"superseded_part": part})

    return tuple(mark(hit, each.n) for hit, each in zip(hits, shown, strict=False))


def mark_restated(
    hits: Sequence[Hit], shown: Sequence[ScoredCandidate], successors: Successors
) -> tuple[Hit, ...]:
    """Mark the hits that another shown hit states anew, with its id.

    Args:
        hits: what is shown.
        shown: the candidates of the hits, in the same order.
        successors: successors of candidates, in a search of memories.
    """
    ids = {each.n: each.id for each in shown}

    def mark(hit: Hit, n: int) -> Hit:
        successor = successors.recorded.get(n)
        newer = None if successor is None else ids.get(successor)
        if newer is None or newer == hit.id:  # a former wording is superseded, and says so
            return hit
        return hit.model_copy(update={"restated_by": newer})

    return tuple(mark(hit, each.n) for hit, each in zip(hits, shown, strict=False))


def mark_contradicted(tx: Transaction, hits: Sequence[Hit], seen: Filters) -> tuple[Hit, ...]:
    """Mark the hits that a visible memory contradicts."""
    ids = [hit.id for hit in hits if hit.kind == "memory" and hit.validity is Validity.ACTIVE]
    marks = tx.memories.list_contradictions(ids, seen) if ids else {}
    return tuple(
        _mark_contradicted_hit(hit, marks[hit.id]) if hit.id in marks else hit for hit in hits
    )


def mark_contradicted_memories(
    tx: Transaction, memories: Sequence[Memory], seen: Filters
) -> list[Memory]:
    """Add to memories the visible statements that contradict each."""
    marks = tx.memories.list_contradictions([memory.id for memory in memories], seen)
    return [
        memory.model_copy(update={"contradicts": _read_statements(tx, marks.get(memory.id, ()))})
        for memory in memories
    ]


def _mark_contradicted_hit(hit: Hit, others: tuple[str, ...]) -> Hit:
    return hit.model_copy(update={"validity": Validity.CONTRADICTED, "contradicts": others})


def _read_statements(tx: Transaction, memory_ids: Sequence[str]) -> tuple[RelatedStatement, ...]:
    found = map(tx.memories.get, memory_ids)
    return tuple(RelatedStatement(id=m.id, content=m.content) for m in found if m is not None)


def mark_outdated(tx: Transaction, plan: SearchPlan, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Mark the hits whose sources have changed; of a past moment none is marked.

    Args:
        tx: where the hits were found.
        plan: the search.
        hits: what is shown.
    """
    if plan.as_of is not None:
        return tuple(hits)
    changed = _find_changes(tx, [hit.id for hit in hits if hit.type in DERIVED_TYPES])
    return tuple(
        hit.model_copy(update={"status": "outdated", "outdated_by": changed[hit.id]})
        if hit.id in changed
        else hit
        for hit in hits
    )


def mark_outdated_memories(tx: Transaction, memories: Sequence[Memory]) -> list[Memory]:
    """Mark the memories whose sources have changed."""
    changed = _find_changes(tx, [memory.id for memory in memories if memory.type.is_derived])
    return [
        memory.model_copy(update={"outdated_by": changed[memory.id]})
        if memory.id in changed
        else memory
        for memory in memories
    ]


def _find_changes(tx: Transaction, derived: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Map the ids of derived memories to the ids of memories that tell what has changed."""
    changed: dict[str, dict[str, None]] = defaultdict(dict)
    for change in tx.derivations.list_changed(derived) if derived else ():
        changed[change.derived_id][change.id] = None
    return {memory_id: tuple(ids) for memory_id, ids in changed.items()}


_TWO = 2
_FITTING = 0.4
"""Least share of an older memory's relevance with which a newer memory stands above the older."""


def find_earlier(
    tx: Transaction, found: ScoredSearch, lines: Sequence[AnswerLine]
) -> dict[int, int]:
    """Map the document of each older memory to the document of the newer memory most like it.

    A newer memory that fits the question far less stands above nothing, and none does in the answer
    to a question that names a time.

    Args:
        tx: where it was searched.
        found: what was found.
        lines: what is shown.
    """
    plan = found.plan
    memories = {_number(line): memory for line in lines for memory in _list_holding(line)}
    is_measured = plan.calibration.about_same is not None
    is_of_time = plan.as_of is not None or plan.parsed.time is not None
    if len(memories) < _TWO or is_of_time or not is_measured:
        return {}
    model = next((each.model for each in found.vectors), None)
    if model is None:
        return {}
    vectors = tx.documents.vectors(list(memories), model)
    relevance = {_number(line): line.candidate.relevance for line in lines}
    alike = {
        older: [
            (likeness, newer)
            for newer in vectors
            if _is_later(memories[newer], memories[older])
            and relevance[newer] >= _FITTING * relevance[older]
            and (likeness := float(vectors[older] @ vectors[newer])) >= plan.calibration.alike
        ]
        for older in vectors
    }
    apart = tx.pairs.list_distinct([older for older, newer in alike.items() if newer])
    kept = {
        older: [one for one in newer if (older, one[1]) not in apart]
        for older, newer in alike.items()
    }
    return {older: max(newer)[1] for older, newer in kept.items() if newer}


def _is_later(newer: MemoryWording, older: MemoryWording) -> bool:
    """Return whether a memory is newer, and told since the user pinned or confirmed the older."""
    has_word = older.memory.pinned or older.memory.verified
    if has_word and newer.version.ingested_at <= older.memory.updated_at:
        return False
    return newer.version.valid_from > older.version.valid_from


def mark_earlier(
    hits: Sequence[Hit], lines: Sequence[AnswerLine], earlier: Mapping[int, int]
) -> tuple[Hit, ...]:
    """Mark the older of alike hits, and add the time to hits of one day.

    Args:
        hits: what is shown.
        lines: the lines of the hits, in the same order.
        earlier: the newer memory's document by the older memory's document.
    """
    pairs = zip(hits, lines, strict=True)
    marked = [
        hit.model_copy(update={"is_earlier": True}) if _number(line) in earlier else hit
        for hit, line in pairs
    ]
    days = Counter(hit.source.at[:TO_THE_DAY] for hit in marked)
    dated = {
        hit.source.at[:TO_THE_DAY] for hit in marked if hit.is_earlier or hit.shown_as == "later"
    }
    return tuple(
        hit.model_copy(update={"clock": hit.source.at[TO_THE_DAY + 1 : TO_THE_MINUTE]})
        if (day := hit.source.at[:TO_THE_DAY]) in dated and days[day] > 1
        else hit
        for hit in marked
    )


def _list_holding(line: AnswerLine) -> Iterator[MemoryWording]:
    """Yield the memory of a line, if the memory holds and was not derived from others."""
    document = line.candidate.document
    if not isinstance(document, MemoryWording):
        return
    memory, version = document.memory, document.version
    is_present = memory.validity is Validity.ACTIVE and version.n == memory.current.n
    if is_present and not memory.type.is_derived:
        yield document


def _number(line: AnswerLine) -> int:
    return line.candidate.n
