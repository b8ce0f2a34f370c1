"""Hint: where a search of memories says that the transcript has more.

The transcript is looked at for the caller only where evidence is asked for, where nothing was
found, or where what was found is not sure; and then its turns are counted, not shown: whoever wants
them asks for them. What words find there is scored with the cosines that the search of memories has
found already, so that no second search is needed.
"""

from dataclasses import replace

from memoria.model import StoredTurn
from memoria.retrieval.answer.notes import FOR_AGENTS
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.query.profile import TRANSCRIPT
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.fusion import FusedCandidate
from memoria.retrieval.ranking.people import apply_people
from memoria.retrieval.ranking.score import ScoredCandidate, score_candidates
from memoria.retrieval.ranking.selection import Selection
from memoria.retrieval.ranking.threshold import RelevanceThreshold
from memoria.retrieval.snapshot import ScoredSearch
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.base import Transaction

_COUNT_UP_TO = 10
_UNSURE_RELEVANCE = 0.35
"""A relevance below which the best hit is more a guess than an answer."""
_LOW_CONFIDENCE = 0.5
_FEW_HITS = 2
_SURE_RELEVANCE = 0.6
"""A relevance from which on even a single hit is likely the whole answer."""


def find_hint(
    tx: Transaction,
    plan: SearchPlan,
    found: ScoredSearch,
    selection: Selection,
) -> str | None:
    """A sentence on what the transcript has, where there is a reason to look.

    Args:
        tx: where to look.
        plan: the search of memories.
        found: what it has found.
        selection: what the search answers.
    """
    reason = _find_reason(plan, selection)
    if plan.parsed.is_time_only:
        return _phrase_hint(reason, len(found.sources.recent))
    if reason is None and not plan.parsed.literals:
        return None
    turns = _matching_turns(tx, plan, found)
    literal = [each for each in turns if plan.parsed.occurs_in(each.text)]
    if literal and not plan.parsed.wants_record:
        return _phrase_hint(
            "Codes, paths and addresses stand in the record as they were written", len(literal)
        )
    shown = {each.candidate.n for each in selection.hits if not plan.parsed.wants_record}
    return _phrase_hint(reason, sum(each.candidate.n not in shown for each in turns))


def _phrase_hint(reason: str | None, count: int) -> str | None:
    if reason is None or not count:
        return None
    many = f"{_COUNT_UP_TO} or more turns" if count >= _COUNT_UP_TO else f"{count} turns"
    match = "1 turn matches" if count == 1 else f"{many} match"
    return f"{reason}: {match}; {FOR_AGENTS.record}."


def _find_reason(plan: SearchPlan, selection: Selection) -> str | None:
    if plan.parsed.wants_record:
        return "The exact words are in the record"
    if not selection.hits:
        return "No sure match here"
    best = selection.hits[0]
    memory = best.document.memory if isinstance(best.document, MemoryWording) else None
    if memory is not None and memory.confidence < _LOW_CONFIDENCE:
        return "The best conclusion is unsure"
    if best.relevance < _UNSURE_RELEVANCE:
        return "The best hit fits only in part"
    if len(selection.hits) <= _FEW_HITS and best.relevance < _SURE_RELEVANCE:
        return "Little was found here"
    return None


def _matching_turns(
    tx: Transaction, plan: SearchPlan, found: ScoredSearch
) -> list[ScoredCandidate]:
    """Of the best turns of the transcript those that pass its threshold."""
    sources, statistics = found.sources, found.statistics
    filters = replace(plan.filters, include_processed=True, types=())
    transcript = replace(plan, profile=TRANSCRIPT, filters=filters)
    candidates = _transcript_candidates(tx, transcript, found)
    known = {each.candidate.n: each.document for each in found.scored}
    turns = {n: turn for n, turn in known.items() if isinstance(turn, StoredTurn)}
    threshold = RelevanceThreshold.for_query(transcript, statistics)
    scored = score_candidates(tx, transcript, candidates, threshold, turns)
    scored = [_estimate_cosine(each, sources).with_margin(threshold) for each in scored]
    return [each for each in apply_people(tx, transcript, scored) if each.margin >= 0]


def _estimate_cosine(each: ScoredCandidate, sources: SourceScores) -> ScoredCandidate:
    """The candidate; if the search of memories knows no cosine of it, with one to its words."""
    if each.candidate.n in sources.cosine or not sources.cosine:
        return each
    guess = max(0.0, *sources.cosine.values()) * each.signals.coverage
    return each._replace(signals=each.signals._replace(cosine=guess))


def _transcript_candidates(
    tx: Transaction, transcript: SearchPlan, found: ScoredSearch
) -> list[FusedCandidate]:
    """The best by words, and the nearest of what has been found already."""
    cosine, most = found.sources.cosine, 2 * _COUNT_UP_TO
    by_words: list[int] = []
    if "text" not in transcript.options.without:
        matches = tx.documents.match(transcript.kinds, transcript.terms, transcript.filters, most)
        by_words = [match.n for match in matches]
    nearest = sorted(cosine, key=lambda n: (-cosine[n], n))[:most]
    words = {each.candidate.n: each.candidate.words for each in found.scored}
    return [
        FusedCandidate(n, 0.0, cosine=cosine.get(n, 0.0), words=words.get(n))
        for n in dict.fromkeys([*by_words, *nearest])
    ]
