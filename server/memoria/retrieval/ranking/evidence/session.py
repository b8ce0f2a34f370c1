"""Session: a session is about something, so its turns gain from how well it answers as a whole.

A share of the session's best three scores, the passage retrieval of J. Callan ("Passage-level
evidence in document retrieval", 1994) turned round: the document lends to its passages.

A question for what was said over several sessions wants each of them heard: there a turn counts for
a little less for every better one of its own session.
"""

from collections import defaultdict
from collections.abc import Mapping

import numpy as np

from memoria.retrieval.ranking.evidence.columns import Scores, find_changes
from memoria.retrieval.ranking.evidence.places import Places
from memoria.retrieval.ranking.evidence.words import Floats

_SHARE = 0.2
_BEST = 3
_AFTER_ANOTHER = 0.9
"""Factor of a turn for each better one of its session. BEAM's ten chats: recall@10 of an order of
events .21 to .31, over several sessions .52 to .58; of any other question it would cost a point."""


def add_session_shares(scores: Scores, places: Places) -> Scores:
    """Add to each turn's score its session's share.

    Args:
        scores: of documents, all that have a place among them.
        places: where turns stand.
    """
    if not len(places.ns):
        return scores
    rows = scores.ns.searchsorted(places.ns)
    values = scores.values.copy()
    values[rows] += _find_gains(values[rows], places)[places.at]
    return Scores(scores.ns, values)


def _find_gains(values: Floats, places: Places) -> Floats:
    """Return each place's gain by its session; of versions of a message the best counts, once."""
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
    """Lower each turn's score for every better one of its session."""
    heard: dict[int, int] = defaultdict(int)
    spread: dict[int, float] = {}
    for n in sorted(scores, key=lambda n: (-scores[n], n)):
        session_n = session_of.get(n)
        spread[n] = scores[n]
        if session_n is not None:
            spread[n] *= _AFTER_ANOTHER ** heard[session_n]
            heard[session_n] += 1
    return spread
