"""Earlier memories: those that hold and are like a newer one in the answer.

Nobody has said which of them holds, so both are shown: the newer first, the older marked. Where two
statements of which one is later are of one day, both have their time.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memoria.model import Hit, Validity
from memoria.retrieval.answer.beside import AnswerLine
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.snapshot import ScoredSearch
from memoria.store.rows.transaction import Transaction

_TO_THE_DAY, _TO_THE_MINUTE = 10, 16
_TWO = 2


def find_earlier(
    tx: Transaction, found: ScoredSearch, lines: Sequence[AnswerLine]
) -> dict[int, int]:
    """Map the document of each older memory to that of the newer one that is most like it.

    Args:
        tx: where it was searched.
        found: what was found; a search for a past moment knows of nothing newer.
        lines: what is shown.
    """
    plan = found.plan
    memories = {_number(line): memory for line in lines for memory in _list_holding(line)}
    is_measured = plan.calibration.about_same is not None
    if len(memories) < _TWO or plan.as_of is not None or not is_measured:
        return {}
    model = next((each.model for each in found.vectors), None)
    if model is None:
        return {}
    vectors = tx.documents.vectors(list(memories), model)
    ordered = sorted(vectors, key=lambda n: (memories[n].version.valid_from, n))
    nearest: dict[int, int] = {}
    for place, older in enumerate(ordered):
        alike = [
            (likeness, newer)
            for newer in ordered[place + 1 :]
            if (likeness := float(vectors[older] @ vectors[newer])) >= plan.calibration.alike
        ]
        apart = tx.pairs.list_distinct(older) if alike else ()
        kept = [one for one in alike if one[1] not in apart]
        if kept:
            nearest[older] = max(kept)[1]
    return nearest


def mark_earlier(
    hits: Sequence[Hit], lines: Sequence[AnswerLine], earlier: Mapping[int, int]
) -> tuple[Hit, ...]:
    """Mark the older hits, and add the time where the day does not tell enough.

    Args:
        hits: what is shown.
        lines: what they were made of, in the same order.
        earlier: by the document of an older memory that of the newer one.
    """
    pairs = zip(hits, lines, strict=True)
    marked = [
        hit.model_copy(update={"is_earlier": True}) if _number(line) in earlier else hit
        for hit, line in pairs
    ]
    days = Counter(hit.source.at[:_TO_THE_DAY] for hit in marked)
    dated = {
        hit.source.at[:_TO_THE_DAY] for hit in marked if hit.is_earlier or hit.shown_as == "later"
    }
    return tuple(
        hit.model_copy(update={"clock": hit.source.at[_TO_THE_DAY + 1 : _TO_THE_MINUTE]})
        if (day := hit.source.at[:_TO_THE_DAY]) in dated and days[day] > 1
        else hit
        for hit in marked
    )


def _list_holding(line: AnswerLine) -> Iterator[MemoryWording]:
    """Yield the memory of a line, where it holds and was not derived from others."""
    document = line.candidate.document
    if not isinstance(document, MemoryWording):
        return
    memory, version = document.memory, document.version
    is_present = memory.validity is Validity.ACTIVE and version.n == memory.current.n
    if is_present and not memory.type.is_derived:
        yield document


def _number(line: AnswerLine) -> int:
    return line.candidate.candidate.n
