"""Session: a session is about something, so its turns gain from how well it answers as a whole.

A share of the session's best three scores, the passage retrieval of J. Callan ("Passage-level
evidence in document retrieval", 1994) turned round: the document lends to its passages.

A question for what was said over several sessions wants each of them heard: there a turn counts for
a little less for every better one of its own session.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from memoria.store.values import TurnPosition

_SHARE = 0.2
_BEST = 3
_AFTER_ANOTHER = 0.9
"""What a turn keeps for each better one of its session. BEAM's ten chats: recall@10 of an order of
events .21 to .31, over several sessions .52 to .58; of any other question it would cost a point."""


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


def spread_over_sessions(
    scores: Mapping[int, float], places: Sequence[TurnPosition]
) -> dict[int, float]:
    """The scores, each turn's less for every better one of its session."""
    session_of = {place.n: place.session_n for place in places}
    heard: dict[int, int] = defaultdict(int)
    spread: dict[int, float] = {}
    for n in sorted(scores, key=lambda n: (-scores[n], n)):
        session_n = session_of.get(n)
        spread[n] = scores[n]
        if session_n is not None:
            spread[n] *= _AFTER_ANOTHER ** heard[session_n]
            heard[session_n] += 1
    return spread
