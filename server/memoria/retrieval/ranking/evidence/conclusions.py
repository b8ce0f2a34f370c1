"""Conclusions: a short text by itself, which no conversation lends any words."""

from memoria.inference import Calibration

_CEILING = 0.6
"""Most that words alone make of the best of them."""


def score_conclusion(
    lexical: float, coverage: float, cosine: float, calibration: Calibration
) -> float:
    """Return the score of a conclusion, 0 to 1.

    Among a handful of memories BM25's best may share nothing but a particle with the query,
    so it counts by the share of the query's terms it covers. A sentence's cosine says more
    than a turn's: it is stretched from where unrelated sentences end to where answers lie.
    """
    unrelated = calibration.unrelated
    meaning = (cosine - unrelated) / (calibration.certain - unrelated)
    by_words = _CEILING * lexical * coverage
    return 1 - (1 - by_words) * (1 - min(max(meaning, 0.0), 0.95))
