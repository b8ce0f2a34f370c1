"""Second level: when the first one says that the verbatim record has more.

The record is looked at for the caller only where evidence is asked for, where nothing was found, or
where what was found is not sure; and then counted, not shown: whoever wants it asks for it. What
words find there is judged, with what meaning has found for the first level: no second search.
"""

from dataclasses import replace

from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.fusion import FusedCandidate
from memoria.retrieval.ranking.score import MemoryWording, ScoredCandidate, score_candidates
from memoria.retrieval.ranking.selection import Selection
from memoria.retrieval.ranking.statistics import QueryStatistics
from memoria.retrieval.ranking.threshold import TRANSCRIPT_THRESHOLDS
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.base import Transaction

_COUNT_UP_TO = 10
_UNSURE_RELEVANCE = 0.35
"""A relevance below which the best hit is more a guess than an answer."""
_LOW_CONFIDENCE = 0.5


def hint(
    tx: Transaction,
    plan: SearchPlan,
    candidates: SourceScores,
    asked: QueryStatistics,
    selected: Selection,
) -> str | None:
    """A sentence on what the record has, where there is a reason to look."""
    why = _reason(plan, selected)
    if plan.parsed.is_time_only:
        return _phrase_hint(why, len(candidates.recent))
    if why is None and not plan.parsed.literals:
        return None
    passed = _matching_turns(tx, plan, candidates, asked)
    held = [each for each in passed if plan.parsed.occurs_in(each.text)]
    if held and not plan.parsed.wants_record:
        return _phrase_hint(
            "Codes, paths and addresses stand in the record as they were written", len(held)
        )
    return _phrase_hint(why, len(passed))


def _phrase_hint(why: str | None, count: int) -> str | None:
    if why is None or not count:
        return None
    many = (
        f"{_COUNT_UP_TO} or more traces match" if count >= _COUNT_UP_TO else f"{count} traces match"
    )
    many = "1 trace matches" if count == 1 else many
    return f"{why}: {many}; call search_conversation_traces."


def _reason(plan: SearchPlan, selected: Selection) -> str | None:
    if plan.parsed.wants_record:
        return "The exact words are in the record"
    if not selected.hits:
        return "No conclusion fits"
    best = selected.hits[0]
    memory = best.document.memory if isinstance(best.document, MemoryWording) else None
    if memory is not None and memory.confidence < _LOW_CONFIDENCE:
        return "The best conclusion is unsure"
    if best.relevance < _UNSURE_RELEVANCE:
        return "The best hit fits only in part"
    return None


def _matching_turns(
    tx: Transaction, plan: SearchPlan, candidates: SourceScores, asked: QueryStatistics
) -> list[ScoredCandidate]:
    """The turns of the record that pass its gate, of the best ones."""
    record = replace(
        plan,
        kinds=("turn",),
        filters=replace(plan.filters, include_processed=True, types=()),
        first_level=False,
    )
    judged = score_candidates(tx, record, _transcript_candidates(tx, record, candidates), asked)
    threshold = TRANSCRIPT_THRESHOLDS.for_query(asked)
    return [each for each in judged if threshold.margin(each.kind, each.signals) >= 0]


def _transcript_candidates(
    tx: Transaction, record: SearchPlan, candidates: SourceScores
) -> list[FusedCandidate]:
    """The best by words, and the nearest of what has been found already."""
    cosine = candidates.cosine
    by_words = (
        []
        if "text" in record.options.without
        else [
            match.n
            for match in tx.documents.match(
                record.kinds, record.terms, record.filters, 2 * _COUNT_UP_TO
            )
        ]
    )
    nearest = sorted(cosine, key=lambda n: (-cosine[n], n))[: 2 * _COUNT_UP_TO]
    return [
        FusedCandidate(n, 0.0, cosine=cosine.get(n, 0.0))
        for n in dict.fromkeys([*by_words, *nearest])
    ]
