"""Evidence: from two lists of scores to one, with the conversation taken into account.

What the index found is counted anew, with the words of the neighbours (`lexical`) and the share of
the session (`session`). Text and meaning are then combined as independent evidence, by noisy-or
(J. Pearl, Probabilistic Reasoning in Intelligent Systems, 1988): either can make a hit, both make
it surer. Cosine counts squared and as it is, not stretched over its list, so that a list of
nothing but distant neighbours stays weak. Text is trusted as far as the best of it goes: the best
of a list is always the best, though it may share nothing but "which" with a question in another
language, so the list counts by the part of the question's words, rare ones first, that its best
document holds. Rank fusion was measured too and is worse here: it forgets how sure BM25 is. At
last the best are weighed by what they are (`worth`).

The constants were chosen on two of the five shared LoCoMo conversations, conv-26 and conv-41;
docs/benchmarks.md has the figures of all with and without each part.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memoria.retrieval.candidates import Candidates
from memoria.retrieval.evidence.counts import count
from memoria.retrieval.evidence.found import Found, best
from memoria.retrieval.evidence.lexical import bm25, idf
from memoria.retrieval.evidence.session import with_sessions
from memoria.retrieval.evidence.speakers import named
from memoria.retrieval.evidence.worth import Wanted, weighed_best
from memoria.retrieval.stages import ALL, Stages
from memoria.store.base import Transaction
from memoria.store.values import Filters, Frequencies, Indexed
from memoria.text.dates import Interval

_LEXICAL_CEILING = 0.7
_CONCLUSIVE_CEILING = 0.6
_WEIGHED = 100
"""How many of the best are weighed, at least: with 60, recall@10 is a fifth of a point lower."""
_UNRELATED = 0.1
_SURE = 0.65


@dataclass(frozen=True, slots=True)
class Asked:
    """What the ranking knows of a question."""

    terms: tuple[str, ...]
    filters: Filters
    frequencies: Frequencies
    """Of the terms."""
    time: Interval | None = None
    """The time it names."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document with its score and what the score is made of."""

    n: int
    score: float
    lexical: float
    """0 to 1, context included, relative to the best of this search."""
    cosine: float
    """As near as the last of the nearest, where the document is not among them."""
    trust: float = 1.0
    """How much of the question's words the best of this search holds in its context, 0 to 1."""
    indexed: Indexed | None = None
    """Its tokens, where they were read."""


@dataclass(frozen=True, slots=True)
class _Text:
    """What the words say."""

    scores: Mapping[int, float]
    """0 to 1, relative to the best of this search."""
    trust: float
    """0 to 1: how good the best is."""


def rank(
    tx: Transaction, asked: Asked, candidates: Candidates, most: int, stages: Stages = ALL
) -> list[Ranked]:
    """The best candidates, `most` at most, best first; ties by age, oldest first.

    Near neighbours of candidates are ranked with them, unless the search is narrow: a neighbour
    need not pass the filters.
    """
    found = Found.by(tx, candidates, settled=asked.filters.settled)
    told = named(asked.terms, found.speakers) if stages.speakers else {}
    text = _text(asked, candidates, found, frozenset().union(*told.values()), stages)
    cosine = _meaning(candidates, text) if stages.meaning else {}
    ns = candidates.bm25.keys() | candidates.cosine.keys()
    scores = _combined(ns if asked.filters.narrow else ns | text.scores.keys(), text, cosine)
    weighed = best(scores, max(_WEIGHED, most))
    wanted = Wanted(told.keys(), asked.time)
    first = {n: scores[n] for n in weighed}
    final = weighed_best(first, tx.conversations.remarks, wanted, most, stages)
    return [
        Ranked(
            n,
            final[n],
            text.scores.get(n, 0.0),
            cosine.get(n, 0.0),
            text.trust,
            found.documents.get(n),
        )
        for n in best(final, most)
    ]


def conclusive(lexical: float, coverage: float, cosine: float) -> float:
    """The score of a conclusion, 0 to 1: a short text, judged by itself.

    Among a handful of memories BM25's best may share nothing but a particle with the question,
    so it counts by the share of the question's terms it covers. A sentence's cosine says more
    than a turn's: it is stretched from where unrelated sentences end to where answers lie.
    """
    meaning = (cosine - _UNRELATED) / (_SURE - _UNRELATED)
    by_words = _CONCLUSIVE_CEILING * lexical * coverage
    return 1 - (1 - by_words) * (1 - min(max(meaning, 0.0), 0.95))


def _combined(ns: Iterable[int], text: _Text, cosine: Mapping[int, float]) -> dict[int, float]:
    """Each document's score; one loop, for there are thousands."""
    lexical = {n: text.trust * score for n, score in text.scores.items()}
    meaning = {n: near * near if near > 0 else 0.0 for n, near in cosine.items()}
    return {
        n: 1 - (1 - _LEXICAL_CEILING * lexical.get(n, 0.0)) * (1 - meaning.get(n, 0.0)) for n in ns
    }


def _meaning(candidates: Candidates, text: _Text) -> dict[int, float]:
    """Every document's cosine: of those not among the nearest, that of the last of these.

    It is the most they can have. As nothing, words alone would place them behind what words hardly
    speak for: with it, half as many of the nearest do for the same recall.
    """
    last = max(min(candidates.cosine.values(), default=0.0), 0.0)
    others = dict.fromkeys(candidates.bm25.keys() | text.scores.keys(), last)
    return others | dict(candidates.cosine) | _supposed(candidates, text)


def _supposed(candidates: Candidates, text: _Text) -> dict[int, float]:
    """Cosines for documents too new to have a vector, in proportion to how well their words fit.

    Not knowing is not zero: what was said a second ago must not rank behind older copies of it.
    """
    nearest = max(candidates.cosine.values(), default=0.0)
    return {n: nearest * text.scores.get(n, 0.0) for n in candidates.awaiting}


def _text(
    asked: Asked,
    candidates: Candidates,
    found: Found,
    names: frozenset[str],
    stages: Stages,
) -> _Text:
    """BM25 with what turns gain from their neighbours and sessions."""
    scores, trust = dict(candidates.bm25), 1.0
    if stages.recount and scores:
        terms = [term for term in asked.terms if term not in names]
        telling = idf(terms, asked.frequencies)
        counted = count(found.documents, terms, alike=stages.alike)
        scores |= bm25(counted, found.places, telling, lend=stages.neighbours)
        ideal = sum(telling.values()) or 1.0
        trust = min(1.0, max(scores.values(), default=0.0) / ideal)
    shared = with_sessions(_scaled(scores), found.places) if stages.sessions else scores
    return _Text(_scaled(shared), trust if stages.trust else 1.0)


def _scaled(scores: Mapping[int, float]) -> dict[int, float]:
    """The scores divided by the greatest."""
    top = max(scores.values(), default=0.0)
    return {n: score / top for n, score in scores.items()} if top > 0 else dict(scores)
