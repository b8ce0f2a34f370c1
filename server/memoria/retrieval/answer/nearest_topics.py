"""Nearest topics: where nothing is relevant, what comes closest of what the store does hold.

Topics and no answers: whoever asked sees what could be asked instead, and can't take it for a hit.
"""

from collections.abc import Iterable, Mapping, Sequence

from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.text.budget import price_text
from memoria.text.excerpt import find_excerpt, weigh_evenly

_MOST = 3
_TOPIC_CHARS = 48
_LEAST_CHARS = 20
"""A sentence of fewer characters says too little by itself; what follows is shown, too."""
_MOST_TOKENS = 100
"""Tokens at most, and never more than a tenth of the budget."""


def list_nearest_topics(
    below_threshold: Iterable[ScoredCandidate], terms: Sequence[str], max_tokens: int
) -> tuple[str, ...]:
    """What came nearest to an answer, a few words each."""
    left = min(_MOST_TOKENS, max_tokens // 10)
    weights = weigh_evenly(terms)
    topics: dict[str, str] = {}
    for each in below_threshold:
        if len(topics) == _MOST:
            break
        if each.signals.coverage <= 0 and each.signals.cosine <= 0:
            continue
        text = each.text
        topic = _topic(text, weights)
        price = price_text(topic)
        if price > left:
            break
        if topic and not any(_says_same(text, known) for known in topics.values()):
            topics[topic] = text
            left -= price
    return tuple(topics)


def _topic(text: str, weights: Mapping[str, float]) -> str:
    line = " ".join(text.split())
    start, end = find_excerpt(line, weights, _TOPIC_CHARS)
    if end - start < _LEAST_CHARS:  # such as "Yes." before what the turn is about
        end = min(start + _TOPIC_CHARS, len(line))
        end = line.rfind(" ", start + _LEAST_CHARS, end) if end < len(line) else end
        end = end if end > start else start + _TOPIC_CHARS
    before, after = "…" if start else "", "…" if end < len(line) else ""
    return f"{before}{line[start:end].strip()}{after}"


def _says_same(one: str, other: str) -> bool:
    """Whether one says all that the other says: a memory quotes the turn that it was made of."""
    return one in other or other in one
