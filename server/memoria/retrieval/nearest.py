"""Nearest: where nothing is relevant, what the store does hold that comes closest, in a few words.

Topics and no answers: whoever asked sees what could be asked instead, and can't take it for a hit.
"""

from collections.abc import Sequence

from memoria.retrieval.excerpt import excerpt
from memoria.retrieval.judge import Judged
from memoria.text.budget import estimate_tokens

_MOST = 3
_CHARS = 48
_SPENT = 100
"""Tokens at most, and never more than a tenth of the budget."""


def nearest_topics(
    turned_away: Sequence[Judged], terms: Sequence[str], max_tokens: int
) -> tuple[str, ...]:
    """What came nearest, a few words each."""
    left = min(_SPENT, max_tokens // 10)
    topics: list[str] = []
    for each in turned_away:
        if each.support.coverage <= 0 and each.support.cosine <= 0:
            continue
        topic = _topic(each.text, terms)
        price = estimate_tokens(topic)
        if len(topics) == _MOST or price > left:
            break
        if topic and topic not in topics:
            topics.append(topic)
            left -= price
    return tuple(topics)


def _topic(text: str, terms: Sequence[str]) -> str:
    line = " ".join(text.split())
    start, end = excerpt(line, terms, _CHARS)
    before, after = "…" if start else "", "…" if end < len(line) else ""
    return f"{before}{line[start:end].strip()}{after}"
