"""Session: a session is about something, so its turns gain from how well it answers as a whole.

A share of the session's best three scores, the passage retrieval of J. Callan ("Passage-level
evidence in document retrieval", 1994) turned round: the document lends to its passages.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memoria.store.values import TurnPosition

_SHARE = 0.2
_BEST = 3


def add_session_shares(
    scores: Mapping[int, float], places: Sequence[TurnPosition]
) -> dict[int, float]:
    """The scores, each turn's with its session's share."""
    found: dict[int, dict[int, float]] = defaultdict(dict)  # versions of a message count once
    for n, session_n, index in places:
        own, score = found[session_n], scores.get(n, 0.0)
        if score >= own.get(index, 0.0):
            own[index] = score
    gains = {
        session_n: _SHARE * sum(sorted(own.values(), reverse=True)[:_BEST])
        for session_n, own in found.items()
    }
    shares = {n: gains[session_n] for n, session_n, _ in places}
    return {n: scores.get(n, 0.0) + shares.get(n, 0.0) for n in {**scores, **shares}}
