"""Rank by evidence: from two lists of scores to one, with the conversation taken into account.

What the index found is counted anew, with the words of the neighbours (`lexical`). A session is
about something, so its turns gain a share of its best three scores: the passage retrieval of J.
Callan ("Passage-level evidence in document retrieval", 1994) turned round, for the document lends
to its passages. A question for what was said over several sessions wants each of them heard:
there a turn counts for a little less for every better turn of its own session.

Text and meaning are combined as independent evidence, by noisy-or (J. Pearl, Probabilistic
Reasoning in Intelligent Systems, 1988): either can make a hit, both make it surer. Cosine counts
squared and as it is, not stretched over its list, so that a list of nothing but distant neighbours
stays weak. Text is trusted as far as the best of it goes: the best of a list is always the best,
though it may share nothing but "which" with a query in another language, so the list counts by the
part of the query's words, rare ones first, that its best document holds. Decision 014 has why not
rank fusion. At last comes what makes a turn an answer whatever its words (`priors`).

docs/benchmarks.md has the figures with and without each part, and of the constants.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memoria.language.asking.aim import Aim
from memoria.retrieval.query.options import ALL_STAGES, Stages
from memoria.retrieval.ranking.candidates import (
    RANK_DEPTH,
    EvidenceQuery,
    RankedDocument,
    Ranking,
    phrase_share,
)
from memoria.retrieval.ranking.evidence.columns import (
    Floats,
    Integers,
    Places,
    RankingInput,
    Scores,
    find_changes,
    join_numbers,
    rank_rows,
)
from memoria.retrieval.ranking.evidence.lexical import bm25, count_terms, idf
from memoria.retrieval.ranking.evidence.priors import (
    ExpectedAnswer,
    FinalScores,
    Lift,
    find_named_speakers,
    keep_scores,
    rank_with_priors,
)
from memoria.retrieval.sources.gather import SourceScores
from memoria.store.rows.transaction import Transaction

_SHARE = 0.2
_BEST = 3
_AFTER_ANOTHER = 0.9
"""Factor of a turn for each better turn of its session."""


def add_session_shares(scores: Scores, places: Places) -> Scores:
    """Add to each turn's score a share of the best scores of its session.

    Args:
        scores: scores of documents, among them all that have a place.
        places: places of turns.
    """
    if not len(places.ns):
        return scores
    rows = scores.ns.searchsorted(places.ns)
    values = scores.values.copy()
    values[rows] += _find_gains(values[rows], places)[places.at]
    return Scores(scores.ns, values)


def _find_gains(values: Floats, places: Places) -> Floats:
    """Return each place's gain by its session; of a message the best version counts."""
    best = np.zeros(len(places.places))
    np.maximum.at(best, places.at, values)
    sessions = places.sessions
    best = best[np.lexsort((-best, sessions))]
    begins = find_changes(sessions)
    (firsts,) = begins.nonzero()
    ends = np.append(firsts[1:], len(best))
    padded = np.append(best, 0.0)
    gains = padded[firsts]
    for place in range(1, _BEST):
        gains = gains + padded[np.where(firsts + place < ends, firsts + place, len(best))]
    shares: Floats = (_SHARE * gains)[begins.cumsum() - 1]
    return shares


def spread_over_sessions(
    scores: Mapping[int, float], session_of: Mapping[int, int]
) -> dict[int, float]:
    """Lower each turn's score for every better turn of its session."""
    heard: dict[int, int] = defaultdict(int)
    spread: dict[int, float] = {}
    for n in sorted(scores, key=lambda n: (-scores[n], n)):
        session_n = session_of.get(n)
        spread[n] = scores[n]
        if session_n is not None:
            spread[n] *= _AFTER_ANOTHER ** heard[session_n]
            heard[session_n] += 1
    return spread


LiftOf = Callable[[Integers], Lift]
_LEXICAL_CEILING = 0.7


class _Best(NamedTuple):
    """Columns of documents and scores, the best first."""

    ns: Integers
    scores: Floats


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Columns of documents, with the evidence for each."""

    ns: Integers
    lexical: Floats
    """Score by words, 0 to 1, relative to the best of this search."""
    cosine: Floats
    trust: float
    """Quality of the best by words, 0 to 1."""

    def combine(self) -> Floats:
        """Combine words and meaning to each document's score."""
        meaning: Floats = np.square(np.maximum(self.cosine, 0.0))
        scores: Floats = 1 - (1 - _LEXICAL_CEILING * (self.trust * self.lexical)) * (1 - meaning)
        return scores


def rank_by_evidence(
    tx: Transaction,
    query: EvidenceQuery,
    sources: SourceScores,
    most: int,
    stages: Stages = ALL_STAGES,
    lift: LiftOf = lambda _ns: keep_scores,
) -> Ranking:
    """Rank the candidates, best first; of equal scores, the oldest first.

    Near neighbours of candidates are ranked as well, unless the search is narrow: a neighbour need
    not pass the filters.

    Args:
        tx: where to look.
        query: what is asked.
        sources: what was found.
        most: the number of documents that are wanted.
        stages: switches of the parts of the ranking.
        lift: gives, for documents, what raises their scores in the end.
    """
    found = RankingInput.read(tx, sources, include_processed=query.filters.include_processed)
    speakers = find_named_speakers(query.parsed.terms, found.speakers) if stages.speakers else {}
    names = frozenset[str]().union(*speakers.values())
    evidence = _weigh(query, sources, found, names, stages)
    scores = _favour_phrases(evidence, sources)
    rows = rank_rows(scores, max(RANK_DEPTH, most))
    best = _Best(evidence.ns[rows], scores[rows])
    final = _rank_finally(tx, query, best, found, speakers, most, stages, lift)
    order = np.lexsort((best.ns, -final.values))
    kept = order[final.may_be_best[order]]
    columns = (best.ns, final.values, evidence.lexical[rows], evidence.cosine[rows])
    ranked = [
        RankedDocument(n, score, lexical, cosine, evidence.trust, found.documents.get(n))
        for n, score, lexical, cosine in zip(
            *(each[kept].tolist() for each in columns), strict=True
        )
    ]
    return Ranking(ranked, frozenset(best.ns[~final.may_be_best].tolist()))


def _favour_phrases(evidence: _Evidence, sources: SourceScores) -> Floats:
    """Return the documents' scores, lowered for those that lack a quoted phrase."""
    scores, holding = evidence.combine(), sources.holding_phrase
    if not holding:
        return scores
    favoured: Floats = scores * [phrase_share(holding, n) for n in evidence.ns.tolist()]
    return favoured


def _rank_finally(
    tx: Transaction,
    query: EvidenceQuery,
    best: _Best,
    found: RankingInput,
    speakers: Collection[str],
    most: int,
    stages: Stages,
    lift: LiftOf,
) -> FinalScores:
    """Apply the priors to the best documents; the others follow in their order."""
    first, ns = best.ns[:RANK_DEPTH], best.ns[:RANK_DEPTH].tolist()
    expected = ExpectedAnswer(speakers, query.parsed.time, query.parsed.aim)
    values, may_be_best = rank_with_priors(
        best.scores[:RANK_DEPTH],
        tx.turn_columns.remarks(ns),
        lambda rows, wishes: tx.turn_columns.sayings(first[rows].tolist(), with_wishes=wishes),
        expected,
        most,
        stages,
        lift(first),
    )
    if stages.spread and expected.aim is Aim.COURSE:
        by_number = dict(zip(ns, values.tolist(), strict=True))
        spread = spread_over_sessions(by_number, found.places.sessions_of(ns))
        values = np.array([spread[n] for n in ns])
    rest = best.scores[RANK_DEPTH:]
    if not len(rest):
        return FinalScores(values, may_be_best)
    least = values.min() / (rest[0] or 1.0)
    return FinalScores(
        np.append(values, least * rest), np.append(may_be_best, np.ones(len(rest), np.bool_))
    )


def _weigh(
    query: EvidenceQuery,
    sources: SourceScores,
    found: RankingInput,
    names: frozenset[str],
    stages: Stages,
) -> _Evidence:
    """Build the evidence for all found documents and their neighbours."""
    by_words, trust = _score_words(query, found, names, stages)
    ns = join_numbers(by_words.ns, found.cosine.ns, found.places.ns)
    text = Scores(ns, by_words.spread(ns, 0.0)).scale_to_best()
    if stages.sessions:
        text = add_session_shares(text, found.places).scale_to_best()
    if query.filters.is_narrow:
        text = text.select(join_numbers(found.bm25.ns, found.cosine.ns))
    elif not stages.sessions:
        text = text.select(join_numbers(by_words.ns, found.cosine.ns))
    cosine = _complete_cosines(sources, found.cosine, text) if stages.meaning else 0 * text.values
    return _Evidence(text.ns, text.values, cosine, trust if stages.trust else 1.0)


def _complete_cosines(sources: SourceScores, known: Scores, text: Scores) -> Floats:
    """Return every document's cosine.

    A document that is not among the nearest has the cosine of the last of these: the highest it
    can have. A document too new to have a vector has a cosine in proportion to its score by words:
    what was said a second ago must not rank behind older copies of the same.
    """
    last = max(float(known.values.min()), 0.0) if len(known.ns) else 0.0
    cosine = known.spread(text.ns, last)
    if sources.awaiting_vector:
        rows = text.ns.searchsorted(sorted(sources.awaiting_vector))
        cosine[rows] = float(known.values.max()) * text.values[rows]
    return cosine


def _score_words(
    query: EvidenceQuery, found: RankingInput, names: frozenset[str], stages: Stages
) -> tuple[Scores, float]:
    """Return scores by words, the neighbours' included, and their trust, 0 to 1."""
    if not stages.recount or not len(found.bm25.ns):
        return found.bm25, 1.0
    terms = list(dict.fromkeys(term for term in query.parsed.terms if term not in names))
    tells = idf(terms, query.frequencies)
    counted = count_terms(found.documents, terms, alike=stages.alike)
    anew = bm25(counted, found.places, tells, lend=stages.neighbours)
    ns = join_numbers(found.bm25.ns, anew.ns)
    values = found.bm25.spread(ns, 0.0)
    values[ns.searchsorted(anew.ns)] = anew.values
    scores = Scores(ns, values)
    return scores, min(1.0, scores.highest() / (sum(tells) or 1.0))
