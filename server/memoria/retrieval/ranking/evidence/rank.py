"""Rank by evidence: from two lists of scores to one, with the conversation taken into account.

What the index found is counted anew, with the words of the neighbours (`lexical`) and the share of
the session (`session`). Text and meaning are then combined as independent evidence, by noisy-or
(J. Pearl, Probabilistic Reasoning in Intelligent Systems, 1988): either can make a hit, both make
it surer. Cosine counts squared and as it is, not stretched over its list, so that a list of
nothing but distant neighbours stays weak. Text is trusted as far as the best of it goes: the best
of a list is always the best, though it may share nothing but "which" with a query in another
language, so the list counts by the part of the query's words, rare ones first, that its best
document holds. Rank fusion was measured too and is worse here: it forgets how sure BM25 is. At
last comes what makes a turn an answer whatever its words (`priors`).

The constants were chosen on two of the five shared LoCoMo conversations, conv-26 and conv-41;
docs/benchmarks.md has the figures of all with and without each part.
"""

from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from memoria.inference import Calibration
from memoria.retrieval.query.aim import Aim
from memoria.retrieval.query.options import ALL_STAGES, Stages
from memoria.retrieval.query.parse import ParsedQuery
from memoria.retrieval.ranking.evidence.counts import count_terms
from memoria.retrieval.ranking.evidence.inputs import RankingInput, best_documents
from memoria.retrieval.ranking.evidence.lexical import bm25, idf
from memoria.retrieval.ranking.evidence.priors import ExpectedAnswer, rank_with_priors
from memoria.retrieval.ranking.evidence.session import add_session_shares, spread_over_sessions
from memoria.retrieval.ranking.evidence.speakers import find_named_speakers
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.base import Transaction
from memoria.store.values import Filters, Frequencies, IndexTokens

_LEXICAL_CEILING = 0.7
_CONCLUSION_CEILING = 0.6
_WITHOUT_PHRASE = 0.1
"""Of a turn that lacks what the query quotes, where another has it."""
RANK_DEPTH = 100
"""How many of the best are ranked by their priors, however many are wanted: with 60, recall@10 is a
fifth of a point lower."""


@dataclass(frozen=True, slots=True)
class EvidenceQuery:
    """What the ranking knows of a query."""

    parsed: ParsedQuery
    filters: Filters
    frequencies: Frequencies
    """Of its terms."""


class RankedDocument(NamedTuple):
    """A document with its score and what the score is made of."""

    n: int
    score: float
    lexical: float
    """0 to 1, context included, relative to the best of this search."""
    cosine: float
    """As near as the last of the nearest, where the document is not among them."""
    trust: float = 1.0
    """How much of the query's words the best of this search holds in its context, 0 to 1."""
    indexed: IndexTokens | None = None
    """Its tokens, where they were read."""


@dataclass(frozen=True, slots=True)
class _TextScores:
    """What the words say."""

    scores: Mapping[int, float]
    """0 to 1, relative to the best of this search."""
    trust: float
    """0 to 1: how good the best is."""


def rank_by_evidence(
    tx: Transaction,
    query: EvidenceQuery,
    sources: SourceScores,
    most: int,
    stages: Stages = ALL_STAGES,
) -> list[RankedDocument]:
    """The best candidates, `most` at most, best first; ties by age, oldest first.

    Near neighbours of candidates are ranked with them, unless the search is narrow: a neighbour
    need not pass the filters.
    """
    found = RankingInput.read(tx, sources, include_processed=query.filters.include_processed)
    speakers = find_named_speakers(query.parsed.terms, found.speakers) if stages.speakers else {}
    text = _score_text(query, sources, found, frozenset().union(*speakers.values()), stages)
    cosine = _complete_cosines(sources, text) if stages.meaning else {}
    ns = sources.bm25.keys() | sources.cosine.keys()
    scores = _combine(ns if query.filters.is_narrow else ns | text.scores.keys(), text, cosine)
    scores = _favour_phrases(scores, sources.holding_phrase)
    final = _rank_finally(tx, query, scores, found, speakers, most, stages)
    return [
        RankedDocument(
            n,
            final[n],
            text.scores.get(n, 0.0),
            cosine.get(n, 0.0),
            text.trust,
            found.documents.get(n),
        )
        for n in best_documents(final, most)
    ]


def phrase_share(holding: Set[int], n: int) -> float:
    """What a document's score counts for where some hold a phrase word for word that is quoted."""
    return 1.0 if not holding or n in holding else _WITHOUT_PHRASE


def _favour_phrases(scores: dict[int, float], holding: Set[int]) -> dict[int, float]:
    """The scores with those that hold a quoted phrase above the others."""
    if not holding:
        return scores
    return {n: phrase_share(holding, n) * score for n, score in scores.items()}


def _rank_finally(
    tx: Transaction,
    query: EvidenceQuery,
    scores: Mapping[int, float],
    found: RankingInput,
    speakers: Collection[str],
    most: int,
    stages: Stages,
) -> dict[int, float]:
    """The best by what makes a turn an answer; those beyond them follow in their order."""
    best = best_documents(scores, max(RANK_DEPTH, most))
    expected = ExpectedAnswer(speakers, query.parsed.time, query.parsed.aim)
    first = {n: scores[n] for n in best[:RANK_DEPTH]}
    final = rank_with_priors(first, tx.conversations.remarks, expected, most, stages)
    if stages.spread and expected.aim is Aim.COURSE:
        final = spread_over_sessions(final, found.places)
    rest = best[RANK_DEPTH:]
    least = min(final.values(), default=0.0) / (scores[rest[0]] or 1.0) if rest else 0.0
    return final | {n: least * scores[n] for n in rest}


def score_conclusion(
    lexical: float, coverage: float, cosine: float, calibration: Calibration
) -> float:
    """The score of a conclusion, 0 to 1: a short text by itself.

    Among a handful of memories BM25's best may share nothing but a particle with the query,
    so it counts by the share of the query's terms it covers. A sentence's cosine says more
    than a turn's: it is stretched from where unrelated sentences end to where answers lie.
    """
    unrelated = calibration.unrelated
    meaning = (cosine - unrelated) / (calibration.certain - unrelated)
    by_words = _CONCLUSION_CEILING * lexical * coverage
    return 1 - (1 - by_words) * (1 - min(max(meaning, 0.0), 0.95))


def _combine(ns: Iterable[int], text: _TextScores, cosine: Mapping[int, float]) -> dict[int, float]:
    """Each document's score; one loop, for there are thousands."""
    lexical = {n: text.trust * score for n, score in text.scores.items()}
    meaning = {n: near * near if near > 0 else 0.0 for n, near in cosine.items()}
    return {
        n: 1 - (1 - _LEXICAL_CEILING * lexical.get(n, 0.0)) * (1 - meaning.get(n, 0.0)) for n in ns
    }


def _complete_cosines(sources: SourceScores, text: _TextScores) -> dict[int, float]:
    """Every document's cosine: of those not among the nearest, that of the last of these.

    It is the most they can have. As nothing, words alone would place them behind what words hardly
    speak for: with it, half as many of the nearest do for the same recall.
    """
    last = max(min(sources.cosine.values(), default=0.0), 0.0)
    others = dict.fromkeys(sources.bm25.keys() | text.scores.keys(), last)
    return others | dict(sources.cosine) | _estimate_cosines(sources, text)


def _estimate_cosines(sources: SourceScores, text: _TextScores) -> dict[int, float]:
    """Cosines for documents too new to have a vector, in proportion to how well their words fit.

    Not knowing is not zero: what was said a second ago must not rank behind older copies of it.
    """
    nearest = max(sources.cosine.values(), default=0.0)
    return {n: nearest * text.scores.get(n, 0.0) for n in sources.awaiting_vector}


def _score_text(
    query: EvidenceQuery,
    sources: SourceScores,
    found: RankingInput,
    names: frozenset[str],
    stages: Stages,
) -> _TextScores:
    """BM25 with what turns gain from their neighbours and sessions."""
    scores, trust = dict(sources.bm25), 1.0
    if stages.recount and scores:
        terms = [term for term in query.parsed.terms if term not in names]
        idf_by_term = idf(terms, query.frequencies)
        counted = count_terms(found.documents, terms, alike=stages.alike)
        scores |= bm25(counted, found.places, idf_by_term, lend=stages.neighbours)
        ideal = sum(idf_by_term.values()) or 1.0
        trust = min(1.0, max(scores.values(), default=0.0) / ideal)
    shared = add_session_shares(_scale_to_best(scores), found.places) if stages.sessions else scores
    return _TextScores(_scale_to_best(shared), trust if stages.trust else 1.0)


def _scale_to_best(scores: Mapping[int, float]) -> dict[int, float]:
    """The scores divided by the greatest."""
    top = max(scores.values(), default=0.0)
    return {n: score / top for n, score in scores.items()} if top > 0 else dict(scores)
